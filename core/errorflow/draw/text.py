"""Text in a picture that is written without a font at hand: how wide it gets, and what of it fits."""

import re

# Inter's advance widths of the printable ASCII characters, in thousandths of the size.
_WIDTHS = (
    281, 278, 403, 631, 638, 812, 639, 222, 362, 362, 500, 659, 280, 460, 276, 357, 648, 648, 648, 648,
    648, 648, 648, 648, 648, 648, 276, 280, 659, 659, 659, 507, 936, 676, 651, 727, 719, 598, 587, 743,
    740, 264, 543, 652, 562, 889, 753, 761, 635, 761, 639, 638, 642, 741, 676, 949, 642, 665, 625, 362,
    357, 362, 469, 452, 497, 564, 621, 558, 621, 582, 361, 609, 591, 237, 237, 544, 237, 869, 585, 597,
    609, 609, 372, 523, 364, 581, 557, 812, 540, 557, 541, 362, 327, 362, 659,
)  # fmt: skip
_FIRST = 0x20
# Other letters; those of East Asia fill a square.
_OTHER, _SQUARE, _EAST_ASIA = 660, 1000, 0x1100
ELLIPSIS = "…"
# How high a capital is, in text heights.
CAPITAL = 0.727
# What XML 1.0 does not allow, and what would break a line.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_BREAKS = re.compile("[\t\r\n\u2028\u2029]+")


def clean(text: str) -> str:
    """The text with a sign in place of every character that no XML file may hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def line(text: str) -> str:
    """The same on one line."""
    return clean(_BREAKS.sub(" ", text))


def width(text: str, size: float) -> float:
    """Estimates how wide a text gets in Inter, or a font like it."""
    return sum(map(_width, text)) * size / 1000


def _width(character: str) -> int:
    place = ord(character) - _FIRST
    if 0 <= place < len(_WIDTHS):
        return _WIDTHS[place]
    return _OTHER if ord(character) < _EAST_ASIA or character == ELLIPSIS else _SQUARE


def wrapped(text: str, size: float, room: float, most: int) -> tuple[str, ...]:
    """The text in lines that fit, broken between words, or within one that is too long; the last line is cut off."""
    lines: list[str] = []
    left = text
    while left and len(lines) < most - 1:
        end = _end_of_line(left, size, room)
        lines.append(left[:end].rstrip())
        left = left[end:].lstrip()
    return (*lines, fitted(left, size, room)) if left else tuple(lines)


def _end_of_line(text: str, size: float, room: float) -> int:
    """Finds after how many characters it is broken."""
    taken, between = 0.0, 0
    for place, character in enumerate(text):
        taken += _width(character) * size / 1000
        if taken > room:
            return between if between else max(place, 1)
        if character == " ":
            between = place + 1
    return len(text)


def shortened(text: str, size: float, room: float) -> str:
    """The same without its middle: ends of names tell more."""
    if width(text, size) <= room:
        return text
    keep = len(text) - 1
    while keep > 2 and width(_ends(text, keep), size) > room:
        keep -= 1
    return _ends(text, keep)


def _ends(text: str, keep: int) -> str:
    return text[: keep // 3] + ELLIPSIS + text[len(text) - (keep - keep // 3) :]


def fitted(text: str, size: float, room: float) -> str:
    """The text, or as much of its beginning as there is room for."""
    if width(text, size) <= room:
        return text
    left = room * 1000 / size - _width(ELLIPSIS)
    kept = 0
    for character in text:
        left -= _width(character)
        if left < 0:
            break
        kept += 1
    return text[:kept].rstrip() + ELLIPSIS


# Letters: how much room texts of one size take, reckoned, or by a window's own font.

# Of the size: how high a line is, and the part of it above the base.
_HEIGHT, _ASCENT = 1.21, 0.969


class Letters:
    """Letters of a size in px."""

    def __init__(self, size: float) -> None:
        self.size = size

    @property
    def height(self) -> float:
        return _HEIGHT * self.size

    @property
    def ascent(self) -> float:
        return _ASCENT * self.size

    def width(self, text: str) -> float:
        return width(text, self.size)

    def fitted(self, text: str, room: float) -> str:
        """The text, or as much of it as there is room for."""
        return fitted(text, self.size, room)

    def shortened(self, text: str, room: float) -> str:
        """The same without its middle."""
        return shortened(text, self.size, room)


LETTERS = Letters(11)
