"""Messages above the graph."""

from functools import partial
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from errorflow.base.errors import FormatError
from errorflow.base.sample import SAMPLES, Sample
from errorflow.formats import read_model
from errorflow_viewer.kit.banner import (
    MOST,
    ROOMY,
    SHARE,
    SHOWN,
    TALLEST,
    WRITTEN,
    Banners,
    Kind,
    Notice,
    notice_of,
    notice_on,
)
from errorflow_viewer.kit.look import DARK, LIGHT
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow


class Paintings(QObject):
    """Counts how often a widget is painted."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


@pytest.fixture
def banners(qtbot: QtBot) -> Banners:
    banners = Banners(LIGHT)
    banners.resize(800, ROOMY)
    qtbot.addWidget(banners)
    return banners


def texts(banners: Banners) -> list[str]:
    return [row.notice.text for row in banners.rows]


def test_a_path_and_a_hint_are_read_aloud_as_two_sentences(banners: Banners) -> None:
    banners.show_notice(Notice("info", "/a/errorflow.log", "No program to show it was found.", key="log"))
    assert banners.rows[0].accessibleName() == "Message: /a/errorflow.log. No program to show it was found."


def test_a_message_says_what_happened_and_what_to_do(banners: Banners) -> None:
    banners.show_notice(notice_of(FormatError("It is cut off.", "Copy it again."), "open"))
    row = banners.rows[0]
    assert (row.text.text(), row.hint.text()) == ("It is cut off.", "Copy it again.")
    assert not banners.isHidden()


@pytest.mark.parametrize("stays", [True, False])
def test_another_way_may_leave_the_first_one_to_take(banners: Banners, stays: bool) -> None:
    ways = (("Show report", lambda: None),)
    banners.show_notice(Notice("info", "It ended.", button="Restore", pressed=lambda: None, ways=ways, ways_stay=stays))
    next(button for button in banners.rows[0].buttons() if button.text() == "Show report").click()
    assert bool(banners.rows) is stays


def test_what_is_held_back_stays_so_when_the_graph_is_back(banners: Banners) -> None:
    banners.show_notice(Notice("info", "Two runs were taken.", key="taken", of_model=True))
    banners.hold_back("taken", True)
    banners.step_back(True)
    banners.step_back(False)
    assert banners.rows[0].isHidden()
    banners.hold_back("taken", False)
    assert not banners.rows[0].isHidden()


def test_details_are_shown_on_demand(banners: Banners) -> None:
    error = FormatError("It is cut off.", "Copy it again.")
    error.__cause__ = ValueError("byte 7")
    banners.show_notice(notice_of(error, "open", "/models/a.onnx"))
    row = banners.rows[0]
    assert row.details.text() == "/models/a.onnx\nValueError: byte 7"
    assert row.details.isHidden()
    QTest.mouseClick(row.more, Qt.MouseButton.LeftButton)
    assert not row.details.isHidden()


@pytest.mark.parametrize("count", [3, 1])
def test_long_details_scroll_and_the_window_stays_as_high_as_it_is(
    window: MainWindow, qtbot: QtBot, count: int
) -> None:
    size = window.size()
    lines = "\n".join(f"/home/somebody/a/folder/with/a/long/name/decision-{i}.json" for i in range(200))
    for i in range(count):
        window.banners.show_notice(Notice("info", f"Exported {i}.", details=lines))
        window.banners.rows[0].more.click()
    qtbot.waitUntil(lambda: window.banners.rows[0].details_area.verticalScrollBar().maximum() > 0)
    QApplication.processEvents()
    assert window.size() == size
    assert all(0 < row.details_area.height() <= TALLEST for row in window.banners.rows)


def test_short_details_take_no_more_than_they_need(window: MainWindow, qtbot: QtBot) -> None:
    window.banners.show_notice(Notice("info", "Exported.", details="one\ntwo"))
    row = window.banners.rows[0]
    row.more.click()
    qtbot.waitUntil(lambda: row.details_area.height() == row.details.heightForWidth(row.details.width()) < TALLEST)
    assert row.details_area.verticalScrollBar().maximum() == 0


def test_without_details_there_is_no_button_for_them(banners: Banners) -> None:
    banners.show_notice(Notice("info", "Hello."))
    assert banners.rows[0].more.isHidden()


def test_a_message_of_the_same_key_takes_the_place_of_the_old_one(banners: Banners) -> None:
    banners.show_notice(Notice("error", "First.", key="open"))
    banners.show_notice(Notice("error", "Second.", key="open"))
    assert texts(banners) == ["Second."]


class ShownWindows(QObject):
    """Counts what appears as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow()
        return False


def test_a_message_opens_no_window_of_its_own(banners: Banners) -> None:
    banners.show()
    shown, application = ShownWindows(), QApplication.instance()
    assert application is not None
    application.installEventFilter(shown)
    banners.show_notice(Notice("info", "It is so.", "Do that.", details="because"))
    application.removeEventFilter(shown)
    assert shown.count == 0


