"""Recognition of the user's samples, in words, and what is still to be stated."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import is_file, is_folder
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.formats.folders.scan import listing
from errorflow.graph.build import counted
from errorflow.run.model import Array, ModelInput
from errorflow.run.samples.arrays import RAW, Archives, ColumnSource, Files, InputStack
from errorflow.run.samples.asked import SampleSpec
from errorflow.run.samples.model import SampleSource
from errorflow.run.samples.opening import JoinedSamples, open_samples
from errorflow.run.samples.pictures import SUFFIXES, PictureSource
from errorflow.run.samples.sizes import OpenSizesError, open_names, sized
from errorflow.run.samples.tar import is_tar

Kind = Literal["arrays", "raw", "pictures", "made up"]
# Inputs that a sentence names.
_TOLD = 3


@dataclass(frozen=True, slots=True)
class Recognised:
    """`problem`: why they cannot be used; then the rest is what can be said all the same."""

    kind: Kind
    count: int = 0
    # A sentence such as "12 samples, one .npy each, for x float32 [1, 3, 64, 64]."
    text: str = ""
    notes: tuple[str, ...] = ()
    # Open sizes that the samples have by themselves, …
    sizes: Mapping[str, int] = field(default_factory=dict)
    # … and those that the user says, or has to.
    asks: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    problem: ErrorflowError | None = None


def recognise(wanted: Sequence[ModelInput], asked: SampleSpec, progress: Progress = SILENT) -> Recognised:
    """Opens the samples and reads the first."""
    kind = kind_of_samples(asked)
    every = tuple(dict.fromkeys(name for want in wanted for name in open_names(want)))
    asked = replace(asked, dims={name: size for name, size in asked.dims.items() if name in every})
    try:
        found = open_samples(wanted, asked, progress)
        first = found.read(0)
    except ErrorflowError as error:
        # Pictures are put together as many as the model takes, one where it does not say.
        free = {_batch(want) for want in wanted} if kind == "pictures" else set()
        lacks = every if isinstance(error, OpenSizesError) else ()  # else no size would help but another than was said
        asks = tuple(name for name in every if (name in lacks and name not in free) or name in asked.dims)
        return Recognised(kind, asks=asks, problem=error)
    own = {} if kind == "made up" else _sizes(wanted, first, asked.dims)
    names = tuple(found.name(number) for number in range(found.count))
    asks = tuple(name for name in every if name not in own)
    text = "" if found.made_up else f"{_text(found.source, found.count)} for {_fed(found.wanted, first)}."
    if found.made_up:
        text = f"{counted(found.count, 'sample', 'samples')} of random values for {_fed(found.wanted, first)}."
    return Recognised(kind, found.count, text, found.notes, own, asks, names)


def _batch(want: ModelInput) -> str:
    """The name of the first size where that is open; "": it is not."""
    is_open = bool(want.shape) and want.shape is not None and not isinstance(want.shape[0], int)
    return open_names(want)[0] if is_open else ""


def kind_of_samples(asked: SampleSpec) -> Kind:
    """Recognises by the names of files."""
    if not asked.paths:
        return "made up"
    kinds = {_kind_of(Path(path)) for path in asked.paths}
    return next((kind for kind in ("pictures", "raw") if kind in kinds), "arrays")


def _kind_of(path: Path) -> Kind:
    try:
        if is_folder(path):
            found = listing(path)
            names = [*found.files, *(name for inner in found.folders[:1] for name in listing(path / inner).files)]
        else:
            names = [path.name]
        if is_file(path) and is_tar(path):
            return "pictures"
    except ErrorflowError:  # opening it says why
        return "arrays"
    ends = {Path(name).suffix.lower() for name in names if not name.startswith(".")}
    if ends & {".npy", ".npz"}:
        return "arrays"
    return "pictures" if ends & set(SUFFIXES) else "raw" if RAW in ends else "arrays"


def _sizes(wanted: Sequence[ModelInput], arrays: Mapping[str, Array], given: Mapping[str, int]) -> dict[str, int]:
    """Finds the open sizes that the first sample has and no option gave."""
    found: dict[str, int] = {}
    for want in sized(wanted, given):
        if want.shape is None or want.name not in arrays:
            continue
        shape = arrays[want.name].shape
        opens = [axis for axis, dim in enumerate(want.shape) if not isinstance(dim, int)]
        found |= dict(zip(open_names(want), (shape[axis] for axis in opens), strict=True))
    return found


def _fed(wanted: Sequence[ModelInput], arrays: Mapping[str, Array]) -> str:
    """The inputs that they are for, in the shapes that they have."""
    named = [want for want in wanted if want.name in arrays]
    texts = [replace(want, shape=arrays[want.name].shape).text for want in named[:_TOLD]]
    more = f" and {len(named) - _TOLD:,} more" if len(named) > _TOLD else ""
    return f"{', '.join(texts)}{more}"


def _text(source: SampleSource, count: int) -> str:
    samples = counted(count, "sample", "samples")
    if isinstance(source, JoinedSamples):
        return f"{samples} out of {len(source.sources):,} files and folders"
    how = _how(source)
    return f"{samples}, {how}," if how else samples


def _how(source: SampleSource) -> str:
    if isinstance(source, Archives):
        return "one .npz each"
    if isinstance(source, PictureSource):
        return "one picture each" if source.batch == 1 else f"{source.batch:,} pictures each"
    if isinstance(source, ColumnSource):
        column = next(iter(source.columns.values()))
        if isinstance(column, Files):
            end = column.paths[0].suffix
            return f"one {end} each" if len(source.columns) == 1 else f"one {end} per input each"
        if isinstance(column, InputStack):
            return "stacked in one file"
    return ""
