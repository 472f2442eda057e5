"""What stands round a drawing on its page: margins, title, and a line below the title."""

from dataclasses import dataclass

from errorflow.report.text import fitted, line, width

# Text sizes in px, as in the window.
LABEL, NOTE, TITLE = 11, 12, 14
# Between the page's edge and the drawing, which has a margin of its own.
_MARGIN = 8.0
TEXT_LEFT = 24.0
TITLE_BASE, NOTE_BASE = 32.0, 50.0
_BELOW_TEXT = 4.0
# A text is cut off where it is longer than this and wider than the drawing.
_LONGEST = 640.0


@dataclass(frozen=True, slots=True)
class Frame:
    """A page: the texts as far as they fit, where the drawing begins, and the size of it all in px."""

    title: str
    note: str
    left: float
    top: float
    width: float
    height: float

    @classmethod
    def of(
        cls, size: tuple[float, float], title: str = "", note: str = "", foot: float = 0.0, least: float = 0.0
    ) -> "Frame":
        """A page for a drawing of that size, with some room below it, and of some width. No title: no head."""
        across = size[0] + 2 * _MARGIN
        room = max(across - 2 * TEXT_LEFT, _LONGEST)
        head = fitted(line(title), TITLE, room)
        below = fitted(line(note), NOTE, room) if head else ""
        base = NOTE_BASE if below else TITLE_BASE
        top = base + _BELOW_TEXT if head else _MARGIN
        texts = max(width(head, TITLE), width(below, NOTE)) + 2 * TEXT_LEFT if head else 0.0
        page = max(across, texts, least)
        return cls(head, below, (page - size[0]) / 2, top, page, top + size[1] + foot + _MARGIN)