def test_the_same_message_is_shown_once(banners: Banners) -> None:
    banners.show_notice(Notice("error", "Again."))
    banners.show_notice(Notice("error", "Again."))
    assert texts(banners) == ["Again."]


def test_old_messages_give_way(banners: Banners) -> None:
    for i in range(MOST + 2):
        banners.show_notice(Notice("error", str(i)))
    assert texts(banners) == [str(i) for i in range(MOST + 1, 1, -1)]


def test_older_messages_are_folded_until_they_are_asked_for(banners: Banners) -> None:
    for i in range(SHOWN + 2):
        banners.show_notice(Notice("error", str(i)))
    assert [row.isHidden() for row in banners.rows] == [False] * SHOWN + [True] * 2
    assert banners.fold.text() == "2 more messages"
    QTest.mouseClick(banners.fold, Qt.MouseButton.LeftButton)
    assert not any(row.isHidden() for row in banners.rows) and banners.fold.isHidden()


def test_of_what_was_written_the_last_is_told(banners: Banners) -> None:
    banners.show_notice(Notice("warning", "Careful."))
    for name in ("export", "ticket", "decision"):
        banners.show_notice(Notice("info", f"{name} is written.", key=name, family=WRITTEN))
    assert texts(banners) == ["decision is written.", "Careful."]


def test_in_a_low_window_one_message_is_shown_of_two_lines_until_more_is_asked_for(qtbot: QtBot) -> None:
    banners = Banners(LIGHT)
    qtbot.addWidget(banners)
    banners.resize(700, ROOMY - 1)
    banners.show()
    for number in range(3):
        banners.show_notice(
            Notice("info", f"{number} is written.", "/a/folder/with/a/long/name " * 12, key=str(number))
        )
    row = banners.rows[0]
    assert [each.isHidden() for each in banners.rows] == [False, True, True]
    assert (banners.fold.text(), banners.fold.parentWidget()) == ("2 more messages", row)
    line = row.hint.fontMetrics().lineSpacing()
    qtbot.waitUntil(lambda: row.hint.is_cut and not row.more.isHidden())
    assert row.hint.heightForWidth(row.hint.width()) == line
    row.more.click()
    qtbot.waitUntil(lambda: not row.hint.is_cut and not row.more.isHidden())
    assert row.hint.heightForWidth(row.hint.width()) > 2 * line
    row.more.click()
    qtbot.waitUntil(lambda: row.hint.is_cut)
    row.close_button.click()
    assert [each.isHidden() for each in banners.rows] == [False, True]
    assert (banners.fold.text(), banners.fold.parentWidget()) == ("1 more message", banners.rows[0])
    banners.fold.click()
    assert not any(each.isHidden() for each in banners.rows)


def test_a_message_that_is_cut_is_painted_once(qtbot: QtBot) -> None:
    """Not again and again because of what it asks Qt while it is painted: nothing else would come to rest."""
    banners = Banners(LIGHT)
    qtbot.addWidget(banners)
    banners.resize(700, ROOMY - 1)
    banners.show()
    banners.show_notice(Notice("info", "It is written.", "/a/folder/with/a/long/name " * 12))
    hint, paintings = banners.rows[0].hint, Paintings()
    qtbot.waitUntil(lambda: hint.is_cut)
    for turn in range(100):
        if turn == 50:  # all is in its place
            hint.installEventFilter(paintings)
            hint.update()
        QApplication.processEvents()
    assert paintings.count == 1


@pytest.mark.parametrize(("width", "is_beside"), [(280, False), (700, True)])
def test_more_messages_are_asked_for_where_there_is_room(
    appearance: Appearance, qtbot: QtBot, width: int, is_beside: bool
) -> None:
    banners = Banners(LIGHT)
    qtbot.addWidget(banners)
    banners.resize(width, ROOMY - 1)
    banners.show()
    for number in range(2):
        hint = "To a folder. " * 20
        banners.show_notice(Notice("info", f"{number} is written.", hint, "", str(number), "Show", lambda: None))
    row = banners.rows[0]
    qtbot.waitUntil(lambda: row.isVisible() and banners.fold.isVisible())
    assert (banners.fold.parentWidget() is row) == is_beside
    assert row.minimumSizeHint().width() <= width, "nothing is cut off"


def test_an_error_is_read_in_full_in_a_low_window_too(qtbot: QtBot) -> None:
    banners = Banners(LIGHT)
    qtbot.addWidget(banners)
    banners.resize(700, 300)
    banners.show()
    banners.show_notice(Notice("error", "It ended.", "Something can be done about it. " * 12))
    row = banners.rows[0]
    QApplication.processEvents()
    assert row.hint.heightForWidth(row.hint.width()) > 2 * row.hint.fontMetrics().lineSpacing()
    assert row.more.isHidden() and not row.hint.is_cut


def test_newer_messages_do_not_fold_an_error_away(qtbot: QtBot) -> None:
    banners = Banners(LIGHT)
    qtbot.addWidget(banners)
    banners.resize(700, 300)
    banners.show()
    banners.show_notice(Notice("error", "It ended."))
    banners.show_notice(Notice("info", "One is written."))
    banners.show_notice(Notice("info", "Two are written."))
    seen = [row.notice.text for row in banners.rows if not row.isHidden()]
    assert seen == ["Two are written.", "It ended."] and banners.fold.text() == "1 more message"


