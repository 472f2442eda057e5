"""Numbers as shades: values from the background to the text's colour, differences to both sides of the background."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from errorflow_viewer.kit.look import Theme

Doubles = NDArray[np.float64]
_STEPS = 256


def value_image(values: Doubles, low: float, high: float, theme: Theme) -> QImage:
    """`low` has the background's colour, `high` the text's; what is no number has that of an overflow."""
    return _image(values, low, high, value_ramp(theme), theme)


def difference_image(values: Doubles, largest: float, theme: Theme) -> QImage:
    """Zero has the background's colour, smaller the accent, larger that of an error."""
    return _image(values, -largest, largest, difference_ramp(theme), theme)


def value_ramp(theme: Theme) -> Doubles:
    """Red, green and blue of each shade, from the lowest value to the highest."""
    return _ramp(theme.surface, theme.text)


def difference_ramp(theme: Theme) -> Doubles:
    """The same of differences; zero is in the middle."""
    half = _STEPS // 2
    return np.concatenate(
        [_ramp(theme.accent, theme.surface)[::2][:half], _ramp(theme.surface, theme.error.mark)[::2][:half]]
    )


def ramp_image(theme: Theme, difference: bool) -> QImage:
    """Draws all shades in a row, for a legend."""
    values = np.linspace(-1, 1, _STEPS)[None, :]
    return difference_image(values, 1, theme) if difference else value_image(values, -1, 1, theme)


def _ramp(first: str, last: str) -> Doubles:
    ends = np.array([_rgb(first), _rgb(last)], np.float64)
    share = np.linspace(0, 1, _STEPS)[:, None]
    found: Doubles = ends[0] * (1 - share) + ends[1] * share
    return found


def _rgb(name: str) -> tuple[int, int, int]:
    color = QColor(name)
    return color.red(), color.green(), color.blue()


def _image(values: Doubles, low: float, high: float, ramp: Doubles, theme: Theme) -> QImage:
    fine = np.isfinite(values)
    span = high / 2 - low / 2
    with np.errstate(all="ignore"):
        share = (np.where(fine, values, low) / 2 - low / 2) / span if span > 0 else np.full(values.shape, 0.5)
    places = np.clip(np.nan_to_num(share) * (_STEPS - 1) + 0.5, 0, _STEPS - 1).astype(np.intp)
    pixels = np.empty((*values.shape, 4), np.uint8)
    pixels[..., :3] = ramp[places][..., ::-1]
    pixels[~fine, :3] = _rgb(theme.overflow)[::-1]
    pixels[..., 3] = 255
    rows, columns = values.shape
    # A copy, since the picture outlives the array.
    return QImage(pixels.tobytes(), columns, rows, columns * 4, QImage.Format.Format_RGB32).copy()
