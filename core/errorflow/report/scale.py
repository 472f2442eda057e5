"""From badness to colour: the worse, the further from the background, through luminance first and hue second."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from errorflow.session.model import Palette

Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Scale:
    """Colours at equal steps of badness from 0 to 1."""

    stops: tuple[Rgb, ...]

    def color(self, badness: float) -> Rgb:
        place = min(max(badness, 0.0), 1.0) * (len(self.stops) - 1)
        low = min(int(place), len(self.stops) - 2)
        part = place - low
        return tuple(round(a + (b - a) * part) for a, b in zip(self.stops[low], self.stops[low + 1], strict=True))  # type: ignore[return-value]  # three numbers in, three out

    def hex(self, badness: float) -> str:
        return "#{:02X}{:02X}{:02X}".format(*self.color(badness))


def _scale(*stops: str) -> Scale:
    return Scale(tuple((int(stop[1:3], 16), int(stop[3:5], 16), int(stop[5:], 16)) for stop in stops))


LIGHT = _scale("#E9EEF3", "#F2C14E", "#E4572E", "#7B1E3A")
# The worst is the lightest and glows all the same: near white it would look like the frame of a selection. What is less
# bad is therefore darker than a designer would pick first.
DARK = _scale("#2A323C", "#6B5423", "#A85C1E", "#FF7452")

# On light and on dark ground. Each begins near the ground and goes away from it, for every kind of colour vision.
SCALES: Mapping[Palette, tuple[Scale, Scale]] = MappingProxyType(
    {
        "ember": (LIGHT, DARK),
        "blue-orange": (
            _scale("#E9EEF3", "#9CC0E0", "#E8812A", "#6B2A06"),
            _scale("#2A323C", "#2F5C8A", "#B07A48", "#FFA024"),
        ),
        "single": (
            _scale("#E9EEF3", "#E3A79B", "#C24F40", "#5C1014"),
            _scale("#2A323C", "#704441", "#B5514A", "#FF7466"),
        ),
    }
)


def scale_of(palette: Palette, dark: bool) -> Scale:
    return SCALES[palette][1 if dark else 0]


def luminance(color: Rgb) -> float:
    """Relative luminance as the accessibility guidelines define it, 0 black to 1 white."""
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
