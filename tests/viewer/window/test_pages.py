"""How wide the sides are: as their user left them, whatever a small window or large text made of them meanwhile."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.graph.model import Model
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow
from viewer.deep import deep_graph
from viewer.lending import LATER

LARGE, SMALL = (1600, 1000), (900, 600)
Start = Callable[..., MainWindow]


@pytest.fixture
def start(qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path) -> Iterator[Start]:
    """Closes the window that is open, and starts again with a model in one of a given size."""
    settings.switch("still", True)
    open_now: list[MainWindow] = []

    def end() -> None:
        for window in open_now:
            window.close()
            window.deleteLater()
        open_now.clear()

    def begin(size: tuple[int, int]) -> MainWindow:
        end()
        window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
        open_now.append(window)
        window.panels.soon.setInterval(LATER)
        window.show()
        qtbot.waitExposed(window)
        sized(window, size)
        window.document.open(Model(Path("/models/deep.onnx"), "ONNX model", deep_graph()))
        settle()
        return window

    yield begin
    end()
    appearance.set_text_size(100)


def settle() -> None:
    for _ in range(5):  # a layout in a layout waits for the other
        QCoreApplication.processEvents()


def sized(window: MainWindow, size: tuple[int, int]) -> None:
    window.resize(*size)
    settle()


def front(window: MainWindow) -> str:
    """Of the panels at the right."""
    return next(key for key in ("details", "verdict", "inspector") if window.panels.is_in_front(key))


def sides(window: MainWindow) -> tuple[int, int]:
    return tuple(window.panels.by_key[key].width() for key in ("nodes", front(window)))  # type: ignore[return-value]


def drag(window: MainWindow, left: int, right: int) -> None:
    docks = [window.panels.by_key[key] for key in ("nodes", front(window))]
    window.resizeDocks(docks, [left, right], Qt.Orientation.Horizontal)
    settle()
    assert sides(window) == (left, right)


def known(window: MainWindow) -> None:
    """Where panels get another height they are told of it, and how wide they are is noted."""
    width, height = window.width(), window.height()
    sized(window, (width + 1, height + 1))
    sized(window, (width, height))


def widened(window: MainWindow) -> None:
    """In two steps, as by the hand of its user."""
    for _ in range(2):
        sized(window, (window.width() + 50, window.height()))


def hide(window: MainWindow, side: Qt.DockWidgetArea) -> list[str]:
    """All panels of a side."""
    docks = window.panels.by_key
    hidden = [key for key, dock in docks.items() if window.dockWidgetArea(dock) == side and window.panels.is_shown(key)]
    for key in hidden:
        window.panels.hide(key)
    return hidden[::-1]  # shown in this order, the first of them lies in front


def test_sides_that_a_small_window_made_narrow_are_wide_again_in_a_large_one(start: Start) -> None:
    window = start(LARGE)
    drag(window, 460, 400)
    sized(window, SMALL)
    assert max(sides(window)) < 400
    sized(window, LARGE)
    assert sides(window) == (460, 400)


def test_so_is_a_side_of_tabs_that_lay_outside_of_the_small_window_for_a_moment(start: Start) -> None:
    window = start(LARGE)
    drag(window, 460, 400)
    window.panels.show("verdict")  # once each is in front
    settle()
    window.panels.show("details")
    settle()
    for _ in range(2):
        sized(window, SMALL)
        assert max(sides(window)) < 400
        sized(window, LARGE)
        assert sides(window) == (460, 400)


def test_so_they_are_after_another_start(start: Start) -> None:
    window = start(LARGE)
    drag(window, 460, 400)
    sized(window, SMALL)
    window = start(SMALL)
    assert max(sides(window)) < 400
    sized(window, LARGE)
    assert sides(window) == (460, 400)
    sized(window, SMALL)
    assert sides(start(LARGE)) == (460, 400)


def test_a_window_that_got_small_without_a_model_takes_nothing_either(start: Start) -> None:
    window = start(LARGE)
    drag(window, 460, 400)
    window.document.close()
    sized(window, SMALL)
    window = start(SMALL)
    sized(window, LARGE)
    assert sides(window) == (460, 400)


def test_a_side_that_was_hidden_in_a_small_window_comes_back_as_wide_as_it_was(start: Start) -> None:
    window = start(LARGE)
    drag(window, 460, 400)
    sized(window, SMALL)
    hidden = [key for key in ("details", "verdict", "inspector") if window.panels.is_shown(key)]
    for key in hidden:
        window.panels.hide(key)
    settle()
    window = start(LARGE)
    for key in hidden:
        window.panels.show(key)
    settle()
    assert sides(window) == (460, 400)


def test_what_its_user_makes_of_a_side_in_a_small_window_stays(start: Start) -> None:
    window = start(LARGE)
    drag(window, 460, 400)
    sized(window, SMALL)
    drag(window, 300, 250)
    sized(window, LARGE)
    assert sides(window) == (300, 250)
    sized(window, SMALL)
    assert sides(start(LARGE)) == (300, 250)


def test_a_side_that_large_text_made_wider_is_narrow_again_after_another_start(
    start: Start, appearance: Appearance
) -> None:
    def shown_at(percent: int) -> None:
        window.whole_pages.show_settings()
        appearance.set_text_size(percent)
        window.leave_page()
        settle()

    window = start(LARGE)
    drag(window, 320, 200)
    shown_at(200)
    assert sides(window)[1] > 200
    window = start(LARGE)
    shown_at(100)
    assert sides(window) == (320, 200)


def test_a_layout_of_the_first_start_is_the_users_own(start: Start) -> None:
    window = start(LARGE)
    drag(window, 460, 400)
    sized(window, SMALL)
    window.reset_layout()
    settle()
    arranged = sides(window)
    sized(window, LARGE)
    assert sides(window) == arranged


def test_a_layout_of_the_first_start_stays_so_in_a_window_that_gets_only_wider(start: Start) -> None:
    """Its panels are not told of that: the graph takes the room."""
    window = start((1300, 900))
    drag(window, 460, 400)
    known(window)
    window.reset_layout()
    settle()
    arranged = sides(window)
    assert arranged < (460, 400)
    widened(window)
    assert sides(window) == arranged


def test_a_side_that_was_sized_by_keys_stays_so_in_a_window_that_gets_only_wider(start: Start) -> None:
    window = start((1300, 900))
    drag(window, 460, 400)
    known(window)
    drag(window, 400, 300)  # by keys nothing tells of it
    widened(window)
    assert sides(window) == (400, 300)


def test_a_side_that_was_sized_by_keys_and_hidden_at_once_comes_back_so(start: Start) -> None:
    window = start(LARGE)
    drag(window, 300, 400)
    known(window)
    drag(window, 460, 400)
    hidden = hide(window, Qt.DockWidgetArea.LeftDockWidgetArea)
    sized(window, SMALL)
    for key in hidden:
        window.panels.show(key)
    settle()
    assert max(sides(window)) < 400
    sized(window, LARGE)
    assert sides(window) == (460, 400)


def test_what_was_sized_by_keys_counts_before_another_panel_comes(start: Start) -> None:
    window = start(LARGE)
    hidden = hide(window, Qt.DockWidgetArea.RightDockWidgetArea)
    sized(window, SMALL)
    nodes = window.panels.by_key["nodes"]
    window.resizeDocks([nodes], [500], Qt.Orientation.Horizontal)
    settle()
    for key in hidden:
        window.panels.show(key)
    settle()
    assert nodes.width() < 500
    sized(window, LARGE)
    assert nodes.width() == 500


def test_what_a_panel_takes_that_comes_as_others_go_is_given_back(start: Start) -> None:
    """The last of their tabs is not yet as wide as their side."""
    window = start(LARGE)
    drag(window, 460, 400)
    tabs = [key for key in ("details", "verdict", "inspector") if window.panels.is_shown(key)]
    hidden = hide(window, Qt.DockWidgetArea.LeftDockWidgetArea)
    sized(window, SMALL)
    for key in tabs[:-1]:
        window.panels.hide(key)
    for key in hidden:
        window.panels.show(key)
    settle()
    assert sides(window)[1] < 400
    sized(window, LARGE)
    assert sides(window) == (460, 400)


def test_panels_that_are_moved_to_the_other_side_stay_as_wide_as_they_get_there(start: Start) -> None:
    window = start((1300, 900))
    drag(window, 460, 400)
    known(window)
    left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
    hide(window, left)
    settle()
    for key in ("details", "verdict", "inspector"):
        window.addDockWidget(left, window.panels.by_key[key])
    settle()
    window.resizeDocks([window.panels.by_key[front(window)]], [250], Qt.Orientation.Horizontal)
    settle()
    assert not hide(window, right)
    widened(window)
    assert window.panels.by_key[front(window)].width() == 250


def test_a_drag_counts_before_another_panel_comes(start: Start) -> None:
    window = start(LARGE)
    hidden = [key for key in ("details", "verdict", "inspector") if window.panels.is_shown(key)]
    for key in hidden:
        window.panels.hide(key)
    sized(window, SMALL)
    nodes = window.panels.by_key["nodes"]
    edge = nodes.geometry().topRight() + QPoint(1, 100)
    QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=edge)
    there = edge + QPoint(500 - nodes.width(), 0)
    QTest.mouseMove(window, there)
    settle()
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=there)
    settle()
    assert nodes.width() == 500
    for key in hidden:
        window.panels.show(key)
    settle()
    assert sides(window)[0] < 500
    sized(window, LARGE)
    assert sides(window)[0] == 500
