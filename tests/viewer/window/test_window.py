"""The window as a whole: opening, closing, failing, remembering."""

import threading
from contextlib import suppress
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QMenuBar,
    QPushButton,
    QScrollBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Cancelled, Progress
from errorflow.base.sample import SAMPLES
from errorflow_viewer.document.opening import file_filter_of_all
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.look import TARGET
from errorflow_viewer.window.graph_view import READABLE
from errorflow_viewer.window.window import MainWindow
from viewer.models import branching_model
from viewer.opened import SAMPLE, opened, said


def fail(error: ErrorflowError) -> None:
    pytest.fail(f"not expected: {error}")


def test_the_key_of_a_panel_behind_a_tab_brings_it_to_the_front_first(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.panels.show("profile")
    window.panels.show("problems")
    qtbot.waitUntil(lambda: window.panels.is_in_front("problems"))
    assert not window.panels.is_in_front("profile")
    window.commands.made["panel.profile"].trigger()
    qtbot.waitUntil(lambda: window.panels.is_in_front("profile"))
    window.commands.made["panel.profile"].trigger()
    assert not window.panels.is_shown("profile") and window.panels.is_shown("problems")


def test_at_first_there_is_the_start_page_alone(window: MainWindow) -> None:
    assert window.stack.currentWidget() is window.start
    assert not any(window.panels.is_shown(key) for key in window.panels.by_key)


def test_a_model_is_shown_as_a_picture_with_its_nodes_and_details(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    assert window.stack.currentWidget() is window.pair and window.view.isVisible()
    assert (
        window.panels.is_shown("nodes") and window.panels.is_shown("details") and not window.panels.is_shown("problems")
    )
    assert window.windowTitle() == f"{SAMPLE.name}[*] – Errorflow" and not window.isWindowModified()
    picture = window.view.picture()
    colors = {picture.pixel(x, y) for x in range(0, picture.width(), 3) for y in range(0, picture.height(), 3)}
    assert len(colors) > 2


def test_the_graph_has_most_of_the_room(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    assert 0.55 <= window.view.width() / window.width() <= 0.65


def test_a_click_in_the_graph_selects_in_the_list_and_the_details(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    model = window.document.model
    assert model is not None
    window.document.select(node=3)
    box = window.view.selected()
    window.document.select()
    window.view.pick(box)
    assert window.document.state.node == 3
    window.view.pick(None)
    assert window.document.state.node is None


def test_a_node_chosen_in_the_list_is_brought_into_view_and_can_be_read(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.document.show(5)
    box = window.view.selected()
    assert box is not None
    assert QRectF(window.view.rect()).contains(window.view.place_of(box))
    assert window.view.zoom >= READABLE


def test_a_failure_is_a_banner_and_the_old_model_stays(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    opened(window, qtbot)
    window.document.select(node=2)
    (tmp_path / "empty.onnx").touch()
    window.open(tmp_path / "empty.onnx")
    qtbot.waitUntil(lambda: bool(window.banners.rows))
    notice = window.banners.rows[0].notice
    assert notice.kind == "error" and notice.hint
    assert window.document.state.node == 2


def test_the_next_try_takes_the_banner_away(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.open(tmp_path / "missing.onnx")
    qtbot.waitUntil(lambda: bool(window.banners.rows))
    opened(window, qtbot)
    assert said(window) == []


def test_a_file_with_tensors_says_what_it_is(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLES[0].candidate_run)
    qtbot.waitUntil(lambda: bool(window.banners.rows))
    assert window.document.model is None


def test_opening_can_be_cancelled(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLE)
    window.cancel()
    assert not window.jobs.steps
    window.open(SAMPLES[1].model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    model = window.document.model
    assert model is not None and model.path == SAMPLES[1].model


def test_closing_returns_to_the_start_page(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.close_model()
    assert window.stack.currentWidget() is window.start
    assert window.windowTitle() == "Errorflow"
    assert not any(window.panels.is_shown(key) for key in window.panels.by_key)


def test_panels_stay_as_they_were_over_a_close(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.panels.hide("details")
    window.panels.show("problems")
    window.close_model()
    opened(window, qtbot)
    assert [window.panels.is_shown(key) for key in ("nodes", "details", "problems")] == [True, False, True]


def test_reload_reads_the_file_again_and_keeps_the_selection(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    copy = tmp_path / "mine.onnx"
    copy.write_bytes(SAMPLE.read_bytes())
    opened(window, qtbot, copy)
    before = window.document.model
    window.document.select(node=4)
    window.reload()
    qtbot.waitUntil(lambda: window.document.model is not before and not window.jobs.steps)
    assert window.document.state.node == 4


def test_closing_the_model_does_not_stop_what_is_being_written(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    may_go_on, written = threading.Event(), list[bool]()
    window.jobs.start("export", "Exporting", lambda _: may_go_on.wait(), written.append, fail)
    window.close_model()
    may_go_on.set()
    qtbot.waitUntil(lambda: written == [True])


def test_closing_while_a_model_is_opened_keeps_the_start_page(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLE)
    window.close_model()
    assert not window.jobs.steps
    assert window.jobs.stop()
    assert window.document.model is None


def test_a_double_click_opens_the_body_of_a_node(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.document.select(node=2)
    window.view.opened.emit(window.view.selected())
    assert window.document.state.place == Place((0,))
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.document.step_back()
    assert window.document.state.place == Place() and window.document.state.node == 2


def test_a_double_click_opens_a_body_that_was_seen_before(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.document.go(Place((0,)))
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.document.go(Place(), node=2)
    window.view.opened.emit(window.view.selected())  # of its fewer boxes, none has this number
    assert window.document.state.place == Place((0,))


def test_a_double_click_opens_a_function(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.document.select(node=3)
    window.view.opened.emit(window.view.selected())
    assert window.document.state.place == Place(function=0)
    qtbot.waitUntil(lambda: not window.jobs.steps)


@pytest.mark.parametrize("other", [None, SAMPLES[1].model], ids=["closed", "another opened"])
def test_a_failed_attempt_is_forgotten_with_the_next_step(
    other: Path | None, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(window, qtbot)
    window.banners.show_notice(Notice("info", "Stays."))
    window.open(tmp_path / "missing.onnx")
    qtbot.waitUntil(lambda: len(said(window)) == 2)
    if other is None:
        window.close_model()
    else:
        opened(window, qtbot, other)
    assert [notice.text for notice in said(window)] == ["Stays."]


def test_diagnostics_name_the_log_but_no_model(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.support.copy_diagnostics()
    text = QGuiApplication.clipboard().text()
    assert "errorflow.log" in text and SAMPLE.name not in text


@pytest.mark.parametrize("choice", ["dark", "light", "system"])
def test_a_theme_is_put_on_at_once_and_remembered(window: MainWindow, qtbot: QtBot, choice: str) -> None:
    opened(window, qtbot)
    for row in ("dark", "light", choice):
        window.commands.made[f"theme.{row}"].trigger()
    assert window.settings.theme == choice
    theme = window.appearance.theme
    assert window.palette().window().color().name().upper() == theme.background
    assert window.view.picture().pixelColor(1, 1).name().upper() == theme.canvas


def test_resetting_the_layout_brings_all_panels_back(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.panels.hide("nodes")
    window.panels.by_key["details"].setFloating(True)
    window.reset_layout()
    assert window.panels.is_shown("nodes") and not window.panels.by_key["details"].isFloating()


def test_the_search_field_is_one_key_away(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.panels.hide("nodes")
    window.find_node()
    assert window.panels.is_shown("nodes")
    focus = QApplication.focusWidget()
    assert focus is not None and focus.accessibleName() == "Search nodes"


def test_a_graph_is_cut_into_columns_or_not_and_the_selection_stays(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.document.select(node=7)
    for wanted in (True, False):
        window.switches.choose_view("down" if wanted else "columns")
        qtbot.waitUntil(lambda: not window.jobs.steps)
        before = window.view.picture()
        window.commands.made["view.columns"].trigger()
        qtbot.waitUntil(lambda: not window.jobs.steps)
        assert window.view.picture() != before
        assert window.switches.view == ("columns" if wanted else "down")
        assert window.commands.made["view.columns"].isChecked() == wanted
        assert window.view.selected() is not None and window.document.state.node == 7


def test_everything_that_takes_the_keyboard_has_a_name(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.open(Path("/missing"))
    qtbot.waitUntil(lambda: bool(window.banners.rows))
    window.commands.open_palette("")
    every = [w for w in window.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isVisible()]
    nameless = [w for w in every if not (w.accessibleName() or (isinstance(w, QAbstractButton) and w.text()))]
    assert [w for w in nameless if not isinstance(w, (QScrollBar, QMenuBar))] == []
    assert len(every) > 5


def test_buttons_are_large_enough_to_be_hit(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.open(Path("/missing"))
    qtbot.waitUntil(lambda: bool(window.banners.rows))
    buttons = [
        b for b in window.findChildren(QAbstractButton) if b.isVisible() and not isinstance(b.parent(), QLineEdit)
    ]
    own = [b for b in buttons if type(b).__module__.startswith("PySide6") and type(b) in (QToolButton, QPushButton)]
    small = [(b.accessibleName(), b.width(), b.height()) for b in own if min(b.width(), b.height()) < TARGET]
    assert small == []


def test_what_a_file_is_that_is_no_network_is_said_when_it_is_opened(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot, Path(__file__).parents[2] / "data" / "formats" / "amct-quant" / "s2_quant.json")
    (row,) = window.banners.rows
    assert row.notice.kind == "info" and "not a network" in row.notice.text and row.notice.hint.startswith("It lists")
    opened(window, qtbot)
    (row,) = window.banners.rows
    assert SAMPLES[0].story in row.notice.text


@pytest.mark.parametrize("results", [False, True])
def test_the_first_that_open_shows_is_all_that_can_be_opened(results: bool) -> None:
    first = file_filter_of_all(results).split(";;")[0]
    assert {"*.onnx", "*.errorflow", "*.zip"} <= set(first.replace("(", " ").replace(")", " ").split())
    assert ("*.csv" in first) is results


def test_a_closing_window_is_gone_before_what_hangs_is_waited_for(window: MainWindow, qtbot: QtBot) -> None:
    seen: list[bool] = []
    started = threading.Event()

    def work(progress: Progress) -> None:
        started.set()
        with suppress(Cancelled):
            while True:
                progress.step(0, 0, "Waiting")
        seen.append(window.isVisible() or not window.settings.geometry)

    window.jobs.start("hangs", "Waiting", work, lambda _: None, lambda _: None)
    assert started.wait(10)
    window.close()
    assert seen == [False]


def test_who_closes_it_hears_of_it_while_it_is_still_seen(window: MainWindow) -> None:
    seen: list[bool] = []
    window.closing.connect(lambda: seen.append(window.isVisible() and bool(window.settings.geometry)))
    window.close()
    assert seen == [True]
