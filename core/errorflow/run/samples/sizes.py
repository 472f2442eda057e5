"""Sizes that a model leaves open until it runs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from errorflow.base.errors import UsageError
from errorflow.graph.model import Dim
from errorflow.run.model import ModelInput

MAX_SIZE = 1 << 31
_DIM = re.compile(r"(?P<name>.+)=(?P<size>[0-9]{1,10})", re.ASCII | re.DOTALL)


class OpenSizesError(UsageError):
    """Error of sizes that the model leaves open and no option states: stating them is the way out."""


def parse_dims(texts: Iterable[str]) -> dict[str, int]:
    """Parses what the user says: `N=1` each, or `x[2]=640`."""
    found: dict[str, int] = {}
    for text in texts:
        parts = _DIM.fullmatch(text)
        if not parts or not 0 < int(parts["size"]) < MAX_SIZE:
            raise UsageError(f"“{text}” is no size.", "Write it like this: --dim N=1, or --dim x[2]=640.")
        found[parts["name"]] = int(parts["size"])
    return found


def sized(wanted: Sequence[ModelInput], dims: Mapping[str, int]) -> tuple[ModelInput, ...]:
    """The inputs with the sizes that the user gave."""
    unused = set(dims)
    found = []
    for want in wanted:
        shape = None if want.shape is None else tuple(_sized(want, axis, dims, unused) for axis in range(_rank(want)))
        found.append(replace(want, shape=shape))
    if unused:
        known = [name for want in wanted for name in open_names(want)]
        raise UsageError(
            f"The model has no open dimension {sorted(unused)[0]}.",
            f"It leaves open: {', '.join(dict.fromkeys(known))}." if known else "It leaves none open: drop --dim.",
        )
    return tuple(found)


def open_names(want: ModelInput) -> tuple[str, ...]:
    """The dimensions of an input that are open, as `--dim` takes them."""
    if want.shape is None:
        return ()
    return tuple(_name(want, axis) for axis, dim in enumerate(want.shape) if not isinstance(dim, int))


def closed(want: ModelInput) -> tuple[int, ...]:
    """The shape, all of which must be known."""
    if want.shape is None or open_names(want):
        raise lacking(want)
    return tuple(dim for dim in want.shape if isinstance(dim, int))


def lacking(want: ModelInput, way_out: str = "") -> OpenSizesError:
    names = open_names(want)
    first = names[0] if names and want.shape is not None and not isinstance(want.shape[0], int) else ""
    asked = " ".join(f"--dim {name}={1 if name == first else 224}" for name in names)
    return OpenSizesError(
        f"The model leaves the shape of an input open: {want.text}.",
        (f"Say it with {asked}{way_out}." if names else "Give arrays in .npy or .npz files, which say their shapes."),
    )


def _sized(want: ModelInput, axis: int, dims: Mapping[str, int], unused: set[str]) -> Dim:
    dim = None if want.shape is None else want.shape[axis]
    if isinstance(dim, int):
        return dim
    # A single input's own way of saying it stands above the name that inputs share.
    for name in (f"{want.name}[{axis}]", dim):
        if name is not None and name in dims:
            unused.discard(name)
            return dims[name]
    return dim


def _rank(want: ModelInput) -> int:
    return 0 if want.shape is None else len(want.shape)


def _name(want: ModelInput, axis: int) -> str:
    dim = None if want.shape is None else want.shape[axis]
    return dim if isinstance(dim, str) and dim else f"{want.name}[{axis}]"
