"""What holds for every panel."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLineEdit, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels import PANELS
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.window.window import MainWindow
from viewer.lending import SHARED, Prepare
from viewer.models import branching_model

ALL = pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return lambda window, qtbot: window.document.open(branching_model())


def test_an_empty_panel_has_a_sentence_and_no_empty_button(window: MainWindow) -> None:
    for panel in PANELS:
        for empty in window.panels.by_key[panel.key].findChildren(Empty):
            assert empty.sentence.text().endswith("."), panel.key
            assert empty.button.isHidden() is not bool(empty.button.text()), panel.key


@SHARED
@ALL
def test_everything_that_takes_the_keyboard_has_a_name(panel: Panel, window: MainWindow) -> None:
    dock = window.panels.by_key[panel.key]
    dock.content.ensurePolished()  # asked for, it is made
    kinds: tuple[type[QWidget], ...] = (QAbstractItemView, QLineEdit, QTextEdit)
    widgets = [widget for kind in kinds for widget in dock.findChildren(kind)]
    assert widgets or dock.findChildren(Empty)
    assert all(widget.accessibleName() for widget in widgets)
    own = [button for button in dock.findChildren(QAbstractButton) if button.objectName() != "qt_toolbar_ext_button"]
    nameless = [b for b in own if not (b.accessibleName() or b.text() or "Qt" in type(b.parentWidget()).__name__)]
    assert [
        b for b in nameless if b.isVisible() and b.width() > 0 and not isinstance(b.parentWidget(), QLineEdit)
    ] == []


@SHARED
@ALL
def test_a_panel_can_be_hidden_and_shown(panel: Panel, window: MainWindow, qtbot: QtBot) -> None:
    window.panels.hide(panel.key)
    window.panels.toggle(panel.key)
    qtbot.waitUntil(lambda: window.panels.is_in_front(panel.key))
    window.panels.toggle(panel.key)
    assert not window.panels.is_shown(panel.key)


@pytest.mark.parametrize(("size", "dock", "graph"), [((1600, 1000), 280, 500), ((1280, 720), 200, 330)])
def test_lists_below_the_graph_have_rows_and_the_graph_its_room(
    size: tuple[int, int], dock: int, graph: int, window: MainWindow, qtbot: QtBot
) -> None:
    """In the larger window six rows, below title, search and head."""
    window.document.open(branching_model())
    window.resize(*size)
    window.panels.arrange()
    profile = window.panels.by_key["profile"]
    qtbot.waitUntil(lambda: profile.height() >= dock)
    assert window.view.height() >= graph
