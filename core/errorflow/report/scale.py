"""Scale from badness to colour: the worse, the further from the background, through luminance first and hue second."""

from collections.abc import Mapping
from types import MappingProxyType

from errorflow.base.values import dataclass
from errorflow.case.session.model import Palette

Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ColorScale:
    """Colours at equal steps of badness from 0 to 1."""

    stops: tuple[Rgb, ...]

    def color(self, badness: float) -> Rgb:
        place = min(max(badness, 0.0), 1.0) * (len(self.stops) - 1)
        low = min(int(place), len(self.stops) - 2)
        part = place - low
        return tuple(round(a + (b - a) * part) for a, b in zip(self.stops[low], self.stops[low + 1], strict=True))  # type: ignore[return-value]  # three numbers in, three out

    def hex(self, badness: float) -> str:
        return "#{:02X}{:02X}{:02X}".format(*self.color(badness))


def _scale(*stops: str) -> ColorScale:
    return ColorScale(tuple((int(stop[1:3], 16), int(stop[3:5], 16), int(stop[5:], 16)) for stop in stops))


LIGHT = _scale("#E9EEF3", "#F2C14E", "#E4572E", "#7B1E3A")
# The worst is the lightest and glows all the same: near white it would look like the frame of a selection. What is less
# bad is therefore darker than a designer would pick first.
DARK = _scale("#2A323C", "#6B5423", "#A85C1E", "#FF7452")

# On light and on dark ground. Each begins near the ground and goes away from it, for every kind of colour vision.
SCALES: Mapping[Palette, tuple[ColorScale, ColorScale]] = MappingProxyType(
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
# The same for what became better, from the ground on, where worse is painted in the palette's own colours: blue is what
# all kinds of colour vision tell from them.
_BETTER: Mapping[Palette, tuple[ColorScale, ColorScale]] = MappingProxyType(
    {
        "ember": (
            _scale("#E9EEF3", "#9CC6E8", "#3D87C4", "#0E3566"),
            _scale("#2A323C", "#2B4E73", "#3B7DB8", "#79C4FF"),
        ),
        "blue-orange": (
            _scale("#E9EEF3", "#9CC0E0", "#3F7FBF", "#0B2F63"),
            _scale("#2A323C", "#2F5C8A", "#3F86C4", "#7CC4FF"),
        ),
        "single": (
            _scale("#E9EEF3", "#A4C8D6", "#468CA6", "#0B3E54"),
            _scale("#2A323C", "#2C5668", "#3D8AA5", "#70D0EE"),
        ),
    }
)
# Worse in the palette that has blue for what is not so bad.
_WORSE: Mapping[Palette, tuple[ColorScale, ColorScale]] = MappingProxyType(
    {
        **SCALES,
        "blue-orange": (
            _scale("#E9EEF3", "#F0C090", "#E8812A", "#6B2A06"),
            _scale("#2A323C", "#6E5030", "#B97428", "#FFA024"),
        ),
    }
)
# A scale from better over the same to worse has so many steps; so many in the middle are the ground.
_STEPS, _SAME = 13, 3


def scale_of(palette: Palette, dark: bool) -> ColorScale:
    return SCALES[palette][1 if dark else 0]


def change_scale_of(palette: Palette, dark: bool) -> ColorScale:
    """Makes a scale from better (0) over the same (0.5) to worse (1); what is no change worth a word is the ground."""
    number = 1 if dark else 0
    better, worse = _BETTER[palette][number], _WORSE[palette][number]
    side = (_STEPS - _SAME) // 2
    parts = [step / side for step in range(1, side + 1)]
    left, right = (tuple(scale.color(part) for part in parts) for scale in (better, worse))
    return ColorScale((*left[::-1], *(better.stops[0],) * _SAME, *right))


def luminance(color: Rgb) -> float:
    """Relative luminance as the accessibility guidelines define it, 0 black to 1 white."""
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
