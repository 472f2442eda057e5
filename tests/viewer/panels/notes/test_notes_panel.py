"""Notes on the session and on nodes."""

import pytest
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from errorflow.base.codec import MOST_LETTERS
from errorflow_viewer.document.node_rows import NAME, rows_of
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.panels.notes.panel import NO_NODE, NotesPanel
from errorflow_viewer.window.window import MainWindow
from table_cells import of_cell
from viewer.models import branching_model


@pytest.fixture
def panel(window: MainWindow) -> NotesPanel:
    window.document.open(branching_model())
    window.panels.show("notes")
    content = window.panels.by_key["notes"].content
    assert isinstance(content, NotesPanel)
    return content


def named(window: MainWindow) -> tuple[int, str]:
    graph = window.document.graph
    assert graph is not None
    return next((node, name) for node, name in enumerate(graph.node_names) if name)


def test_what_is_typed_is_one_step(panel: NotesPanel, window: MainWindow) -> None:
    for letters in ("Build", " 412"):
        panel.session.insertPlainText(letters)
    assert window.document.session.note == "Build 412"
    panel.session.left.emit()
    panel.session.insertPlainText("!")
    window.document.undo()
    assert (window.document.session.note, panel.session.toPlainText()) == ("Build 412", "Build 412")
    window.document.undo()
    assert window.document.session.note == "" and panel.session.toPlainText() == ""


def test_more_than_a_session_can_keep_is_not_taken(panel: NotesPanel, window: MainWindow) -> None:
    panel.session.setPlainText("x" * (MOST_LETTERS + 10))
    assert len(window.document.session.note) == len(panel.session.toPlainText()) == MOST_LETTERS


def test_a_node_gets_a_note_is_listed_marked_and_found(panel: NotesPanel, window: MainWindow) -> None:
    node, name = named(window)
    assert panel.about.text() == NO_NODE and not panel.node.isEnabled()
    window.document.select(node=node)
    panel.node.setPlainText("ask the vendor")
    assert window.document.session.notes == {name: "ask the vendor"}
    assert [panel.table.index(0, column).data() for column in range(2)] == [name, "ask the vendor"]
    graph = window.document.graph
    assert graph is not None
    rows = rows_of(graph)
    assert rows.search("noted:yes").tolist() == [node] and "Note: ask the vendor" in rows.tip(node)
    table = window.panels.nodes.table
    row = table.row_of(node)
    assert row is not None and of_cell(table.index(row, NAME), "marked")
    panel.node.setPlainText(" ")
    assert window.document.session.notes == {} and panel.list.currentWidget() is panel.none


def test_a_click_goes_to_the_node(panel: NotesPanel, window: MainWindow) -> None:
    node, name = named(window)
    window.document.edit("Notes", notes={"/gone": "x", name: "y"})
    window.document.select()
    panel.view.setCurrentIndex(panel.table.index(1, 0))
    assert window.document.state.node == node
    assert panel.node.toPlainText() == "y" and panel.about.text() == f"Note on {name}"
    panel.view.setCurrentIndex(panel.table.index(0, 0))
    assert window.document.state.node == node, "there is no such node"
    panel.remove.click()
    assert window.document.session.notes == {name: "y"}
    window.document.undo()
    assert set(window.document.session.notes) == {name, "/gone"}


def test_the_details_show_the_note_on_the_session(panel: NotesPanel, window: MainWindow) -> None:
    details = window.panels.by_key["details"].content
    assert isinstance(details, DetailsPanel)
    assert "Write a note" in details.plain_text()
    panel.session.setPlainText("Build 412\nworse than 411")
    assert "worse than 411" in details.plain_text()


def test_who_follows_the_link_in_the_details_can_write(panel: NotesPanel, window: MainWindow, qtbot: QtBot) -> None:
    details = window.panels.by_key["details"].content
    assert isinstance(details, DetailsPanel)
    node, name = named(window)
    window.document.edit("Notes", note="Build 412", notes={name: "ask"})
    window.document.select(node=node)
    for field, edit in (("session", panel.session), ("node", panel.node)):
        window.panels.hide("notes")
        details.text.anchorClicked.emit(QUrl(f"notes:{field}"))
        qtbot.waitUntil(edit.hasFocus)
        assert edit.textCursor().atEnd()
