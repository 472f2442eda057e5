"""What became of each tensor, as rows to search and sort."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.language import joined, said
from errorflow.case.regression.lines import KINDS, Line, Since
from errorflow.case.regression.text import change_text, verdicts_text
from errorflow_viewer.panels.lines.rows import UNMEASURED, Bools, Choice, Errors, Floats, LineRows
from errorflow_viewer.panels.lines.table import Columns

KIND, TENSOR, TYPE, BEFORE, NOW, VERDICT, CHANGE = range(7)
SHORT = {"worse": "worse", "better": "better", "gone": "gone", "new": "new", "same": "same"}
COLUMNS = Columns(
    ("What", "Tensor", "Type", "Before", "Now", "Verdict", "Change"),
    wide=(TENSOR,),
    names=(TENSOR,),
    error=CHANGE,
    note=f"Worse is where the error grew; {UNMEASURED}: not measured in both.",
    none="Nothing is compared with.",
)


@dataclass(frozen=True, eq=False)
class ChangeRows(LineRows[Line]):
    """In the order of `Since`: the worst first."""

    # Before and now of each line, as text.
    numbers: tuple[tuple[str, str], ...] = ()
    since: Since | None = field(default=None)

    @classmethod
    def of(cls, since: Since) -> "ChangeRows":
        metric = since.change.metric
        numbers = tuple(
            (
                UNMEASURED if line.kind == "new" else metric.text(line.before),
                UNMEASURED if line.kind == "gone" else metric.text(line.now),
            )
            for line in since.lines
        )
        return cls(since.lines, numbers=numbers, since=since)

    def cell(self, row: int, column: int) -> str:
        line = self.lines[row]
        if column in (BEFORE, NOW):
            return self.numbers[row][column - BEFORE]
        return (SHORT[line.kind], line.name, line.op_type, "", "", verdicts_text(line))[column]

    def words(self, line: Line) -> str:
        return " ".join((KINDS[line.kind].label, line.name, line.op_type, verdicts_text(line), *line.notes))

    def tip(self, row: int) -> str:
        line, numbers = self.lines[row], " → ".join(self.numbers[row])
        label = "" if self.since is None else f"{self.since.change.metric.label}: "
        about = (f"{label}{numbers}", verdicts_text(line), *line.notes, KINDS[line.kind].why)
        told = (*about, "An output of the model." if line.is_output else "")
        return joined("\n", (line.name, *map(said, filter(None, told))))

    def steps_back(self, row: int, column: int) -> bool:
        return self.lines[row].kind == "same" or column in (TYPE, BEFORE)

    def stands_out(self, row: int, column: int) -> bool:
        """Outputs, which is what the user of the model sees."""
        return column == TENSOR and self.lines[row].is_output

    def errors(self) -> Errors | None:
        if self.since is None:
            return None
        values = np.array([line.change for line in self.lines], np.float64)
        both = np.array([line.kind not in ("new", "gone") for line in self.lines], bool)
        notes = {row: "; ".join(line.notes) for row, line in enumerate(self.lines) if line.notes}
        scale = replace(self.since.change.scale, label="Change")  # of what, is said by both numbers beside it
        return ChangeErrors(scale, values, both, self.since.change.title, notes, since=self.since, lines=self.lines)

    def rows_of(self, node: int | None, tensor: int | None) -> list[int]:
        """Those that are about what is selected."""
        if node is None and tensor is None:
            return []
        hits = self._nodes == node if node is not None else self._tensors == tensor
        return [int(row) for row in np.flatnonzero(hits)]

    @cached_property
    def kinds(self) -> NDArray[np.str_]:
        return np.array([line.kind for line in self.lines], np.str_)

    @cached_property
    def _nodes(self) -> Ints:
        return np.array([line.node for line in self.lines], np.int32)

    @cached_property
    def _tensors(self) -> Ints:
        return np.array([line.tensor for line in self.lines], np.int32)

    def order(self, column: int) -> Ints:
        """Numbers by what they are, not by how they are written."""
        if column not in (BEFORE, NOW):
            return super().order(column)
        values: Floats = np.array([line.before if column == BEFORE else line.now for line in self.lines], np.float64)
        return np.argsort(values, kind="stable").astype(np.int32)  # what is no number comes last

    def prepare(self) -> "ChangeRows":
        """With the caches filled that the first look needs."""
        self.search("-")
        self.rows_of(0, None)
        return self


@dataclass(frozen=True, eq=False)
class ChangeErrors(Errors):
    """What got worse has a colour beside it, the stronger the more."""

    since: Since | None = None
    lines: tuple[Line, ...] = ()

    def text(self, row: int) -> str:
        told = "" if self.since is None else change_text(self.since, self.lines[row])
        return told if told else UNMEASURED

    def badness(self, row: int) -> float | None:
        line = self.lines[row]
        if line.kind != "worse":
            return None
        found = super().badness(row)
        return 1.0 if found is None or math.isnan(found) else found


def _of_kind(kind: str) -> Callable[[ChangeRows], Bools]:
    return lambda rows: rows.kinds == kind


# Which rows can be shown. To add one: a row here.
CHOICES: tuple[Choice[ChangeRows], ...] = (
    Choice("What changed", lambda rows: rows.kinds != "same", "Nothing became worse or better: all is as it was."),
    Choice("Worse", _of_kind("worse"), "Nothing became worse."),
    Choice("Better", _of_kind("better"), "Nothing became better."),
    Choice("Not measured any more", _of_kind("gone"), "All that was measured before is measured now."),
    Choice("Newly measured", _of_kind("new"), "Nothing is measured now that was not before."),
    Choice("Outputs", lambda rows: np.array([line.is_output for line in rows.lines], bool), "No output was measured."),
    Choice("All", lambda rows: np.ones(len(rows), bool)),
)
