"""The start page."""

from datetime import date, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.document.thumbnails import HEIGHT, WIDTH, stamp_now
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.pages.start.recent_card import RecentCard, when_words
from errorflow_viewer.window.window import MainWindow


def with_recents(window: MainWindow, tmp_path: Path, count: int) -> list[Path]:
    """Newest first."""
    paths = [tmp_path / f"{number}.onnx" for number in range(count)]
    for path in paths:
        path.touch()
        window.settings.add_recent(path)
    window.start.refresh()
    QTest.qWait(0)
    return paths[::-1]


def named(window: MainWindow, start: str) -> list[RecentCard]:
    return [card for card in window.start.recent_cards if card.accessibleName().startswith(start)]


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
    (path,) = with_recents(window, tmp_path, 1)
    (card,) = named(window, f"Open {path}")
    card.cross.click()
    assert named(window, f"Open {path}") == []
    assert window.settings.recents == ()


def test_delete_takes_a_file_from_the_list_and_the_keyboard_stays_there(window: MainWindow, tmp_path: Path) -> None:
    newest, other, *_ = with_recents(window, tmp_path, 3)
    window.start.recent_cards[0].setFocus()
    QTest.keyClick(window.start.recent_cards[0], Qt.Key.Key_Delete)
    assert newest not in window.settings.recents
    assert window.focusWidget() is window.start.recent_cards[0]
    assert named(window, f"Open {other}") == [window.start.recent_cards[0]]


def test_arrow_keys_go_from_card_to_card(window: MainWindow) -> None:
    cards = window.start.cards
    cards[0].setFocus()
    QTest.keyClick(cards[0], Qt.Key.Key_Right)
    assert window.focusWidget() is cards[1]
    QTest.keyClick(cards[1], Qt.Key.Key_Down)
    assert window.focusWidget() is cards[1 + window.start.samples.columns]
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Up)
    assert window.focusWidget() is cards[1]


def test_the_menu_of_a_recent_file_offers_what_can_be_done_with_it(window: MainWindow, tmp_path: Path) -> None:
    with_recents(window, tmp_path, 2)
    menu = window.start.recent_cards[0].menu()
    rows = {action.text(): action for action in menu.actions() if action.text()}
    assert list(rows) == ["Open", "Show in its folder", "Remove from this list", "Clear recent files"]
    rows["Clear recent files"].trigger()
    assert window.settings.recents == ()


def test_cards_take_the_columns_that_there_is_room_for(window: MainWindow) -> None:
    def columns() -> int:
        return len({card.x() for card in window.start.cards})

    assert columns() == 4
    window.resize(640, 720)
    QTest.qWait(0)
    assert columns() == 2


def test_recent_files_come_first_and_nothing_is_cut_in_a_small_window(window: MainWindow, tmp_path: Path) -> None:
    with_recents(window, tmp_path, 12)
    last, first = window.start.recent_cards[-1], window.start.cards[0]
    assert last.mapTo(window, last.rect().bottomLeft()).y() < first.mapTo(window, first.rect().topLeft()).y()
    assert window.start.verticalScrollBar().maximum() == 0


def test_what_has_no_room_is_shown_when_it_is_asked_for(window: MainWindow, tmp_path: Path) -> None:
    with_recents(window, tmp_path, 12)
    assert len(window.start.recent_cards) == 4
    assert window.start.all_button.text() == "Show all 12"
    window.start.all_button.click()
    assert len(window.start.recent_cards) == 12
    window.start.all_button.click()
    assert len(window.start.recent_cards) == 4


def test_a_recent_file_shows_how_it_looked_and_its_verdict(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (path,) = with_recents(window, tmp_path, 1)
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    qtbot.waitUntil(lambda: not window.recents.is_looking)
    window.recents.thumbnails.write(path, {"light": image}, "node", stamp_now(path))
    with qtbot.waitSignal(window.recents.checked):
        window.start.refresh()
    card = window.start.recent_cards[0]
    assert card.picture.image is not None and card.accessibleDescription() == "Node error"
    assert card.sign.isVisible()


# The first start


def test_the_first_start_greets_with_the_sample_and_the_tour(window: MainWindow, qtbot: QtBot) -> None:
    greeting = window.start.greeting
    assert greeting is not None and greeting.isVisible() and not window.start.head.isVisible()
    greeting.open_button.click()
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    assert window.document.model is not None and window.document.model.path == SAMPLES[0].model


def test_after_something_was_opened_the_page_is_as_always(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    window.close_model()
    assert window.start.greeting is None
    assert window.start.head.isVisible() and window.start.tour_button.isVisible()


def test_the_second_start_does_not_greet(
    window: MainWindow, settings: Settings, appearance: Appearance, tmp_path: Path
) -> None:
    window.close()
    second = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    assert second.start.greeting is None
    second.close()
    second.deleteLater()


def test_the_language_can_be_chosen_at_once(window: MainWindow) -> None:
    assert window.start.greeting is not None
    languages = window.start.greeting.languages
    assert not languages["en"].isEnabled()
    languages["zh_CN"].click()
    assert languages["en"].isEnabled() and not languages["zh_CN"].isEnabled()
    languages["en"].click()


def test_the_picture_of_the_greeting_follows_the_theme(window: MainWindow) -> None:
    assert window.start.greeting is not None
    light = window.start.greeting.picture.grab().toImage()
    window.appearance.choose("dark")
    assert window.start.greeting.picture.grab().toImage() != light


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (datetime(2026, 3, 2, 0, 5), "Today, 00:05"),
        (datetime(2026, 3, 1, 23, 59), "Yesterday, 23:59"),
        (datetime(2026, 2, 28, 12, 0), "2026-02-28"),
        (datetime(2026, 3, 3, 12, 0), "2026-03-03"),  # the clock was wrong
    ],
)
def test_when_something_was_open_is_said_as_one_says_it(then: datetime, words: str) -> None:
    assert when_words(round(then.timestamp()), date(2026, 3, 2)) == words


@pytest.mark.parametrize("rubbish", [0, -(10**18), 10**18])
def test_a_time_that_is_none_is_not_told(rubbish: int) -> None:
    assert when_words(rubbish, date(2026, 3, 2)) == ""
