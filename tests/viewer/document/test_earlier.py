"""Another session that this one is compared with."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import read_session
from errorflow_viewer.commands.verdict_bar import AgainstBar
from errorflow_viewer.document.compared_trial import THIS
from errorflow_viewer.panels.changes.panel import ChangesPanel
from errorflow_viewer.window.window import MainWindow
from since_cases import write_case
from viewer.models import branching_model

BEFORE = {"a": 1e-3, "b": 0.01, "c": 0.02, "d": 0.01}
NOW = {"a": 1e-3, "b": 0.5, "c": 0.001, "e": 0.01}


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return write_case(tmp_path, "yesterday", BEFORE), write_case(tmp_path, "today", NOW)


def opened(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    window.open(path)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)


def compared(window: MainWindow, qtbot: QtBot) -> None:
    def is_known() -> bool:
        findings = window.document.state.findings
        return findings is not None and findings.against is not None

    qtbot.waitUntil(is_known)


def bar_of(window: MainWindow) -> AgainstBar:
    return window.findChildren(AgainstBar)[0]


def test_it_is_measured_painted_and_told(window: MainWindow, qtbot: QtBot, two: tuple[Path, Path]) -> None:
    yesterday, today = two
    opened(window, qtbot, today)
    assert bar_of(window).isHidden()
    window.studies.earlier.compare(yesterday)
    assert not bar_of(window).isHidden()
    compared(window, qtbot)
    findings = window.document.state.findings
    assert findings is not None and findings.against is not None
    assert (findings.name, findings.against.name) == (THIS, "yesterday")
    told = bar_of(window).accessibleName()
    assert "This session against yesterday" in told and "1 worse, 1 better" in told
    assert bar_of(window).turn.isHidden()


def test_the_second_graph_says_that_its_colours_are_not_the_change(
    window: MainWindow, qtbot: QtBot, two: tuple[Path, Path]
) -> None:
    opened(window, qtbot, two[1])
    window.pair.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.pair.second.model is not None and not window.jobs.steps)
    beside = window.pair.beside
    assert beside is not None
    name, seen = SAMPLES[0].model.name, beside.pane.title.name
    assert seen.accessibleName() == name
    window.studies.earlier.compare(two[0])
    compared(window, qtbot)
    assert seen.accessibleName() == f"{name}, painted by error"
    window.studies.earlier.stop()
    qtbot.waitUntil(lambda: seen.accessibleName() == name)


def test_stopping_is_a_step_that_can_be_undone(window: MainWindow, qtbot: QtBot, two: tuple[Path, Path]) -> None:
    opened(window, qtbot, two[1])
    window.studies.earlier.compare(two[0])
    compared(window, qtbot)
    bar_of(window).stop.click()
    findings = window.document.state.findings
    assert findings is not None and findings.against is None and bar_of(window).isHidden()
    assert window.document.undo_text == "Stop comparing with another session"
    window.document.undo()
    compared(window, qtbot)


def test_it_is_kept_in_the_session_and_there_when_that_is_opened(
    window: MainWindow, qtbot: QtBot, two: tuple[Path, Path]
) -> None:
    opened(window, qtbot, two[1])
    window.studies.earlier.compare(two[0])
    window.session_files.save()
    qtbot.waitUntil(lambda: read_session(two[1]).session.since == two[0])
    window.close_model()
    assert window.studies.earlier.path is None
    opened(window, qtbot, two[1])
    compared(window, qtbot)


def test_a_session_opens_without_the_one_that_it_was_compared_with(
    window: MainWindow, qtbot: QtBot, two: tuple[Path, Path]
) -> None:
    opened(window, qtbot, two[1])
    window.studies.earlier.compare(two[0])
    window.session_files.save()
    qtbot.waitUntil(lambda: read_session(two[1]).session.since == two[0])
    window.close_model()
    two[0].unlink()
    opened(window, qtbot, two[1])
    qtbot.waitUntil(lambda: bool(window.studies.earlier.failed))
    assert any(row.notice.key == "since" and row.notice.button for row in window.banners.rows)
    assert "yesterday.errorflow" in bar_of(window).accessibleName()


def test_a_file_that_is_no_session_is_named(
    window: MainWindow, qtbot: QtBot, two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(window, qtbot, two[1])
    wrong = two[1].with_name("wrong.errorflow")
    wrong.write_text("{}", encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **_more: (str(wrong), ""))
    window.session_files.ask_for_earlier()
    qtbot.waitUntil(lambda: "neither a session nor a table" in window.studies.earlier.failed)


def test_changes_are_listed_and_lead_to_their_nodes(window: MainWindow, qtbot: QtBot, two: tuple[Path, Path]) -> None:
    opened(window, qtbot, two[1])
    panel = window.panels.by_key["changes"].content
    assert isinstance(panel, ChangesPanel)
    window.panels.show("changes")
    assert panel.stack.currentWidget() is panel.alone
    window.studies.earlier.compare(two[0])
    compared(window, qtbot)
    qtbot.waitUntil(lambda: panel.stack.currentWidget() is panel.page)
    texts = [[str(panel.table.index(row, column).data()) for column in range(7)] for row in range(4)]
    assert [row[0] for row in texts] == ["worse", "gone", "better", "new"]
    assert texts[0][1] == "b" and texts[0][6].startswith("+")
    assert panel.told.text().startswith("1 tensor got worse, 1 better, 1 the same")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    panel.view.setFocus(Qt.FocusReason.TabFocusReason)
    assert window.document.state.is_bare
    QTest.keyClick(panel.view, Qt.Key.Key_Space)
    graph, node = window.document.graph, window.document.state.node
    assert graph is not None and node is not None and graph.node_names[node] == "b"
    panel.page.choice.setCurrentText("All")
    assert panel.table.rowCount() == 5
    bar_of(window).stop.click()
    qtbot.waitUntil(lambda: panel.stack.currentWidget() is panel.alone)


def test_measuring_can_be_cancelled_and_begun_again(window: MainWindow, qtbot: QtBot, two: tuple[Path, Path]) -> None:
    opened(window, qtbot, two[1])
    panel = window.panels.by_key["changes"].content
    assert isinstance(panel, ChangesPanel)
    window.panels.show("changes")
    window.studies.earlier.compare(two[0])
    window.jobs.cancel("since")
    assert panel.stack.currentWidget() is panel.broken and "cancelled" in bar_of(window).accessibleName()
    panel.again.click()
    compared(window, qtbot)


def test_a_model_alone_says_what_is_missing(window: MainWindow, qtbot: QtBot, two: tuple[Path, Path]) -> None:
    window.document.open(branching_model())
    window.panels.show("changes")
    panel = window.panels.by_key["changes"].content
    assert isinstance(panel, ChangesPanel)
    assert panel.stack.currentWidget() is panel.alone and "save the session" in panel.alone.sentence.text()
    window.studies.earlier.compare(two[0])
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert "Nothing is compared here" in bar_of(window).accessibleName()
    assert panel.stack.currentWidget() is panel.coming
