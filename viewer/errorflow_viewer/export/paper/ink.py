"""Sizes, colours and fonts of a printed report. All lengths are tenths of a point: fonts are whole numbers of them."""

from functools import cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QTextLayout, QTextOption

from errorflow.draw.text import clean
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.style import font

# A4 upright, and what stays white around the text.
WIDTH, HEIGHT = 5953.0, 8419.0
LEFT, TOP, RIGHT, BOTTOM = 480.0, 500.0, 480.0, 620.0
ROOM = WIDTH - LEFT - RIGHT
# Sizes of letters.
TITLE, CHAPTER, HEAD, BODY, SMALL = 200, 140, 110, 95, 80
# Between lines, as a share of the size; between blocks.
LEADING, APART, PAD = 1.38, 80.0, 40.0
TEXT, MUTED, HAIRLINE, WARNING = LIGHT.text, LIGHT.muted, LIGHT.hairline, LIGHT.error.mark
# All that the shipped font surely has.
_LATIN = 0x250


@cache
def letters(size: int, strong: bool = False) -> QFont:
    found = font(size, strong)
    found.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return found


@cache
def color(name: str) -> QColor:
    return QColor(name)


def laid(text: str, size: int, strong: bool, width: float, right: bool = False) -> QTextLayout:
    """The text in lines of that width, the first at 0."""
    layout = QTextLayout(printable(text), letters(size, strong))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    if right:
        option.setAlignment(Qt.AlignmentFlag.AlignRight)
    layout.setTextOption(option)
    layout.beginLayout()
    top = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1.0))
        line.setPosition(QPointF(0.0, top))
        top += size * LEADING
    layout.endLayout()
    return layout


def printable(text: str) -> str:
    """Puts the code in place of each letter that no font here can draw: nothing may vanish."""
    return "".join(each if ord(each) < _LATIN or _is_drawn(each) else f"\\u{ord(each):04x}" for each in clean(text))


@cache
def _is_drawn(letter: str) -> bool:
    layout = QTextLayout(letter, letters(BODY))
    layout.beginLayout()
    layout.createLine().setLineWidth(1e6)
    layout.endLayout()
    return all(0 not in run.glyphIndexes() for run in layout.glyphRuns())
