"""The canvas from the keyboard."""

import pytest
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.canvas import view as keys_of_the_canvas
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.keymap import combinations
from errorflow_viewer.window.actions import ACTIONS
from viewer.canvas.made_up import diamond

Key = Qt.Key


def press(canvas: Canvas, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(canvas, key, modifier)


@pytest.mark.parametrize(("key", "goal"), [(Key.Key_Down, 6), (Key.Key_Up, 4)])
def test_arrows_walk_from_the_selected_box(chain: Canvas, qtbot: QtBot, key: Qt.Key, goal: int) -> None:
    chain.select(5)
    with qtbot.waitSignal(chain.walked) as said:
        press(chain, key)
    assert said.args == [goal]


def test_at_the_end_an_arrow_stays(chain: Canvas, qtbot: QtBot) -> None:
    chain.select(21)
    with qtbot.assertNotEmitted(chain.walked):
        press(chain, Key.Key_Down)
    assert chain.selected() == 21


def test_the_walk_keeps_its_box_in_sight(chain: Canvas) -> None:
    chain.zoom_to(4.0)
    chain.pick(0)
    for _ in range(15):
        press(chain, Key.Key_Down)
        box = chain.selected()
        assert box is not None
        assert QRectF(chain.rect()).contains(chain.place_of(box).center())


def test_without_a_selection_arrows_move_the_view(chain: Canvas) -> None:
    chain.zoom_to(4.0)
    before = chain.place_of(5)
    press(chain, Key.Key_Down)
    assert chain.place_of(5).y() < before.y()


def test_with_shift_arrows_move_the_view_in_any_case(chain: Canvas) -> None:
    chain.zoom_to(4.0)
    chain.select(10)
    before = chain.place_of(5)
    press(chain, Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert chain.selected() == 10
    assert chain.place_of(5).y() > before.y()


def test_plus_and_minus_zoom(chain: Canvas) -> None:
    chain.zoom_to(1.0)
    press(chain, Key.Key_Plus)
    assert chain.zoom == pytest.approx(1.25)
    press(chain, Key.Key_Minus)
    assert chain.zoom == pytest.approx(1.0)


def test_f_fits_and_0_is_actual_size(chain: Canvas) -> None:
    fit = chain.zoom
    press(chain, Key.Key_0)
    assert chain.zoom == 1.0
    press(chain, Key.Key_F)
    assert chain.zoom == fit


@pytest.mark.parametrize(("key", "box"), [(Key.Key_Home, 0), (Key.Key_End, 21)])
def test_home_and_end_go_to_the_ends_of_the_flow(chain: Canvas, qtbot: QtBot, key: Qt.Key, box: int) -> None:
    with qtbot.waitSignal(chain.went) as said:
        press(chain, key)
    assert said.args == [box]
    assert chain.selected() == box


def test_enter_opens_the_selected_box(chain: Canvas, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(chain.opened):
        press(chain, Key.Key_Return)
    chain.select(8)
    with qtbot.waitSignal(chain.opened) as said:
        press(chain, Key.Key_Return)
    assert said.args == [8]


def test_escape_goes_out_to_the_group_and_then_to_nothing(chain: Canvas, qtbot: QtBot) -> None:
    chain.select(8)
    with qtbot.waitSignal(chain.group_picked) as said:
        press(chain, Key.Key_Escape)
    assert said.args == [0]
    assert (chain.selected(), chain.selected_group()) == (None, 0)
    with qtbot.waitSignal(chain.picked) as said, qtbot.assertNotEmitted(chain.group_activated):
        press(chain, Key.Key_Escape)
    assert said.args == [None] and chain.selected_group() is None


def test_escape_clears_the_selection_of_what_is_in_no_group(canvas: Canvas, qtbot: QtBot) -> None:
    canvas.show_drawing(*diamond())
    canvas.select(2)
    with qtbot.waitSignal(canvas.picked) as said:
        press(canvas, Key.Key_Escape)
    assert said.args == [None]


def test_enter_goes_from_a_group_to_the_first_box_in_it(chain: Canvas, qtbot: QtBot) -> None:
    chain.select_group(0)
    with qtbot.waitSignal(chain.picked) as said:
        press(chain, Key.Key_Return)
    assert said.args == [1]  # the input comes from outside


def test_keys_of_commands_are_left_to_the_commands(chain: Canvas) -> None:
    for row in ACTIONS:
        for keys in row.shortcuts if row.graph_only else ():
            for pressed in combinations(QKeySequence(keys)):
                event = QKeyEvent(QEvent.Type.KeyPress, pressed.key(), pressed.keyboardModifiers())
                assert not keys_of_the_canvas.press(chain, event), f"{keys} works beside {row.key}"


@pytest.mark.parametrize(
    ("key", "modifier"),
    [
        (Key.Key_F, Qt.KeyboardModifier.NoModifier),
        (Key.Key_0, Qt.KeyboardModifier.KeypadModifier),
        (Key.Key_Plus, Qt.KeyboardModifier.ShiftModifier),
    ],
)
@pytest.mark.parametrize("enabled", [True, False], ids=["can be done", "cannot be done"])
def test_a_key_that_a_command_was_given_is_not_the_canvas_own(
    chain: Canvas, key: Qt.Key, modifier: Qt.KeyboardModifier, enabled: bool
) -> None:
    chain.zoom_to(2.0)
    action = QAction("Another", chain)
    action.setShortcuts([QKeySequence(keys) for keys in ("F", "0", "+")])
    action.setEnabled(enabled)
    chain.addAction(action)
    press(chain, key, modifier)
    assert chain.zoom == 2.0
    chain.removeAction(action)
    press(chain, key, modifier)
    assert chain.zoom != 2.0


def test_a_key_that_was_given_away_in_the_first_graph_is_none_of_the_second(chain: Canvas) -> None:
    first = QWidget()
    action = QAction("Another")
    action.setShortcut(QKeySequence("F"))
    first.addAction(action)
    chain.commands = first
    chain.zoom_to(2.0)
    press(chain, Key.Key_F)
    assert chain.zoom == 2.0
    action.setShortcut(QKeySequence("J"))
    press(chain, Key.Key_F)
    assert chain.zoom != 2.0


def test_keys_with_ctrl_are_left_to_the_window(chain: Canvas) -> None:
    press(chain, Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert chain.minimap


@pytest.mark.parametrize("key", [Key.Key_Down, Key.Key_Home, Key.Key_F, Key.Key_0, Key.Key_Return])
def test_keys_do_nothing_on_an_empty_canvas(canvas: Canvas, key: Qt.Key) -> None:
    press(canvas, key)
    assert canvas.selected() is None
