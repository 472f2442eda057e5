"""From badness to colour: the worse, the further from the background, through luminance first and hue second."""

from dataclasses import dataclass

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


LIGHT = Scale(((0xE9, 0xEE, 0xF3), (0xF2, 0xC1, 0x4E), (0xE4, 0x57, 0x2E), (0x7B, 0x1E, 0x3A)))
# The ochre is darker and the coral lighter than a designer would pick first: with less difference between them, people
# who see no red or no blue would see the second worst nodes as the worst.
DARK = Scale(((0x2A, 0x32, 0x3C), (0x9A, 0x70, 0x2A), (0xFF, 0x8E, 0x6B), (0xFF, 0xDD, 0xE3)))


def luminance(color: Rgb) -> float:
    """Relative luminance as the accessibility guidelines define it, 0 black to 1 white."""
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
