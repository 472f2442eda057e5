"""The list of what the app did."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.explain.findings.test_select import findings
from errorflow.graph.model import Model
from errorflow_viewer.kit.logs import MOST_LETTERS, MOST_LINES, RECENT, Logs
from errorflow_viewer.panels.log import LogPanel
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.models import branching_model

SOURCE = logging.getLogger("errorflow_viewer.tests")


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Logs]:
    logs = Logs(tmp_path / "state")
    RECENT.clear()
    logs.start()
    yield logs
    logs.stop()
    RECENT.clear()


@pytest.fixture
def panel(logs: Logs, window: MainWindow) -> LogPanel:
    content = window.panels.by_key["log"].content
    assert isinstance(content, LogPanel)
    window.panels.show("log")
    return content


def texts(panel: LogPanel) -> list[str]:
    panel.refresh()
    return [panel.lines.index(row, 0).data().partition("  ")[2] for row in range(panel.lines.rowCount())]


def test_it_is_not_there_at_the_first_start(window: MainWindow) -> None:
    assert not window.panels.is_shown("log")


def test_before_anything_happened_it_says_what_will_be_here(panel: LogPanel) -> None:
    RECENT.clear()
    panel.refresh()
    assert panel.stack.currentWidget() is panel.nothing


def test_what_was_opened_and_compared_is_a_line_with_the_time(panel: LogPanel, window: MainWindow) -> None:
    found = findings()
    window.document.open(Model(Path("/models/found.onnx"), "ONNX model", found.graph))
    window.document.take_case(case_with(found.comparison))
    window.document.close()
    said = [text for text in texts(panel) if not text.startswith("warning")]
    assert said[0] == "Opened /models/found.onnx (ONNX model, 6 nodes)"
    assert "Compared two runs: 4 tensors measured, 2 not" in said
    assert said[-1] == "Closed the model"
    assert panel.lines.index(0, 0).data()[2] == ":"


def test_problems_of_a_file_are_counted_where_it_was_opened(panel: LogPanel, window: MainWindow) -> None:
    window.document.open(branching_model())
    assert any(text.endswith("6 nodes, 1 problem)") for text in texts(panel))


def test_while_runs_are_compared_nothing_is_said_of_them(panel: LogPanel, window: MainWindow) -> None:
    window.document.open(branching_model())
    window.document.take_case(case_with(findings().comparison, complete=False))
    assert not any("Compared" in text for text in texts(panel))


def test_new_lines_appear_while_it_is_seen(panel: LogPanel, qtbot: QtBot) -> None:
    SOURCE.warning("something is odd")
    qtbot.waitUntil(lambda: any("something is odd" in line.text for line in panel.lines.items))


def test_a_hidden_panel_looks_for_nothing(panel: LogPanel, window: MainWindow) -> None:
    assert panel._pace.isActive()
    window.panels.hide("log")
    assert not panel._pace.isActive()


@pytest.mark.parametrize(("level", "expected"), [(0, 3), (1, 2), (2, 1)])
def test_lines_are_narrowed_by_level(panel: LogPanel, level: int, expected: int) -> None:
    RECENT.clear()
    for log in (SOURCE.info, SOURCE.warning, SOURCE.error):
        log("a line")
    panel.level.setCurrentIndex(level)
    assert len(texts(panel)) == expected
    assert panel.count.text() == ("3 lines" if expected == 3 else f"{expected} of 3 lines")


def test_lines_are_narrowed_by_words_and_the_way_back_is_offered(panel: LogPanel) -> None:
    RECENT.clear()
    SOURCE.info("opened a model")
    SOURCE.info("compared two runs")
    panel.search.setText("MODEL opened")
    assert texts(panel) == ["opened a model"]
    panel.search.setText("nothing like it")
    assert texts(panel) == [] and panel.stack.currentWidget() is panel.no_match
    panel.no_match.button.click()
    assert len(texts(panel)) == 2


def test_warnings_and_errors_say_so_in_word_and_colour(panel: LogPanel) -> None:
    RECENT.clear()
    SOURCE.info("fine")
    SOURCE.warning("odd")
    SOURCE.error("bad")
    assert texts(panel) == ["fine", "warning: odd", "error: bad"]
    colours = [panel.lines.index(row, 0).data(Qt.ItemDataRole.ForegroundRole) for row in range(3)]
    assert colours[0] is None and colours[1] != colours[2]


def test_a_trace_is_one_line_and_whole_in_tooltip_and_copy(panel: LogPanel) -> None:
    RECENT.clear()
    SOURCE.error("first\nsecond")
    assert texts(panel) == ["error: first"]
    assert panel.lines.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "first\nsecond"
    QGuiApplication.clipboard().clear()
    QTest.keyClick(panel.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().endswith("error: first\nsecond\n")


def test_only_the_last_lines_are_kept_and_none_without_end(panel: LogPanel) -> None:
    for number in range(MOST_LINES + 10):
        SOURCE.info("line %s %s", number, "x" * (MOST_LETTERS if number == MOST_LINES else 1))
    found = texts(panel)
    assert len(found) == MOST_LINES and found[0].startswith("line 10 ")
    assert max(len(line.text) for line in panel.lines.items) == MOST_LETTERS


def test_clearing_empties_the_list_and_not_the_file(panel: LogPanel, logs: Logs) -> None:
    SOURCE.info("stays in the file")
    panel.title_buttons[2].click()
    assert texts(panel) == [] and panel.stack.currentWidget() is panel.nothing
    assert "stays in the file" in logs.file.read_text("utf-8")
