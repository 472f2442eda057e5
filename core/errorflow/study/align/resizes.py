"""Ways of resizing by which a pipeline's input came of a picture: each is tried on the picture itself."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.run.samples.pictures import MAX_BYTES, decoded
from errorflow.run.samples.resizing import RESIZES, Singles, pixels
from errorflow.study.align.explain import explain
from errorflow.study.align.model import Cause

Array = NDArray[np.generic]
# Pixels of 0 to 255 that were rounded somewhere are off by this at most.
_STEP = 0.5
# A way is told as nearest if it explains so much.
_NEAR = 0.98


@dataclass(frozen=True, slots=True)
class ResizeWay:
    """One way to bring a picture to a size."""

    text: str
    resize: Callable[[Any, int, int], Singles]


def _by_pillow(name: str, picture: Any, height: int, width: int) -> Singles:
    from PIL.Image import Resampling

    return pixels(picture.resize((width, height), Resampling[name]))


def _sampled(rows: Callable[[int, int], Any], picture: Any, height: int, width: int) -> Singles:
    """Mixed linearly at places that a rule gives."""
    values = pixels(picture)
    (first, second, down), (left, right, aside) = (
        _between(rows(size, wanted), size) for size, wanted in zip(values.shape[:2], (height, width), strict=True)
    )
    tall = values[first] * (1 - down)[:, None, None] + values[second] * down[:, None, None]
    found: Singles = tall[:, left] * (1 - aside)[:, None] + tall[:, right] * aside[:, None]
    return found


def _between(at: Any, size: int) -> tuple[Any, Any, Any]:
    first = np.clip(np.floor(at), 0, size - 1).astype(np.intp)
    return first, np.minimum(first + 1, size - 1), (np.clip(at, 0, size - 1) - first).astype(np.float32)


def _nearest(picture: Any, height: int, width: int) -> Singles:
    values = pixels(picture)
    rows, columns = (
        np.arange(wanted) * size // wanted for size, wanted in zip(values.shape[:2], (height, width), strict=True)
    )
    found: Singles = values[rows][:, columns]
    return found


WAYS: tuple[ResizeWay, ...] = (
    *(ResizeWay(row.text, row.resize) for row in RESIZES),
    ResizeWay(
        "bilinear with aligned corners: pixel i looks at i · (in − 1) / (out − 1)",
        partial(_sampled, lambda size, wanted: np.linspace(0, size - 1, wanted)),
    ),
    ResizeWay(
        "bilinear without half-pixel centres: pixel i looks at i · in / out",
        partial(_sampled, lambda size, wanted: np.arange(wanted) * size / wanted),
    ),
    ResizeWay("nearest: pixel i is pixel ⌊i · in / out⌋, as OpenCV's INTER_NEAREST", _nearest),
    ResizeWay("Pillow's NEAREST", partial(_by_pillow, "NEAREST")),
    ResizeWay("Pillow's BICUBIC", partial(_by_pillow, "BICUBIC")),
    ResizeWay("Pillow's LANCZOS", partial(_by_pillow, "LANCZOS")),
    ResizeWay("Pillow's BOX, the mean of the area", partial(_by_pillow, "BOX")),
)


@dataclass(frozen=True, slots=True)
class InputRecipe:
    """Way in which an input was made of a picture."""

    text: str
    cause: Cause


def picture_of(path: str) -> Any:
    with Source(path, head=0) as file:
        data = file.read(0, min(file.size, MAX_BYTES))
        return decoded(data, file.name, "RGB")


def made_by(picture: Any, values: Array, progress: Progress = SILENT) -> InputRecipe | None:
    """The way that explains most of the input; None: none of them does."""
    found: list[tuple[float, ResizeWay, Cause]] = []
    for height, width in _sizes(values.shape):
        for number, way in enumerate(WAYS):
            progress.step(number, len(WAYS), "Trying ways to resize")
            made = way.resize(picture, height, width)[np.newaxis]
            cause = explain(made, values.reshape(1, *values.shape[-3:]), _STEP * _unit(values), "input")
            if cause is not None and "resize" not in cause.keys and cause.explains >= _NEAR:
                found.append((cause.remains, way, cause))
            elif cause is None and np.array_equal(made, values):
                found.append((0.0, way, Cause((), (), 1.0, True, 0.0)))
    if not found:
        return None
    _, way, cause = min(found, key=lambda each: each[0])
    return InputRecipe(way.text, cause)


def _sizes(shape: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Height and width of one picture; channels are three."""
    if len(shape) not in (3, 4) or (len(shape) == 4 and shape[0] != 1):
        return
    first, second, third = shape[-3:]
    if first == 3:
        yield second, third
    if third == 3:
        yield first, second


def _unit(values: Array) -> float:
    """Estimates what one of 255 steps is here."""
    spread = float(np.ptp(values.astype(np.float64)))
    return spread / 255 if spread else 1.0
