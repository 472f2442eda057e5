"""Frame round a drawing on its page: margins, title, lines below the title, and lines at the foot."""

from collections.abc import Iterator, Sequence

from errorflow.base.values import dataclass
from errorflow.draw.text import fitted, line, width, wrapped

# Text sizes in px, as in the window.
LABEL, NOTE, TITLE = 11, 12, 14
# Between the page's edge and the drawing, which has a margin of its own.
_MARGIN = 8.0
TEXT_LEFT = 24.0
TITLE_BASE, NOTE_BASE = 32.0, 50.0
# From one line of text to the next, in the head and at the foot; from what is above the foot to its first base.
_LINE, _FOOT_LINE, _FOOT_BASE = 18.0, 16.0, 20.0
_BELOW_TEXT = 4.0
# A text is cut off where it is longer than this and wider than the drawing, and so is what takes more lines.
_LONGEST, _MOST_LINES = 640.0, 4


@dataclass(frozen=True, slots=True)
class Frame:
    """A page: the texts as far as they fit, where the drawing begins, and the size of it all in px."""

    title: str
    note: str
    left: float
    top: float
    width: float
    height: float
    # What was compared, below the note.
    told: tuple[str, ...] = ()
    # When, and by what; at the foot of the page, below the legend.
    end: tuple[str, ...] = ()
    # Where that which stands below the drawing begins, and how high it is without the foot.
    below: float = 0.0
    room_below: float = 0.0

    @classmethod
    def of(
        cls,
        size: tuple[float, float],
        title: str = "",
        note: str = "",
        foot: float = 0.0,
        least: float = 0.0,
        told: Sequence[str] = (),
        end: str = "",
    ) -> "Frame":
        """A page for a drawing of that size, with some room below it, and of some width. No title: no head."""
        across = size[0] + 2 * _MARGIN
        room = max(across, least, _LONGEST + 2 * TEXT_LEFT) - 2 * TEXT_LEFT
        head = fitted(line(title), TITLE, room)
        note = fitted(line(note), NOTE, room) if head else ""
        lines = _broken(told, NOTE, room) if head else ()
        last = _broken((end,), LABEL, room)
        texts = [width(head, TITLE), width(note, NOTE), *(width(text, NOTE) for text in lines)]
        texts += [width(text, LABEL) for text in last]
        top = _MARGIN if not head else TITLE_BASE + _BELOW_TEXT + _LINE * (bool(note) + len(lines))
        page = max(across, max(texts) + 2 * TEXT_LEFT if head or last else 0.0, least)
        below = top + size[1] + _MARGIN
        height = below + foot + (_FOOT_BASE - LABEL + _FOOT_LINE * len(last) if last else 0.0)
        return cls(head, note, (page - size[0]) / 2, top, page, height, lines, last, below, foot)

    def lines_of_head(self) -> Iterator[tuple[float, str]]:
        """Base and text of what stands below the title."""
        texts = (*((self.note,) if self.note else ()), *self.told)
        for number, text in enumerate(texts):
            yield NOTE_BASE + _LINE * number, text

    def lines_of_foot(self) -> Iterator[tuple[float, str]]:
        """Base and text of what stands below all else."""
        for number, text in enumerate(self.end):
            yield self.below + self.room_below - _MARGIN + _FOOT_BASE + _FOOT_LINE * number, text


def _broken(texts: Sequence[str], size: float, room: float) -> tuple[str, ...]:
    return tuple(part for text in texts if text for part in wrapped(line(text), size, room, _MOST_LINES))
