"""Words of the panel: methods, pictures, and hints that would name options of the command line."""

import re
from collections.abc import Mapping

from errorflow.base.values import dataclass
from errorflow.run.samples.asked import Pictures
from errorflow_viewer.kit.wording import in_window

# By the key of the method of calibration.
METHODS_TOLD: Mapping[str, str] = {
    "minmax": "From the smallest to the largest value of all samples. Nothing is clipped, and a single outlier makes "
    "every step coarse.",
    "moving-average": "Ends that follow those of each sample by a hundredth. One odd sample counts little.",
    "percentile": "All but one value in a hundred thousand, as ONNX Runtime has it. Rare outliers are clipped.",
    "percentile-99.995": "All but 5 values in a hundred thousand. The mildest that Horizon's tools try.",
    "percentile-99.99": "All but one value in ten thousand, as Horizon's tools try it.",
    "percentile-99.95": "All but 5 values in ten thousand, as Horizon's tools try it.",
    "percentile-99.9": "All but one value in a thousand: much is clipped for fine steps. The boldest that Horizon's "
    "tools try.",
    "mse": "The range whose codes make the least squared error, between clipping and coarse steps. The nearest to "
    "AMCT's search.",
    "entropy": "The range that keeps most of how values are spread (Kullback-Leibler), as KL of Horizon and TensorRT.",
}
PERCENTILE = "All but a few outermost values, which are clipped."


def method_told(key: str) -> str:
    return METHODS_TOLD.get(key, PERCENTILE)


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """A usual way to make arrays of pictures."""

    label: str
    pictures: Pictures


_IMAGENET = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
PREPROCESSINGS: tuple[Preprocessing, ...] = (
    Preprocessing("ImageNet (torchvision)", Pictures(*_IMAGENET, resize="imagenet-crop")),
    Preprocessing("ImageNet numbers, stretched", Pictures(*_IMAGENET, resize="stretch-bilinear")),
    Preprocessing("0 … 1, stretched", Pictures((), (255.0,), resize="stretch-bilinear")),
    Preprocessing("0 … 1, letterbox (YOLO)", Pictures((), (255.0,), resize="letterbox")),
    Preprocessing("−1 … 1, stretched", Pictures((127.5,), (127.5,), resize="stretch-bilinear")),
    Preprocessing("0 … 255, stretched", Pictures(resize="stretch-bilinear")),
)

# Hints of the engine name options; in this panel the fields stand below. What is not here is worded as everywhere.
_FIELDS: tuple[tuple[str, str], ...] = (
    (r"Say it with --dim [^.]*?, or --resize none[^.]*\.", "Fill in the sizes below, or choose not to resize."),
    (r"Say it with --dim .*", "Fill in the sizes below."),
    (r"Say how it is to be resized: .*", "Choose below how pictures are resized."),
    (r"Say --layout .*|Say another layout with --layout", "Choose the layout below"),
)


def in_panel(text: str) -> str:
    """Writes a sentence of the engine for a panel, which has fields in place of options."""
    for option, words in _FIELDS:
        text = re.sub(option, words, text)
    return in_window(text)


def numbers_text(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def parsed_numbers(text: str) -> tuple[float, ...] | None:
    """Parses numbers; None: something in it is no number."""
    try:
        return tuple(float(part) for part in re.split(r"[,;\s]+", text.strip()) if part)
    except ValueError:
        return None
