"""A match as rows to search and sort: pairs in their order, then left-overs of which only the name is known."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import Ints
from errorflow.findings.text_index import TextIndex
from errorflow.match.by_hand import RULE
from errorflow.match.rules import RULE_OF

if TYPE_CHECKING:
    from errorflow.findings.model import Findings
    from errorflow.match.model import Match, Pair

CANDIDATE, REFERENCE, RULE_COLUMN, NOTE = range(4)
COLUMNS = ("Candidate", "Reference", "Rule", "Note")
Bools = NDArray[np.bool_]
_NUMBER = re.compile(r"\d+")
_ONLY_CANDIDATE, _ONLY_REFERENCE = "only in the candidate", "only in the reference"


@dataclass(frozen=True, slots=True)
class Line:
    """Names are "" where that side is missing; `number` is the pair's in the match, -1: there is only a name."""

    candidate: str
    reference: str
    rule: str
    note: str
    number: int
    # The candidate's operator has nothing that could be compared.
    empty: bool = False


@dataclass(frozen=True, eq=False)
class MatchRows:
    """Nothing here changes, so a job may make it and fill the caches."""

    lines: tuple[Line, ...]
    _orders: dict[int, Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, match: "Match") -> "MatchRows":
        lines = [_line(number, pair) for number, pair in enumerate(match.pairs)]
        mine = {line.candidate for line in lines}
        theirs = {line.reference for line in lines}
        lines += [Line(name, "", "", _ONLY_CANDIDATE, -1) for name in match.only_candidate if name not in mine]
        lines += [Line("", name, "", _ONLY_REFERENCE, -1) for name in match.only_reference if name not in theirs]
        return cls(tuple(lines))

    def __len__(self) -> int:
        return len(self.lines)

    def cell(self, row: int, column: int) -> str:
        line = self.lines[row]
        if column == RULE_COLUMN:
            return rule_text(line.rule)
        return (line.candidate, line.reference, "", line.note)[column]

    def search(self, text: str, choice: "Choice") -> Bools:
        """Every word of the text stands in one of the cells."""
        keep = choice.holds(self)
        for word in text.split():
            keep = keep & self._index.containing(word)
        return keep

    def order(self, column: int) -> Ints:
        """All rows, sorted by a column; numbers in names count as such, and empty cells come last."""
        if column not in self._orders:
            cells = [self.cell(row, column).lower() for row in range(len(self))]
            keys = [_NUMBER.sub(lambda found: found[0].zfill(10), cell) for cell in cells]
            order = sorted(range(len(keys)), key=lambda row: (not keys[row], keys[row]))
            self._orders[column] = np.array(order, np.int32)
        return self._orders[column]

    @cached_property
    def paired(self) -> Bools:
        return np.array([bool(line.rule) for line in self.lines], bool)

    @cached_property
    def by_hand(self) -> Bools:
        return np.array([line.rule == RULE for line in self.lines], bool)

    @cached_property
    def guessed(self) -> Bools:
        return np.array([line.rule in RULE_OF and not RULE_OF[line.rule].certain for line in self.lines], bool)

    @cached_property
    def _index(self) -> TextIndex:
        return TextIndex(
            [" ".join((one.candidate, one.reference, rule_text(one.rule), one.note)) for one in self.lines]
        )

    def prepare(self) -> "MatchRows":
        """With the caches filled that the first look needs."""
        for choice in CHOICES:
            choice.holds(self)
        self._index.containing("-")
        for column in (CANDIDATE, REFERENCE):
            self.order(column)
        return self


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows are shown. To add one: a row in CHOICES."""

    text: str
    holds: Callable[[MatchRows], Bools]


CHOICES: tuple[Choice, ...] = (
    Choice("All", lambda rows: np.ones(len(rows), bool)),
    Choice("Left over", lambda rows: ~rows.paired),
    Choice("Pairs", lambda rows: rows.paired),
    Choice("Guesses", lambda rows: rows.guessed),
    Choice("By hand", lambda rows: rows.by_hand),
)


def rule_text(rule: str) -> str:
    if rule not in RULE_OF:
        return ""
    row = RULE_OF[rule]
    return row.label if row.certain else f"{row.label} (a guess)"


def tip(line: Line) -> str:
    """Both names in full, and why they belong together."""
    why = RULE_OF[line.rule].why if line.rule in RULE_OF else ""
    return "\n".join(text for text in (line.candidate, line.reference, why, line.note) if text)


def pair_of(lines: Sequence[Line]) -> tuple[str, str] | None:
    """The candidate and the reference that are to be brought together; None: these two rows are no such pair.

    What is left over is meant first; of two pairs the candidate of the first and the reference of the second.
    """
    if len(lines) != 2:
        return None
    first, second = lines
    for mine, golden in ((first, second), (second, first)):
        left_over = not mine.reference or not golden.candidate
        if mine.candidate and golden.reference and not mine.empty and left_over:
            return mine.candidate, golden.reference
    if first.candidate and second.reference and not first.empty:
        return first.candidate, second.reference
    return None


def nodes_of(findings: "Findings", count: int) -> Ints:
    """For each row of the comparison the node that it is about; -1: none."""
    found = np.full(count, -1, np.int32)
    about = findings.placed.about
    counts = np.fromiter(map(len, about.values()), np.int64, len(about))
    numbers = np.fromiter(chain.from_iterable(about.values()), np.int64, int(counts.sum()))
    tensors = np.fromiter(about, np.int64, len(about))
    found[numbers] = np.repeat(findings.graph.producers[tensors], counts)
    for (node, _), number in findings.placed.read.items():
        found[number] = node
    return found


def _line(number: int, pair: "Pair") -> Line:
    mine = "" if pair.candidate is None else pair.tensor
    golden = "" if pair.reference is None else pair.reference.info.name
    if not mine and not golden:
        return Line(pair.tensor, "", "", pair.note, number, empty=True)
    return Line(mine, golden, pair.rule if mine and golden else "", pair.note, number)
