"""The start page."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from errorflow.sample import SAMPLES
from errorflow_viewer.window import MainWindow


def buttons(window: MainWindow, start: str) -> list[QAbstractButton]:
    found = [row.findChildren(QAbstractButton) for row in window.start.recent_rows]
    return [button for row in found for button in row if button.accessibleName().startswith(start)]


def test_every_sample_is_a_card_with_its_story(window: MainWindow) -> None:
    cards = window.start.cards
    assert len(cards) == len(SAMPLES)
    for card, sample in zip(cards, SAMPLES, strict=True):
        assert sample.title in card.accessibleName() and sample.story in card.accessibleName()


def test_a_card_opens_its_sample(window: MainWindow, qtbot: QtBot) -> None:
    QTest.mouseClick(window.start.cards[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    model = window.document.model
    assert model is not None and model.path == SAMPLES[1].model


def test_a_card_opens_by_key(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window.start.cards[0], Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)


def test_recent_files_can_be_opened_and_forgotten(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    path.touch()
    window.settings.add_recent(path)
    window.start.refresh()
    assert len(buttons(window, f"Open {path}")) == 1
    buttons(window, "Remove mine.onnx")[0].click()
    assert buttons(window, f"Open {path}") == []
    assert window.settings.recents == ()


def test_cards_take_the_columns_that_there_is_room_for(window: MainWindow) -> None:
    def columns() -> int:
        return len({card.x() for card in window.start.cards})

    assert columns() == 4
    window.resize(640, 720)
    QTest.qWait(0)
    assert columns() == 2


def test_recent_files_come_first_and_nothing_is_cut_in_a_small_window(window: MainWindow, tmp_path: Path) -> None:
    for number in range(12):
        path = tmp_path / f"{number}.onnx"
        path.touch()
        window.settings.add_recent(path)
    window.start.refresh()
    QTest.qWait(0)
    last, first = window.start.recent_rows[-1], window.start.cards[0]
    assert last.mapTo(window, last.rect().bottomLeft()).y() < first.mapTo(window, first.rect().topLeft()).y()
    assert window.start.verticalScrollBar().maximum() == 0