def test_buttons_of_a_message_that_is_cut_find_their_place_at_any_width(qtbot: QtBot) -> None:
    banners = Banners(LIGHT)
    qtbot.addWidget(banners)
    banners.resize(900, 300)
    banners.show()
    for number in range(2):
        text = f"{number} has been written to where you wanted it to be. " * 2
        banners.show_notice(Notice("info", text, key=str(number)))
    row, turns = banners.rows[0], list[bool]()
    for width in range(900, 400, -4):
        banners.resize(width, 300)
        for _ in range(12):
            QApplication.processEvents()
            turns.append(row.is_narrow)
    changes = sum(one != other for one, other in pairwise(turns))
    assert changes <= 3


def test_a_folded_message_comes_back_when_there_is_room(banners: Banners) -> None:
    for i in range(SHOWN + 1):
        banners.show_notice(Notice("error", str(i)))
    banners.dismiss(str(SHOWN))
    assert not any(row.isHidden() for row in banners.rows) and banners.fold.isHidden()


def test_a_message_can_be_dismissed(banners: Banners) -> None:
    banners.show_notice(Notice("warning", "Careful."))
    QTest.mouseClick(banners.rows[0].close_button, Qt.MouseButton.LeftButton)
    assert texts(banners) == [] and banners.isHidden()


def test_the_button_of_a_message_does_its_work_and_dismisses_it(banners: Banners) -> None:
    pressed: list[bool] = []
    banners.show_notice(Notice("info", "Look.", button="Show", pressed=lambda: pressed.append(True)))
    button = next(b for b in banners.rows[0].buttons() if b.text() == "Show")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert pressed == [True] and banners.rows == []


def test_a_file_name_is_never_read_as_markup(banners: Banners) -> None:
    banners.show_notice(Notice("error", "<b>x</b>.onnx is empty.", "<img src=x>"))
    row = banners.rows[0]
    assert row.text.textFormat() == row.hint.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.parametrize(("width", "below"), [(360, True), (800, False)])
def test_its_buttons_stand_below_the_text_where_there_is_little_room(banners: Banners, width: int, below: bool) -> None:
    banners.show_notice(Notice("info", "A long text. " * 8, button="Show the culprit", pressed=lambda: None))
    row = banners.rows[0]
    banners.resize(width, 200)
    banners.show()
    button = next(found for found in row.buttons() if found.text() == "Show the culprit")
    QApplication.processEvents()
    assert (button.y() >= row.text.geometry().bottom()) == below
    assert (button.x() >= row.text.geometry().right()) == (not below)


@pytest.mark.parametrize("kind", ["error", "warning", "info"])
def test_every_kind_has_its_sign_in_both_themes(banners: Banners, kind: Kind) -> None:
    banners.show_notice(Notice(kind, "Text."))
    banners.set_theme(DARK)
    assert not banners.rows[0].mark.pixmap().isNull()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_a_sample_tells_its_story_with_a_way_to_the_culprit(sample: Sample) -> None:
    model = read_model(sample.model)
    shown: list[int] = []

    notice = notice_on(model, shown.append)

    assert notice is not None
    assert sample.story in notice.text
    if not sample.truth().culprits:
        assert notice.pressed is None
        return
    assert notice.pressed is not None
    notice.pressed()
    assert [model.graph.node_names[node] for node in shown] == [sample.truth().culprits[0]]


def test_messages_take_no_more_than_their_share_and_scroll(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    banners, graph = Banners(LIGHT), QWidget()
    box = QVBoxLayout(window)
    box.addWidget(banners)
    box.addWidget(graph, 1)
    window.resize(400, 300)
    window.show()
    for number in range(2):
        banners.show_notice(
            Notice("error", f"It ended {number}.", "Something can be done about it. " * 20, key=str(number))
        )
    qtbot.waitUntil(lambda: 0 < banners.height() <= 300 // SHARE)
    assert banners.verticalScrollBar().maximum() > 0 and window.size() == QSize(400, 300)
    window.resize(400, 900)
    qtbot.waitUntil(lambda: 300 // SHARE < banners.height() <= 900 // SHARE)
    window.resize(400, 300)
    qtbot.waitUntil(lambda: banners.height() <= 300 // SHARE)


def test_buttons_stand_below_a_text_that_they_leave_no_room(qtbot: QtBot) -> None:
    banners = Banners(LIGHT)
    qtbot.addWidget(banners)
    banners.resize(1000, 80)
    banners.show_notice(Notice("info", "It ended.", button="Show the report", pressed=lambda: None))
    row, button = banners.rows[0], banners.rows[0].buttons()[-1]

    def stands(below: bool) -> bool:
        return (button.y() > row.text.y() + row.text.height() // 2) is below

    for width, below in ((1000, False), (300, True), (1000, False)):
        banners.resize(width, 120)
        qtbot.waitUntil(partial(stands, below))
