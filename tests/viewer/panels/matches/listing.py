"""A list of matches in the window, and how one looks at it and picks from it."""

from dataclasses import replace

from PySide6.QtCore import QItemSelection, QItemSelectionModel

from errorflow.compare.match.model import Match, Pair, Sources
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import Row
from errorflow_viewer.panels.matches.panel import MatchesPanel
from errorflow_viewer.panels.matches.rows import NOTE
from errorflow_viewer.window.window import MainWindow
from stored_tensors import Made, made_pair


def match() -> Match:
    """t1 … t5 have partners; t6 of the candidate and t7 of the reference have none; t9 is only a name."""
    pairs = (
        *(made_pair(seed) for seed in range(1, 5)),
        replace(made_pair(5), rule="written-name"),
        Pair("t6", Made(6, noise=0.1), None, note="only in the candidate"),
        Pair("t7", None, Made(7), note="only in the reference"),
    )
    runs = Sources(reference={"t9": Made(9)}.get)
    return Match(pairs, only_reference=("t7", "t9"), only_candidate=("t6",), sources=runs)


def panel_of(window: MainWindow) -> MatchesPanel:
    content = window.panels.by_key["matches"].content
    assert isinstance(content, MatchesPanel)
    return content


def names(panel: MatchesPanel) -> list[tuple[str, str]]:
    lines = [panel.table.line_at(row) for row in range(panel.table.rowCount())]
    return [(line.candidate, line.reference) for line in lines if line is not None]


def rows_of(window: MainWindow) -> tuple[Row, ...]:
    comparison = window.document.comparison
    assert comparison is not None
    return comparison.rows


def metric(key: str) -> Scale:
    return next(each for each in METRICS if each.key == key)


def pick(panel: MatchesPanel, *wanted: tuple[str, str]) -> None:
    """As clicks with Ctrl held after the first one."""
    flags = QItemSelectionModel.SelectionFlag
    for place, pair in enumerate(wanted):
        row = names(panel).index(pair)
        one = QItemSelection(panel.table.index(row, 0), panel.table.index(row, NOTE))
        panel.view.selectionModel().select(one, flags.Select if place else flags.ClearAndSelect)
