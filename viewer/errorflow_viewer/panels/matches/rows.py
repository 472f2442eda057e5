"""A match as rows to search and sort: pairs in their order, then left-overs of which only the name is known."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.language import joined, said
from errorflow.base.values import dataclass
from errorflow.compare.match.by_hand import RULE
from errorflow.compare.match.rules import RULE_OF
from errorflow.graph.describe import shape_text, stored_text
from errorflow.graph.dump import TensorInfo
from errorflow_viewer.panels.lines.rows import UNMEASURED, Bools, Errors, LineRows, RowChoice
from errorflow_viewer.panels.lines.table import Columns

if TYPE_CHECKING:
    from errorflow.compare.match.model import Match, Pair
    from errorflow.compare.metrics.metric import Scale
    from errorflow.compare.model import Comparison
    from errorflow.explain.findings.model import Findings

CANDIDATE, SHAPE, REFERENCE, OTHER_SHAPE, ERROR, RULE_COLUMN, NOTE = range(7)
COLUMNS = Columns(
    ("Candidate", "Shape", "Reference", "Shape", "Error", "Rule", "Note"),
    wide=(CANDIDATE, REFERENCE),
    names=(CANDIDATE, REFERENCE),
    error=ERROR,
    note=f"Of the pair; {UNMEASURED}: not measured.",
    none="This metric was not measured.",
    reasons=NOTE,
)
# What stands before a shape that differs from the candidate's.
DIFFERS = "≠ "
_ONLY_CANDIDATE, _ONLY_REFERENCE = "only in the candidate", "only in the reference"


@dataclass(frozen=True, slots=True)
class MatchLine:
    """Names are "" where that side is missing; `number` is the pair's in the match, -1: there is only a name."""

    candidate: str
    reference: str
    rule: str
    note: str
    number: int
    # The candidate's operator has nothing that could be compared.
    empty: bool = False
    # Of both sides; None: not known.
    shapes: tuple[TensorInfo | None, TensorInfo | None] = (None, None)

    @property
    def differs(self) -> bool:
        """Whether both tensors have shapes, and not the same."""
        mine, golden = self.shapes
        return mine is not None and golden is not None and _shape(mine) != _shape(golden)


_TWO = 2


@dataclass(frozen=True, eq=False)
class MatchRows(LineRows[MatchLine]):
    """Pairs, then what is left over."""

    # What they are of; None: of nothing that was compared.
    match: "Match | None" = None

    @classmethod
    def of(cls, match: "Match") -> "MatchRows":
        lines = [_line(number, pair) for number, pair in enumerate(match.pairs)]
        mine = {line.candidate for line in lines}
        theirs = {line.reference for line in lines}
        lines += [MatchLine(name, "", "", _ONLY_CANDIDATE, -1) for name in match.only_candidate if name not in mine]
        lines += [MatchLine("", name, "", _ONLY_REFERENCE, -1) for name in match.only_reference if name not in theirs]
        return cls(tuple(lines), match=match)

    def cell(self, row: int, column: int) -> str:
        line = self.lines[row]
        if column == RULE_COLUMN:
            return rule_text(line.rule)
        if column in (SHAPE, OTHER_SHAPE):
            info = line.shapes[column == OTHER_SHAPE]
            return "" if info is None else shape_text(_shape(info))
        return line.candidate if column == CANDIDATE else line.reference if column == REFERENCE else line.note

    def shown(self, row: int, column: int) -> str:
        text = self.cell(row, column)
        return f"{DIFFERS}{text}" if column == OTHER_SHAPE and self.lines[row].differs else text

    def words(self, line: MatchLine) -> str:
        return " ".join((line.candidate, line.reference, rule_text(line.rule), line.note))

    def tip(self, row: int) -> str:
        """Writes both names in full, how they are stored, and why they belong together."""
        line = self.lines[row]
        why = RULE_OF[line.rule].why if line.rule in RULE_OF else ""
        told = [stored_text(info) if info is not None else "" for info in line.shapes]
        differs = "The shapes differ." if line.differs else ""
        texts = (said(told[0]), line.reference, *map(said, (told[1], differs, why, line.note)))
        return joined("\n", filter(None, (line.candidate, *texts)))

    def steps_back(self, row: int, column: int) -> bool:
        line = self.lines[row]
        return line.empty or column in (RULE_COLUMN, NOTE) or (column in (SHAPE, OTHER_SHAPE) and not line.differs)

    def stands_out(self, row: int, column: int) -> bool:
        return column in (SHAPE, OTHER_SHAPE) and self.lines[row].differs

    def errors(self, comparison: "Comparison", scale: "Scale") -> Errors:
        """Finds what was measured of each pair by one metric."""
        values, measured = np.full(len(self), np.nan), np.zeros(len(self), bool)
        notes: dict[int, str] = {}
        for row, line in enumerate(self.lines):
            found = comparison.rows[line.number] if line.number >= 0 else None
            if found is not None and scale.key in found.values:
                values[row], measured[row] = found.values[scale.key], True
            elif found is not None and found.note and found.note != line.note:
                notes[row] = found.note
        return Errors(scale, values, measured, comparison.measure, notes)

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
    def differing(self) -> Bools:
        return np.array([line.differs for line in self.lines], bool)

    def prepare(self) -> "MatchRows":
        """Prepares the caches that the first look needs."""
        for choice in CHOICES:
            choice.holds(self)
        self.search("-")
        for column in (CANDIDATE, REFERENCE):
            self.order(column)
        return self


