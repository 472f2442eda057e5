"""Sizes of boxes: estimated from what is written in them, so that no font is needed."""

import numpy as np

from errorflow.layout.drawing import Floats

HEIGHT = 28.0
NARROWEST = 48.0
CHARACTER = 7.0
BROAD, MORE = frozenset("mwMW"), 2.0  # letters that take more, or Gemm would have no room for its mark
MARGIN = 20.0
LONGEST = 28  # characters; longer names lose their middle, …
LONGEST_TYPE = 40  # … operator types and groups later


def shortened(name: str, longest: int = LONGEST) -> str:
    """The name, or its beginning and its end."""
    if len(name) <= longest:
        return name
    head = (longest - 1) // 2
    return f"{name[:head]}…{name[len(name) - (longest - 1 - head) :]}"


def width(label: str) -> float:
    """A multiple of 4, so that halves are whole."""
    wide = 0 if label.isascii() else sum(ord(character) >= 0x1100 and character != "…" for character in label)
    broad = sum(character in BROAD for character in label)
    room = (len(label) + wide) * CHARACTER + broad * MORE + MARGIN
    return max(NARROWEST, float(-(-room // 4) * 4))


def widths(labels: list[str]) -> Floats:
    known: dict[str, float] = {}
    for label in labels:
        if label not in known:
            known[label] = width(label)
    return np.array([known[label] for label in labels], np.float64)
