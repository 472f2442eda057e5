"""What is dropped, and the page on which a comparison is put together."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget
from pytestqt.qtbot import QtBot

import run_folders
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios import SCENARIOS, scenario_of
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.pages.guide.need_row import NeedRow
from errorflow_viewer.pages.guide.page import ComparePage
from errorflow_viewer.window.window import MainWindow
from viewer.document.test_comparing import complete, npu_case


def page_of(window: MainWindow) -> ComparePage:
    assert window.stack.currentWidget() is window.comparisons.page
    return window.comparisons.page


def need_row(page: ComparePage, key: str) -> NeedRow:
    return next(row for row in page.rows if row.need.key == key)


def shown(window: MainWindow, qtbot: QtBot) -> ComparePage:
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.comparisons.page)
    return window.comparisons.page


# Drops


def test_a_folder_that_holds_one_comparison_starts_it_and_says_what_was_taken(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    setup = npu_case(tmp_path / "case")
    window.dropped.emit([tmp_path / "case"])
    complete(window, qtbot)
    assert window.document.session.setup == setup
    banner = next(row for row in window.banners.rows if row.notice.key == "taken")
    assert banner.notice.text == "NPU against the original model: npu against golden."
    next(button for button in banner.buttons() if button.text() == "Change…").click()
    page = page_of(window)
    assert page.row.key == "npu"
    assert page.setup == setup


def test_an_error_about_another_file_goes_when_a_folder_is_dropped(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.open(tmp_path / "gone.onnx")
    qtbot.waitUntil(lambda: bool(window.banners.rows))
    window.dropped.emit([tmp_path])
    shown(window, qtbot)
    assert window.banners.rows == []


def test_a_folder_that_leaves_a_question_opens_the_page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run_folders.npz(tmp_path / "one.npz")
    run_folders.npz(tmp_path / "two.npz")
    window.dropped.emit([tmp_path])
    page = shown(window, qtbot)
    assert page.row.key == "runs"
    assert not page.compare.isEnabled()
    assert need_row(page, "reference").box.count() == 3  # the question, and both runs


def test_a_guess_is_said_to_be_one(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run_folders.npz(tmp_path / "golden.npz")
    run_folders.npz(tmp_path / "mine.npz", 2.0)
    window.dropped.emit([tmp_path])
    complete(window, qtbot)
    banner = next(row for row in window.banners.rows if row.notice.key == "taken")
    assert "golden.npz" in banner.notice.hint and "guess" in banner.notice.hint


@pytest.mark.parametrize("given", [True, False])
def test_inputs_are_taken_or_said_to_be_made_up(window: MainWindow, qtbot: QtBot, tmp_path: Path, given: bool) -> None:
    run_folders.onnx(tmp_path / "float.onnx")
    run_folders.onnx(tmp_path / "int8.onnx", quantized=True)
    if given:
        np.savez(tmp_path / "z.npz", x=np.ones((2, 3), np.float32))
    window.dropped.emit([tmp_path])
    complete(window, qtbot)
    banners = {row.notice.key: row for row in window.banners.rows}
    assert banners["taken"].notice.hint == ("With z.npz" if given else "")
    assert ("made up" in banners) is not given
    if not given:
        made_up = banners["made up"]
        assert made_up.notice.text == "Inputs were made up: random values in the shape 2×3."
        assert "not how good it is" in made_up.notice.hint
        next(button for button in made_up.buttons() if button.text() == "Choose inputs…").click()
        assert page_of(window).row.need("inputs") is not None


def test_several_models_open_the_first_as_ever(window: MainWindow, qtbot: QtBot) -> None:
    window.dropped.emit([SAMPLES[0].model, SAMPLES[1].model])
    qtbot.waitUntil(lambda: window.document.model is not None, timeout=20_000)
    assert window.document.model is not None and window.document.model.path == SAMPLES[0].model
    assert any(row.notice.key == "several" for row in window.banners.rows)


def test_a_folder_with_nothing_in_it_opens_the_page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.dropped.emit([tmp_path])
    page = shown(window, qtbot)
    assert not page.nothing.isHidden() and page.looked.isHidden()
    said = page.nothing.sentence.text()
    assert said.startswith(f"Nothing to compare was found in {tmp_path.name}.\n") and "dumps of an NPU" in said


# The page


def test_the_page_is_reached_from_the_start_page_and_left_again(window: MainWindow) -> None:
    window.start.compare_button.click()
    page_of(window).back.click()
    assert window.stack.currentWidget() is window.start


def test_the_page_comes_in_place_of_graph_and_panels_and_gives_them_back(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.open(run_folders.atc_json(tmp_path / "net.json"))
    qtbot.waitUntil(lambda: window.panels.is_shown("nodes"))
    window.compare()
    assert not window.panels.is_shown("nodes")
    page_of(window).back.click()
    assert window.panels.is_shown("nodes")


@pytest.mark.parametrize("row", SCENARIOS, ids=lambda row: row.key)
def test_each_comparison_shows_its_needs_and_what_is_missing(window: MainWindow, row: object) -> None:
    window.compare()
    page = page_of(window)
    card = next(card for card in page.grid.cards if card.row is row)
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert page.row is row
    assert [each.need for each in page.rows] == list(page.row.needs)
    assert page.call.text().startswith("Missing: ")
    assert not page.compare.isEnabled()
    assert all(each.accessibleName() for each in page.rows)


def test_what_is_missing_can_be_copied_as_a_command(window: MainWindow) -> None:
    window.compare()
    need_row(page_of(window), "fusion").copy.click()
    assert QGuiApplication.clipboard().text() == "atc --mode=1 --om=model.om --json=model.json"


def test_looking_through_a_folder_fills_everything_and_compare_starts_it(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    setup = npu_case(tmp_path)
    window.compare()
    page = page_of(window)
    page.look_through([tmp_path])
    qtbot.waitUntil(page.compare.isEnabled)
    assert page.setup == setup
    assert page.call.text().startswith("errorflow compare -m ")
    page.compare.click()
    complete(window, qtbot)
    assert window.stack.currentWidget() is not page


def test_a_folder_that_is_looked_through_takes_the_place_of_the_open_case(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    run_folders.npz(tmp_path / "golden.npz")
    run_folders.npz(tmp_path / "mine.npz")
    window.comparisons.ask(Setup("runs", {"candidate": Path("/old/a.npz"), "reference": Path("/old/b.npz")}))
    page = page_of(window)
    page.look_through([tmp_path])
    found = {"candidate": tmp_path / "mine.npz", "reference": tmp_path / "golden.npz"}
    qtbot.waitUntil(lambda: page.setup.files == found)


def test_a_row_warns_of_the_same_run_on_both_sides(window: MainWindow, tmp_path: Path) -> None:
    run = run_folders.npz(tmp_path / "a.npz")
    window.comparisons.ask(Setup("runs", {"candidate": run, "reference": run}))
    rows = [need_row(page_of(window), key) for key in ("candidate", "reference")]
    assert all(row.note.text().startswith("Both sides are the same run") for row in rows)


def test_sides_are_swapped(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    files = {"candidate": run_folders.npz(tmp_path / "a.npz"), "reference": run_folders.npz(tmp_path / "b.npz")}
    window.comparisons.ask(Setup("runs", files))
    page = page_of(window)
    page.swap.click()
    assert page.setup.files == {"candidate": files["reference"], "reference": files["candidate"]}


def test_a_drop_onto_a_row_fills_that_need(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run = run_folders.npz(tmp_path / "run.npz")
    window.compare()
    page = page_of(window)
    runs = scenario_of("runs")
    assert runs is not None
    page.choose(runs)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(run))])
    row = need_row(page, "reference")
    row.dropEvent(
        QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0))
    )
    qtbot.waitUntil(lambda: page.filling.known(run) is not None)
    assert page.setup.file("reference") == run
    assert "NumPy archive" in need_row(page, "reference").box.currentText()


def test_the_wrong_thing_for_a_need_is_named(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    model = run_folders.onnx(tmp_path / "m.onnx")
    window.compare()
    page = page_of(window)
    need_row(page, "candidate").changed.emit(model)
    qtbot.waitUntil(lambda: page.filling.known(model) is not None)
    assert "not what is needed here" in need_row(page, "candidate").note.text()


def test_escape_leaves_the_page(window: MainWindow) -> None:
    window.compare()
    QTest.keyClick(page_of(window), Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.start


def test_everything_on_the_page_that_takes_the_keyboard_has_a_name_and_is_large_enough(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    run_folders.npz(tmp_path / "one.npz")
    run_folders.npz(tmp_path / "two.npz")
    window.dropped.emit([tmp_path])
    page = shown(window, qtbot)
    every = [w for w in page.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isVisible()]
    assert len(every) > 15
    assert [w for w in every if not (w.accessibleName() or (isinstance(w, QAbstractButton) and w.text()))] == []
    small = [w for w in page.findChildren(QPushButton) if w.isVisible() and min(w.width(), w.height()) < 24]
    assert small == []


def test_the_page_fits_a_small_window_without_a_horizontal_scroll_bar(window: MainWindow) -> None:
    window.resize(1280, 720)
    window.compare()
    page = page_of(window)
    for row in SCENARIOS:
        page.choose(row)
        QTest.qWait(0)
        assert not page.area.horizontalScrollBar().isVisible()
        assert page.compare.isVisible()


# Shapes of raw files


@pytest.fixture
def raw(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> ComparePage:
    """The page with two models and a file of bare values as their inputs."""
    run_folders.onnx(tmp_path / "float.onnx")
    run_folders.onnx(tmp_path / "int8.onnx", quantized=True)
    np.ones((2, 3), np.float32).tofile(tmp_path / "x.bin")
    window.compare()
    page = shown(window, qtbot)
    page.look_through([tmp_path / "float.onnx", tmp_path / "int8.onnx"])
    qtbot.waitUntil(lambda: page.row.key == "onnx" and page.compare.isEnabled())
    assert page.shapes.isHidden()
    need_row(page, "inputs").changed.emit(tmp_path / "x.bin")
    qtbot.waitUntil(lambda: not window.jobs.running("look"))
    return page


def test_shapes_are_asked_for_where_something_raw_was_chosen_and_proposed(raw: ComparePage) -> None:
    assert not raw.shapes.isHidden()
    assert raw.shapes.lines() == ("x=2x3:float32",) and not raw.shapes.from_model.isEnabled()
    assert raw.setup.shapes == ("x=2x3:float32",) and raw.compare.isEnabled()
    assert raw.shapes.accessibleName().startswith("Shapes of raw files: x=2x3:float32.")


def test_what_is_typed_counts_and_keeps_the_cursor(raw: ComparePage) -> None:
    field = raw.shapes.field
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, "!")
    assert raw.setup.shapes == ("x=2x3:float32!",)
    assert not raw.compare.isEnabled()
    assert raw.call.text().startswith("Shapes of raw files: “x=2x3:float32!” is no shape.")
    assert raw.shapes.note.text() == raw.call.text()
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    assert raw.compare.isEnabled() and field.textCursor().atEnd()
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.keyClicks(field, "y=1x4")
    assert list(raw.setup.shapes) == ["x=2x3:float32", "y=1x4"]
    raw.shapes.from_model.click()
    assert raw.shapes.lines() == raw.setup.shapes == ("x=2x3:float32",)


def test_the_field_is_left_away_with_the_raw_file(raw: ComparePage) -> None:
    need_row(raw, "inputs").changed.emit(None)
    assert raw.shapes.isHidden() and raw.setup.shapes == ()


def test_what_does_not_fit_the_file_names_the_field(
    raw: ComparePage, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    raw.shapes.field.setPlainText("x=5x3:float32")
    raw.compare.click()
    qtbot.waitUntil(lambda: any(row.notice.kind == "error" for row in window.banners.rows), timeout=20_000)
    (said,) = [row.notice for row in window.banners.rows if row.notice.kind == "error"]
    assert "x.bin has 24 bytes" in said.text and "Shapes of raw files" in said.hint


def test_the_page_is_made_once_and_not_before_it_is_asked_for(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLES[0].model)
    complete(window, qtbot)
    assert not window.findChildren(ComparePage)
    for _ in range(2):
        window.compare()
        assert window.findChildren(ComparePage) == [page_of(window)]
        page_of(window).left.emit()
        assert window.stack.currentWidget() is window.pair


@pytest.mark.parametrize("cancelled", [True, False])
def test_what_failed_or_was_cancelled_is_not_waited_for(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, cancelled: bool
) -> None:
    """Else a page to which the user has gone since would be left when the same is compared once more."""
    (tmp_path / "golden.npz").write_bytes(b"")
    (tmp_path / "mine.npz").write_bytes(b"")
    window.comparisons.start(Setup("runs", {"reference": tmp_path / "golden.npz", "candidate": tmp_path / "mine.npz"}))
    assert window.comparisons._awaited is not None
    if cancelled:
        window.jobs.cancel_all()
    qtbot.waitUntil(lambda: window.comparisons._awaited is None)
    assert bool(window.banners.rows) is not cancelled