# Which rows can be shown. To add one: a row here.
CHOICES: tuple[RowChoice[MatchRows], ...] = (
    RowChoice("All", lambda rows: np.ones(len(rows), bool), "The two runs have no tensors that could be compared."),
    RowChoice("Left over", lambda rows: ~rows.paired, "Nothing is left over: every tensor found its partner."),
    RowChoice("Pairs", lambda rows: rows.paired, "No tensor found a partner; bring two together by hand."),
    RowChoice("Shapes differ", lambda rows: rows.differing, "Both tensors of every pair have the same shape."),
    RowChoice("Guesses", lambda rows: rows.guessed, "No pair is a guess."),
    RowChoice("By hand", lambda rows: rows.by_hand, "Nothing was matched by hand: select two rows, then Match."),
)


def rule_text(rule: str) -> str:
    if rule not in RULE_OF:
        return ""
    row = RULE_OF[rule]
    return row.label if row.certain else f"{row.label} (a guess)"


def pair_of(lines: Sequence[MatchLine]) -> tuple[str, str] | None:
    """The candidate and the reference that are to be brought together; None: these two rows are no such pair.

    What is left over is meant first; of two pairs the candidate of the first and the reference of the second.
    """
    if len(lines) != _TWO:
        return None
    first, second = lines
    for mine, golden in ((first, second), (second, first)):
        left_over = not mine.reference or not golden.candidate
        if mine.candidate and golden.reference and not mine.empty and left_over:
            return mine.candidate, golden.reference
    if first.candidate and second.reference and not first.empty:
        return first.candidate, second.reference
    return None


def lack_of(lines: Sequence[MatchLine]) -> str:
    """Says what is missing where `pair_of` finds no pair."""
    if len(lines) != _TWO:
        chosen = "Two rows are needed" if len(lines) < _TWO else f"{len(lines):,} rows are selected, two are needed"
        return f"{chosen}: one of the candidate, one of the reference (Ctrl+click selects both)."
    empty = next((line for line in lines if line.empty), None)
    if empty is not None:
        return f"{empty.candidate} has no tensor that could be matched."
    side, other = (
        ("reference", "candidate") if not any(line.candidate for line in lines) else ("candidate", "reference")
    )
    return f"Both rows are of the {side}: one has to be of the {other}."


def nodes_of(findings: "Findings", count: int) -> Ints:
    """Finds for each row of the comparison the node that it is about; -1: none."""
    found = np.full(count, -1, np.int32)
    about = findings.placed.about
    counts = np.fromiter(map(len, about.values()), np.int64, len(about))
    numbers = np.fromiter(chain.from_iterable(about.values()), np.int64, int(counts.sum()))
    tensors = np.fromiter(about, np.int64, len(about))
    found[numbers] = np.repeat(findings.graph.producers[tensors], counts)
    for (node, _), number in findings.placed.read.items():
        found[number] = node
    return found


def _line(number: int, pair: "Pair") -> MatchLine:
    mine = "" if pair.candidate is None else pair.tensor
    golden = "" if pair.reference is None else pair.reference.info.name
    if not mine and not golden:
        return MatchLine(pair.tensor, "", "", pair.note, number, empty=True)
    infos = (
        None if pair.candidate is None else pair.candidate.info,
        None if pair.reference is None else pair.reference.info,
    )
    return MatchLine(mine, golden, pair.rule if mine and golden else "", pair.note, number, shapes=infos)


def _shape(info: TensorInfo) -> tuple[int, ...]:
    """Finds the shape as the model means it: an NPU stores tensors in other layouts."""
    return info.shape if info.original_shape is None else info.original_shape
