"""The arrays that a model is fed with: found in the user's files by name, or made up if the user asks for that."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from errorflow.base.errors import FileError, UsageError
from errorflow.base.files import is_file, is_folder
from errorflow.base.progress import SILENT, Progress
from errorflow.formats.folders.array_file import RawMember
from errorflow.formats.folders.raw import declared_by, parse_shapes
from errorflow.formats.folders.scan import Declared, stem_of
from errorflow.formats.runs import read_run
from errorflow.graph.dump import Dump
from errorflow.graph.model import Dim, Graph
from errorflow.run.model import STORED_AS, Array, Inputs, ModelInput, wanted_of
from errorflow.run.open_sizes import SIDES, filled, is_open

_RAW = ".bin"
_MOST_RANDOM = 1 << 28


def find_inputs(
    graph: Graph,
    paths: Iterable[Path],
    shapes: Sequence[str] = (),
    seed: int | None = None,
    progress: Progress = SILENT,
    side: int = SIDES[0],
) -> Inputs:
    """An array for each input of the model; with a `seed`, those that no file has are made up, and that is noted.

    Of what is made up, `side` is the height and width where the model leaves them open.

    Files: an .npz with the inputs' names, folders of .npy files, single files called as the input is (of a model with
    one input, called as they like), and .bin files, whose shape the model or `shapes` says.
    """
    wanted = wanted_of(graph)
    declared = declared_by(graph) | parse_shapes(shapes)
    given: dict[str, tuple[Dump | RawMember, str]] = {}
    for path in paths:
        source, names = _open(path, declared, progress)
        given |= {name: (source, name) for name in names}
    arrays: dict[str, Array] = {}
    notes: list[str] = []
    for want in wanted:
        name = partner(want, wanted, given)
        if name is not None:
            arrays[want.name], note = fitting(want, _read(*given[name], want, declared))
            notes += [note] if note else []
    missing = [want for want in wanted if want.name not in arrays and not want.optional]
    if missing and seed is None:
        raise _lacking(missing, given)
    if missing and seed is not None:
        notes += _make_up(missing, wanted, arrays, seed, side)
    # Another model may be fed by their order.
    ordered = {want.name: arrays[want.name] for want in wanted if want.name in arrays}
    made_up = {want.name: arrays[want.name].shape for want in missing}
    return Inputs(ordered, tuple(notes), made_up, any(is_open(want) for want in missing))


def _open(path: Path, declared: Mapping[str, Declared], progress: Progress) -> tuple[Dump | RawMember, Sequence[str]]:
    if is_file(path) and path.suffix.lower() == _RAW:
        return RawMember(path, Declared("float32", (None,))), (path.stem,)
    if not is_file(path) and not is_folder(path):
        raise FileError(f"There are no inputs at {path}.", "Check the path given with --inputs.")
    dump = read_run(path, progress, declared)
    return dump, tuple(dump.names())


def same_inputs(graph: Graph, inputs: Inputs) -> Inputs:
    """Takes the inputs of another model for this one: by names, else one after the other."""
    wanted = [want for want in wanted_of(graph) if not want.optional]
    by_place = dict(zip((want.name for want in wanted), inputs.arrays.values(), strict=False))
    named = all(want.name in inputs.arrays for want in wanted)
    if len(wanted) != len(inputs.arrays) and not named:
        raise UsageError(
            f"One model wants {len(inputs.arrays):,} inputs and the other {len(wanted):,}, under other names.",
            "Run each with `errorflow run` and compare the two runs.",
        )
    arrays: dict[str, Array] = {}
    notes: list[str] = []
    for want in wanted:
        arrays[want.name], note = fitting(want, inputs.arrays[want.name] if named else by_place[want.name])
        notes += [note] if note else []
    return Inputs(arrays, tuple(notes))


def partner(want: ModelInput, wanted: Sequence[ModelInput], given: Collection[str]) -> str | None:
    """The name under which the input was given: its own, as files can be called, or the only one there is."""
    if want.name in given:
        return want.name
    if want.optional:
        return None
    same = [name for name in given if stem_of(name) == stem_of(want.name)]
    if len(same) == 1:
        return same[0]
    alone = [other for other in wanted if not other.optional] == [want]
    return next(iter(given)) if alone and len(given) == 1 else None


def _read(source: Dump | RawMember, name: str, want: ModelInput, declared: Mapping[str, Declared]) -> Array:
    if not isinstance(source, RawMember):
        return source.read(name)
    known = declared.get(want.name, declared.get(name))
    if known is None or sum(dim is None for dim in known.shape) > 1:
        raise UsageError(
            f"{source.path.name} does not say what shape it has, and the model leaves it open: {want.text}.",
            f"Say it in “Shapes of raw files” (--shapes {want.name}=1x3x224x224:float32).",
        )
    return RawMember(source.path, known).stored(name).read()


def fitting(want: ModelInput, array: Array) -> tuple[Array, str]:
    """The array in the model's type, and a note if that is not its own; refused where it cannot be meant."""
    if want.shape is not None and not fits(want.shape, array.shape):
        raise UsageError(
            f"The model wants {want.text}, and the array that was given has the shape {list(array.shape)}.",
            "Give an array of that shape; in brackets, a name or ? stands for any size.",
        )
    dtype = STORED_AS.get(want.dtype, want.dtype)
    if not dtype or array.dtype.name == dtype:
        return array, ""
    try:
        target = np.dtype(dtype)
    except TypeError as error:
        raise UsageError(
            f"The input {want.name} is of type {want.dtype}, which no file of arrays can hold.",
            "Export the model with an input of a common type.",
        ) from error
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit is found by looking at it
        cast = array.astype(target) if np.can_cast(array.dtype, target, "same_kind") else None
    if cast is None or (target.kind in "iu" and not np.array_equal(cast, array)):
        raise UsageError(
            f"The model wants {want.text}, and the array that was given holds {array.dtype.name}.",
            f"Save it as {dtype}: numpy.asarray(values, numpy.{dtype}).",
        )
    return cast, f"{want.name}: {array.dtype.name} was converted to {dtype}."


