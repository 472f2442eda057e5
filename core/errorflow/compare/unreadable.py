"""Files of the runs that could not be read: what is in them was not compared, however good the rest is."""

from collections.abc import Iterator

from errorflow.compare.model import Row
from errorflow.match.model import Match

# What the note of a row says of the file that holds one side of it.
_CUT_OFF = " is cut off"


def unreadable(match: Match, rows: tuple[Row, ...]) -> tuple[str, ...]:
    """A sentence about each of them, which begins with its name."""
    return tuple(dict.fromkeys(_said(match, rows)))


def _said(match: Match, rows: tuple[Row, ...]) -> Iterator[str]:
    for problem in match.problems:
        # Of a folder or an archive: about one file of it, in place of what it holds.
        if problem.where and problem.text.startswith(f"{problem.where} "):
            yield problem.text
    yield from (row.note for row in rows if _CUT_OFF in row.note)
