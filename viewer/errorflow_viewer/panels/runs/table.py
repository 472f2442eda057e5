"""The runs as the model of lists has them."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from errorflow.study.simulate.trial import Trial
from errorflow_viewer.kit.tables.column import Column, Listing
from errorflow_viewer.kit.tables.table import EditedModel
from errorflow_viewer.panels.runs.rows import RunColumn, RunRows

# What stands before the names of the run on view, and of the one that it is compared with; the best number is bold.
ON_VIEW, AGAINST = "▶ ", "⇄ "
BEST = "Bold: the best of the runs that can be compared"
# Who reads aloud hears words.
_SAID = {ON_VIEW: "on view", AGAINST: "compared with"}


class RunTable(EditedModel[Trial]):
    """Names are edited in place: `renamed` is told the old and the new one."""

    def __init__(self, renamed: Callable[[str, str], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._renamed = renamed
        self.rows = RunRows(())

    def show_rows(self, rows: RunRows) -> None:
        self.rows = rows
        first, *others = rows.columns
        self.show(Listing(rows.listed, [self._names(first), *map(self._column, others)]))

    def mark(self, trial: Trial) -> str:
        if trial.name == self.rows.now:
            return ON_VIEW
        return AGAINST if trial.name == self.rows.against else ""

    def _names(self, column: RunColumn) -> Column[Trial]:
        rows = self.rows

        def spoken(trial: Trial) -> str:
            mark = self.mark(trial)
            return f"{trial.name}, {_SAID[mark]}" if mark else trial.name

        return Column(
            column.title,
            lambda trial: f"{self.mark(trial)}{trial.name}",
            column.tip,
            exact=lambda trial: trial.name,
            cell_tip=rows.tip,
            strong=lambda trial: trial.name == rows.now,
            spoken=spoken,
            edited=lambda trial: "" if trial is rows.float_model else trial.name,
            edit=self._rename,
        )

    def _column(self, column: RunColumn) -> Column[Trial]:
        rows, value = self.rows, column.value
        best = rows.best(column) if rows.trials else frozenset()

        def text(trial: Trial) -> str:
            return column.text(rows, trial)

        return Column(
            column.title,
            text,
            column.tip,
            is_number=value is not None,
            exact=text if value is None else lambda trial: _exact(value(trial), text(trial)),
            cell_tip=lambda trial: f"{BEST}\n{rows.tip(trial)}" if trial.name in best else rows.tip(trial),
            muted=None if value is None else lambda trial: not rows.is_comparable(trial, column),
            strong=lambda trial: trial.name in best,
            spoken=lambda trial: f"{text(trial)}, the best" if trial.name in best else text(trial),
        )

    def _rename(self, trial: Trial, wanted: str) -> bool:
        return trial is not self.rows.float_model and self._renamed(trial.name, wanted)


def _exact(value: float, text: str) -> float | str:
    """A value that is none is said as the table says it."""
    return text if value != value else value