def fits(wanted: Sequence[Dim], shape: Sequence[int]) -> bool:
    return len(wanted) == len(shape) and all(
        not isinstance(dim, int) or dim == size for dim, size in zip(wanted, shape, strict=True)
    )


def _lacking(missing: Sequence[ModelInput], given: Mapping[str, object]) -> UsageError:
    texts = "; ".join(want.text for want in missing)
    there = f" Given were: {', '.join(list(given)[:5])}." if given else ""
    return UsageError(
        f"The model wants inputs that were not given: {texts}.{there}",
        "Give them with --inputs FILE.npz, an array under each name, or make them up with --random SEED.",
    )


def _make_up(
    missing: Sequence[ModelInput], wanted: Sequence[ModelInput], arrays: dict[str, Array], seed: int, side: int
) -> Iterable[str]:
    sizes = _sizes(wanted, arrays)
    generator = np.random.default_rng(seed)
    for want in missing:
        if want.shape is None:
            raise UsageError(
                f"The model does not say what shape its input {want.name} has.", "Give an array with --inputs."
            )
        shape = filled(want, sizes, side)
        arrays[want.name] = random_values(want, shape, generator)
        yield f"{want.name}: made up, random values of seed {seed} in the shape {list(shape)}."


def _sizes(wanted: Sequence[ModelInput], arrays: Mapping[str, Array]) -> dict[Dim, int]:
    """Reads what the given inputs say of sizes that have names."""
    return {
        dim: size
        for want in wanted
        if want.name in arrays and want.shape is not None
        for dim, size in zip(want.shape, arrays[want.name].shape, strict=True)
        if isinstance(dim, str)
    }


def random_values(want: ModelInput, shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """Floats of a standard normal distribution; of whole numbers only 0 and 1, which all tables and masks have."""
    dtype = STORED_AS.get(want.dtype, want.dtype)
    kind = np.dtype(dtype).kind if dtype in np.sctypeDict else ""
    if kind not in tuple("biuf") or np.prod(shape, dtype=np.float64) > _MOST_RANDOM:
        raise UsageError(f"No random values can be made up for {want.text}.", "Give an array with --inputs.")
    if kind == "f":
        return generator.standard_normal(shape, np.float32).astype(dtype)
    return generator.integers(0, 2, shape).astype(dtype)
