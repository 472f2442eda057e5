"""Pictures as samples: decoded by Pillow, turned as their camera says, resized, normalised, laid out.

A value is (pixel − mean) / std in float32, with pixels from 0 to 255 and mean and std of the channel at that place;
for a model that was trained on pixels from 0 to 1, both are 255 times as large. Of an alpha channel nothing is left, a
model of one channel gets the grey of Pillow's "L".
"""

import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import ErrorflowError, FormatError, UsageError
from errorflow.base.files import Source as File
from errorflow.base.files import is_file
from errorflow.base.values import dataclass, replace
from errorflow.run.model import Array, ModelInput
from errorflow.run.samples.asked import Pictures
from errorflow.run.samples.resizing import NONE, RESIZES, Resize, Singles, pixels
from errorflow.run.samples.sizes import lacking

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
_FORMATS = ("JPEG", "PNG", "BMP", "WEBP")
MAX_BYTES = 256 << 20
MAX_PIXELS = 1 << 26
_CHANNELS = {1: "L", 3: "RGB"}
_AXES = {"NCHW": (1, 2, 3), "NHWC": (3, 1, 2)}
_AGAIN = "Save it as PNG or JPEG with another program."


class Album(Protocol):
    """Album of pictures."""

    @property
    def names(self) -> Sequence[str]: ...

    def data(self, number: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class PictureFolder:
    """Pictures in files."""

    paths: tuple[Path, ...]

    @property
    def names(self) -> Sequence[str]:
        return [path.name for path in self.paths]

    def data(self, number: int) -> bytes:
        with File(self.paths[number], head=0) as file:
            if file.size > MAX_BYTES:
                raise FormatError(f"{file.name} has {file.size:,} bytes, more than a picture may have.", _AGAIN)
            return file.read(0, file.size)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Recipe by which a picture becomes the array of a model's input."""

    pictures: Pictures
    want: ModelInput
    # Of one picture; None: as the picture is.
    height: int | None
    width: int | None
    channels: int
    resize: Resize | None

    @classmethod
    def of(cls, want: ModelInput, pictures: Pictures) -> "Recipe":
        """Raises where the model's shape does not say what is wanted."""
        layout = _layout(want, pictures)
        shape = want.shape
        assert shape is not None  # a layout was found in it
        channels, height, width = (shape[axis] for axis in _AXES[layout])
        if channels not in _CHANNELS:
            raise UsageError(
                f"Pictures have 1 or 3 channels, and in the layout {layout} the model wants {want.text}.",
                "Say another layout with --layout, or give arrays in .npy files.",
            )
        _check_numbers(pictures, int(str(channels)))
        row = _resize_row(pictures.resize)
        sides = height if isinstance(height, int) else None, width if isinstance(width, int) else None
        if pictures.resize != NONE and None in sides:
            raise lacking(want, ", or --resize none to take each picture as large as it is")
        return cls(replace(pictures, layout=layout), want, *sides, int(str(channels)), row)

    def array(self, data: bytes, name: str) -> Singles:
        """Makes an array of one picture, without the dimension of the batch."""
        picture = decoded(data, name, _CHANNELS[self.channels])
        values: NDArray[Any] = self._sized(picture, name)
        if self.pictures.colour == "bgr":
            values = values[:, :, ::-1]
        if self.pictures.mean:
            values = values - np.asarray(self.pictures.mean, np.float32)
        if self.pictures.std:
            values = values / np.asarray(self.pictures.std, np.float32)
        ordered = values if self.pictures.layout == "NHWC" else values.transpose(2, 0, 1)
        return np.ascontiguousarray(ordered, np.float32)

    def _sized(self, picture: Any, name: str) -> Singles:
        if self.resize is not None and self.height is not None and self.width is not None:
            return self.resize.resize(picture, self.height, self.width)
        right = self.height in (None, picture.height) and self.width in (None, picture.width)
        if not right:
            raise UsageError(
                f"{name} is {picture.width} × {picture.height} pixels, and the model wants {self.want.text}.",
                f"Say how it is to be resized: --resize {', '.join(row.key for row in RESIZES)}.",
            )
        return pixels(picture)


@dataclass(frozen=True, slots=True)
class PictureSource:
    """A source: as many pictures per sample as the model takes at once."""

    album: Album
    recipe: Recipe
    batch: int

    @property
    def count(self) -> int:
        return len(self.album.names) // self.batch

    def name(self, number: int) -> str:
        first, last = number * self.batch, (number + 1) * self.batch - 1
        names = self.album.names
        return names[first] if first == last else f"{names[first]} … {names[last]}"

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:  # noqa: ARG002 - as every source is called
        return {}

    def read(self, number: int) -> Mapping[str, Array]:
        names = self.album.names
        places = range(number * self.batch, (number + 1) * self.batch)
        arrays = [self.recipe.array(self.album.data(place), names[place]) for place in places]
        values: Array = np.stack(arrays)
        kind = self.recipe.want.dtype
        if kind in _WHOLE:
            ends = np.iinfo(kind)
            values = np.clip(np.rint(values), ends.min, ends.max).astype(kind)
        return {self.recipe.want.name: values}


_WHOLE = ("uint8", "int8", "int16", "uint16", "int32", "int64")


def picture_source(album: Album, want: ModelInput, pictures: Pictures) -> PictureSource:
    recipe = Recipe.of(want, pictures)
    first = None if want.shape is None else want.shape[0]
    return PictureSource(album, recipe, first if isinstance(first, int) else 1)


def is_picture(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and is_file(path)


def _layout(want: ModelInput, pictures: Pictures) -> str:
    """Chooses the layout of the user, or the one in which the channels of a picture are where the model has 1 or 3."""
    if want.shape is None or len(want.shape) != 4:
        raise UsageError(
            f"Pictures are for inputs of four dimensions, and the model wants {want.text}.",
            "Give arrays in .npy files.",
        )
    if pictures.layout:
        return pictures.layout
    possible = [key for key, axes in _AXES.items() if want.shape[axes[0]] in _CHANNELS]
    if len(possible) != 1:
        raise UsageError(
            f"Where the channels are cannot be told from the model's shape: {want.text}.",
            "Say --layout NCHW or --layout NHWC.",
        )
    return possible[0]


def _check_numbers(pictures: Pictures, channels: int) -> None:
    for name, numbers in (("mean", pictures.mean), ("std", pictures.std)):
        if len(numbers) not in (0, 1, channels) or not np.isfinite(numbers).all():
            raise UsageError(
                f"--{name} has {len(numbers)} numbers, and the model's pictures {channels} channels.",
                "Give one number, or one per channel.",
            )
    if 0 in pictures.std:
        raise UsageError("--std is what pixels are divided by and cannot be 0.", "Give 1 to leave them as they are.")


def _resize_row(key: str) -> Resize | None:
    if key in ("", NONE):
        return None
    row = next((row for row in RESIZES if row.key == key), None)
    if row is None:
        known = ", ".join(row.key for row in RESIZES)
        raise UsageError(f"There is no way to resize called “{key[:40]}”.", f"There are: {known}, {NONE}.")
    return row


def decoded(data: bytes, name: str, mode: str) -> Any:
    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise UsageError(
            "Pictures as inputs need Pillow, which is not installed.",
            "Install it with `pip install errorflow[images]`.",
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is odd in a picture's head does not hinder anybody
            with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
                if picture.width * picture.height > MAX_PIXELS:
                    raise FormatError(
                        f"{name} has {picture.width:,} × {picture.height:,} pixels; {MAX_PIXELS:,} is the most.", _AGAIN
                    )
                return ImageOps.exif_transpose(picture).convert(mode)
    except ErrorflowError:
        raise
    except Exception as error:  # decoders raise whatever they like for broken pictures
        raise FormatError(f"{name} is no picture that can be read.", _AGAIN) from error
