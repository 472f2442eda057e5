"""What is opened leads to the graph, whichever page is there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from errorflow_viewer.window.window import MainWindow
from viewer.opened import SAMPLE, opened, said

PAGES: dict[str, Callable[[MainWindow], None]] = {
    "verdict": lambda window: window.whole_pages.turn_verdict(),
    "ticket": lambda window: window.whole_pages.show_ticket(),
    "align": lambda window: window.whole_pages.show_align(),
    "guide": lambda window: window.guide(),
    "settings": lambda window: window.whole_pages.show_settings(),
    "keys": lambda window: window.whole_pages.show_keys(),
}
# What has an effect on the picture alone, by the toolbar, menus and keys.
OF_GRAPH = ("zoom_in", "zoom_out", "fit", "actual", "fold.more", "fold.less", "fold.all", "fold.none", "view.columns")


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """A session of a model of the user's own."""
    model, file = tmp_path / "own.onnx", tmp_path / "own.errorflow"
    model.write_bytes(SAMPLE.read_bytes())
    write_session(Session(model=model), file)
    return file


def test_from_every_page_a_session_that_is_opened_leads_to_the_graph(
    window: MainWindow, qtbot: QtBot, case: Path
) -> None:
    opened(window, qtbot)
    for show in PAGES.values():
        show(window)
        assert window.stack.currentWidget() is not window.pair
        assert not any(window.commands.made[key].isEnabled() for key in OF_GRAPH)
        window.open_all([case])  # a second time it is what is on view already
        qtbot.waitUntil(lambda: window.stack.currentWidget() is window.pair and not window.jobs.steps)
        assert window._sessions.file == case
        assert all(window.commands.made[key].isEnabled() for key in OF_GRAPH)


def test_what_is_refused_is_told_on_the_page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    opened(window, qtbot)
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"nothing of use")
    window.whole_pages.turn_verdict()
    window.open(broken)
    qtbot.waitUntil(lambda: any(notice.kind == "error" for notice in said(window)))
    assert window.whole_pages.verdict.isVisible()
    assert any(row.isVisible() and row.notice.kind == "error" for row in window.banners.rows)


def test_what_is_read_again_stays_on_the_page(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.whole_pages.turn_verdict()
    for again in (window.reload, window.compare_again):
        again()
        qtbot.waitUntil(lambda: not window.jobs.steps and window.document.comparison is not None)
        assert window.whole_pages.verdict.isVisible()


def test_a_comparison_that_is_on_view_leads_to_the_graph(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    setup = window.comparisons.comparing.setup
    assert isinstance(setup, Setup)
    window.whole_pages.turn_verdict()
    window.open_again(setup)
    assert window.stack.currentWidget() is window.pair


@pytest.mark.parametrize("name", ["settings", "keys"])
def test_a_page_that_is_searched_can_be_typed_into_at_once(window: MainWindow, qtbot: QtBot, name: str) -> None:
    opened(window, qtbot)
    window.activateWindow()
    PAGES[name](window)
    page = window.stack.currentWidget()
    assert page is not None
    field = page.findChildren(QLineEdit)[0]
    qtbot.waitUntil(field.hasFocus)
