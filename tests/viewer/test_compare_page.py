"""What the page says on which a comparison is put together."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

import run_folders
from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from errorflow_viewer.window.window import MainWindow
from viewer.opened import opened
from viewer.window.test_comparisons import shown


def test_a_card_for_which_several_fit_says_so(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        run_folders.npz(tmp_path / f"{name}.npz")
    window.dropped.emit([tmp_path])
    page = shown(window, qtbot)
    states = {card.row.key: card.state.text() for card in page.grid.cards}
    assert states["runs"] == "several fit – choose" and states["npu"] == ""


def test_the_buttons_of_all_rows_stand_below_each_other(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1200, 900)
    window.show()
    window.compare()
    page = shown(window, qtbot)
    qtbot.waitUntil(lambda: page.rows[0].width() > 0)
    places = [
        (button.text(), button.mapTo(page, button.rect().topLeft()).x())
        for row in page.rows
        for button in row.findChildren(QPushButton)
        if button.isVisible() and button.text() in ("Folder…", "File…")
    ]
    assert len(set(places)) == len({text for text, _ in places}) < len(places)


def test_the_story_of_a_sample_is_not_told_above_the_page(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    (story,) = [row for row in window.banners.rows if row.notice.key == "content"]
    window.compare()
    shown(window, qtbot)
    assert story.isHidden()
    window.leave_page()
    assert not story.isHidden()


def test_a_session_opens_as_one_while_the_page_is_up(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "case.errorflow"
    write_session(Session(model=SAMPLES[0].model), file)
    window.compare()
    page = shown(window, qtbot)
    window.open_all([file])
    qtbot.waitUntil(lambda: window._sessions.file == file and not page.isVisible())


@pytest.mark.parametrize("name", ["broken.errorflow", "broken.zip"])
def test_a_broken_one_is_a_sentence(window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{")
    window.compare()
    shown(window, qtbot)
    window.open_all([tmp_path / name])
    qtbot.waitUntil(lambda: any(row.notice.kind == "error" and row.notice.hint for row in window.banners.rows))
