"""Inputs that a model knows what to do with, made here: lines of text as pictures, and the spectra of sounds."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

from real_models.shipped import sound
from rerun_nets import Array
from run_models import savez

_TEXTS = (
    "total amount",
    "due 2024",
    "street city",
    "order 1987",
    "price tax",
    "email station",
    "open exit",
    "hotel room",
)
_HIGH, _WIDE = 48, 192


def lines_of_text(count: int, seed: int = 0) -> Iterator[tuple[Array, int]]:
    """As the reader of a page cuts them out, every second one upside down: 0, or 1 where it is."""
    dice = np.random.default_rng(seed)
    for number in range(count):
        picture = _line(dice)
        turned = picture.rotate(180) if number % 2 else picture
        pixels = np.asarray(turned, np.float32).transpose(2, 0, 1)[np.newaxis] / 127.5 - 1
        padded = np.zeros((1, 3, _HIGH, _WIDE), np.float32)
        padded[..., : pixels.shape[3]] = pixels
        yield padded, number % 2


def _line(dice: np.random.Generator) -> Image.Image:
    text, font = str(dice.choice(_TEXTS)), ImageFont.load_default(float(dice.integers(26, 34)))
    left, top, right, bottom = (int(end) for end in font.getbbox(text))
    paper, ink = (tuple(dice.integers(low, high, 3).tolist()) for low, high in ((150, 256), (0, 90)))
    picture = Image.new("RGB", (right - left + 12, bottom - top + 12), paper)
    ImageDraw.Draw(picture).text((6 - left, 6 - top), text, font=font, fill=ink)
    grain = np.asarray(picture, np.float32) + dice.normal(0, 4, (picture.height, picture.width, 3))
    rough = Image.fromarray(np.clip(grain, 0, 255).astype(np.uint8))
    wide = min(_WIDE, max(8, picture.width * _HIGH // picture.height))
    return rough.resize((wide, _HIGH), Image.Resampling.BILINEAR)


def spectra(model: Path, count: int, seed: int = 0) -> Iterator[Array]:
    """What the model of spectra makes of tones, as the model behind it takes them."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    dice = np.random.default_rng(seed)
    for _ in range(count):
        (found,) = session.run(None, {"input": sound(dice, 16_000)})
        yield (found.reshape(-1, 32)[:76] / 10 + 2).astype(np.float32)[np.newaxis, ..., np.newaxis]


def saved(folder: Path, name: str, arrays: Iterator[Array]) -> Path:
    """A file for each sample, as the command line takes them."""
    folder.mkdir()
    for number, array in enumerate(arrays):
        savez(folder / f"{number:03}.npz", {name: array})
    return folder
