"""The methods of calibration for one tensor, as the model of lists has them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.compare.metrics import METRICS
from errorflow.explain.inspect.figure import short_text
from errorflow_viewer.kit.tables.column import Column, Listing
from errorflow_viewer.kit.tables.table import TableModel

if TYPE_CHECKING:
    from errorflow.study.simulate.methods import Judged

COLUMNS = ("Method", "Low", "High", "Clipped", "SQNR")
METHOD, LOW, HIGH, CLIPPED, SQNR = range(len(COLUMNS))
# Before the method that is used.
USED = "✓"
# Goes without saying before a number of per cent; in full it is in the tip.
COMMON = "Percentile "
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
_TIPS = (
    "How the range is found",
    "Where the range begins",
    "Where the range ends",
    "The share of the values seen in calibration that lie beyond it",
    f"Expected of codes of this tensor alone, on the values seen in calibration · {_SQNR.label} · {_SQNR.formula}",
)


class RangesTable(TableModel["Judged"]):
    """One row per method; the best one is said, and the one that is used."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.best = self.used = ""
        self.show_rows((), "", "")

    def show_rows(self, rows: "Sequence[Judged]", best: str, used: str) -> None:
        self.best, self.used = best, used
        columns = (
            self._column(METHOD, self._name, lambda row: row.method.label),
            self._column(LOW, lambda row: short_text(row.low), lambda row: row.low),
            self._column(HIGH, lambda row: short_text(row.high), lambda row: row.high),
            self._column(CLIPPED, lambda row: f"{row.clipped:.2%}", lambda row: row.clipped, "Share clipped"),
            self._column(SQNR, _sqnr, lambda row: row.sqnr, "Expected SQNR (dB)"),
        )
        self.show(Listing(rows, columns))

    def _column(
        self, at: int, text: "Callable[[Judged], str]", exact: "Callable[[Judged], object]", full_title: str = ""
    ) -> "Column[Judged]":
        return Column(
            COLUMNS[at],
            text,
            _TIPS[at],
            full_title,
            is_number=at != METHOD,
            is_name=at == METHOD,
            exact=exact,
            cell_tip=self._tip if at == METHOD else _exact,
            strong=lambda row: row.method.key == self.best,
        )

    def _tip(self, row: "Judged") -> str:
        said = [word for word, key in (("best", self.best), ("used", self.used)) if key == row.method.key]
        name = f"{row.method.label} ({', '.join(said)})" if said else row.method.label
        return f"{name}: {row.method.formula}"

    def _name(self, row: "Judged") -> str:
        name = row.method.label.removeprefix(COMMON)
        return f"{USED} {name}" if row.method.key == self.used else name


def _sqnr(row: "Judged") -> str:
    return "–" if row.sqnr != row.sqnr else _SQNR.text(row.sqnr)


def _exact(row: "Judged") -> str:
    return f"{row.low!r} … {row.high!r}, {row.clipped:.6%} clipped, {row.sqnr!r} dB"
