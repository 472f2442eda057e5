"""Sizes for what a model leaves open in an input that is made up."""

from collections.abc import Iterator

import numpy as np

from errorflow.graph.model import Dim
from errorflow.run.model import STORED_AS, ModelInput

# Height and width of what may be an image, in the order in which they are tried; 1 is the last resort.
SIDES = (64, 224, 640, 1)
# Of any other dimension, such as the length of a text, and of the channels where a model leaves even these open.
_LENGTH, _CHANNELS = 16, 3
_IMAGE_RANK = 4
_BATCH = "batch"


def filled(want: ModelInput, known: dict[Dim, int], side: int) -> tuple[int, ...]:
    """The shape of an input, whose sizes with a name are added to `known`: 1 for the batch, `side` for height and width
    of what may be an image, a few for what is neither. With a `side` of 1, everything is 1."""
    dims = () if want.shape is None else want.shape
    shape = []
    for dim, guess in zip(dims, _guesses(want, side), strict=True):
        size = dim if isinstance(dim, int) else known.get(dim, guess) if dim is not None else guess
        if isinstance(dim, str):
            known[dim] = size
        shape.append(size)
    return tuple(shape)


def is_open(want: ModelInput) -> bool:
    return want.shape is None or not all(isinstance(dim, int) for dim in want.shape)


def _guesses(want: ModelInput, side: int) -> Iterator[int]:
    dims = () if want.shape is None else want.shape
    image = len(dims) == _IMAGE_RANK and _is_float(want.dtype)
    no_channels = image and not any(isinstance(dim, int) for dim in dims[1:])
    for axis, dim in enumerate(dims):
        if axis == 0 or side == 1 or (isinstance(dim, str) and _BATCH in dim.lower()):
            yield 1
        elif no_channels and axis == 1:
            yield _CHANNELS
        else:
            yield side if image else _LENGTH


def _is_float(dtype: str) -> bool:
    stored = STORED_AS.get(dtype, dtype)
    return stored in np.sctypeDict and np.dtype(stored).kind == "f"
