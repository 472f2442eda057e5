"""Files of the runs that could not be read: what is in them was not compared, however good the rest is."""

from collections.abc import Iterator
from pathlib import PurePath

from errorflow.base.values import dataclass
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Row

# What the note of a row says of the file that holds one side of it.
_CUT_OFF = " is cut off"


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """An unreadable file. `text` begins with its name; `side` is candidate or reference, "" where that is unknown."""

    text: str
    side: str = ""


def unreadable(match: Match, rows: tuple[Row, ...]) -> tuple[UnreadableFile, ...]:
    """Lists all unreadable files; `rows` stand in the order of the pairs."""
    return tuple(dict.fromkeys(_found(match, rows)))


def _found(match: Match, rows: tuple[Row, ...]) -> Iterator[UnreadableFile]:
    for problem in match.problems:
        # Of a folder or an archive: about one file of it, in place of what it holds.
        if problem.where and problem.text.startswith(f"{problem.where} "):
            yield UnreadableFile(problem.text, problem.side)
    for pair, row in zip(match.pairs, rows, strict=False):
        if _CUT_OFF in row.note:
            yield UnreadableFile(row.note, _side(pair, row.note))


def _side(pair: Pair, note: str) -> str:
    """The one that there is nothing of, else the one whose file is named."""
    if pair.broken:
        return pair.broken
    if (pair.candidate is None) != (pair.reference is None):
        return "candidate" if pair.candidate is None else "reference"
    named = [
        side
        for side, stored in (("candidate", pair.candidate), ("reference", pair.reference))
        if stored is not None and note.startswith(f"{PurePath(stored.path).name} ")
    ]
    return named[0] if len(named) == 1 else ""
