"""The guide in the window: questions, steps, files to copy and save, and what is chosen as steps of undo."""

import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

import run_folders
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.guides.judging import finished
from errorflow.guides.model import Flow
from errorflow.guides.table import FLOWS, flow_of
from errorflow_viewer.commands.copy_save.tables import COPY_TABLE
from errorflow_viewer.pages.guide.guide_page import GuidePage
from errorflow_viewer.window.window import MainWindow
from viewer.commands.copy_save.menus import choose, menu_at
from viewer.lending import SHARED, Prepare

pytestmark = SHARED


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    """Nothing: the guide is begun without a model."""
    return lambda window, qtbot: None


def guided(window: MainWindow) -> GuidePage:
    window.guide()
    found = window.stack.currentWidget()
    assert isinstance(found, GuidePage)
    return found


@pytest.fixture
def page(window: MainWindow) -> GuidePage:
    return guided(window)


def begun(page: GuidePage, flow: str) -> GuidePage:
    page.questions.ask(flow_of(flow).answers)
    return page


def test_what_is_known_is_looked_for_in_the_background(
    own_window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """It may lie on a drive that does not answer."""
    window, page = own_window, guided(own_window)
    path, stat, asked = SAMPLES[0].model, os.stat, list[bool]()

    def ask(wanted: Any, *more: Any, **how: Any) -> os.stat_result:
        if not isinstance(wanted, int) and os.fspath(wanted) == str(path):
            asked.append(threading.current_thread() is threading.main_thread())
        return stat(wanted, *more, **how)

    begun(page, "pulsar2")
    guide = window.document.session.guide
    assert guide is not None
    window.document.take_session(replace(window.document.session, setup=Setup("onnx", {"original": path})))
    monkeypatch.setattr(os, "stat", ask)
    page.recall()
    qtbot.waitUntil(lambda: "1 thing" in page.head.looked.accessibleName())
    assert asked and not any(asked)


def texts(page: GuidePage) -> str:
    assert page.body is not None
    return "\n".join(label.text() for label in page.body.findChildren(QLabel))


def test_questions_lead_to_a_flow_and_can_be_taken_back(page: GuidePage, window: MainWindow) -> None:
    assert page.questions.question.text() == "Where does the model run?"
    page.questions.cards[0].chosen.emit()
    assert page.questions.question.text() == "What got worse?"
    page.questions.ask({})
    page.questions.cards[1].chosen.emit()
    guide = window.document.session.guide
    assert guide is not None and (guide.flow, guide.at) == ("pulsar2", "deployment")
    assert page.stack.currentIndex() == 1
    window.document.undo()
    assert window.document.session.guide is None and page.stack.currentIndex() == 0


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.key)
def test_every_step_is_shown(flow: object, page: GuidePage, window: MainWindow) -> None:
    key, steps = flow.key, flow.steps  # type: ignore[attr-defined]  # a row of the table
    begun(page, key)
    assert page.list.table.rowCount() == len(steps)
    for number, step in enumerate(steps):
        page.list.setCurrentIndex(page.list.table.index(number, 0))
        guide = window.document.session.guide
        assert guide is not None and guide.at == step.key
        assert page.body is not None and step.why in texts(page)
        assert len(page.body.rows) == len(step.wanted) and len(page.buttons) == len(step.do)
        assert page.body.ways is None if step.is_end else page.body.ways is not None


def test_the_steps_say_what_they_are_without_being_seen(page: GuidePage) -> None:
    begun(page, "ascend-caffe")
    said = [
        page.list.table.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        for row in range(page.list.table.rowCount())
    ]
    assert said[0] == "Step 1, Quantization: original against quantized model: you are here"
    assert said[2].endswith("not done yet")


def test_commands_are_copied_with_the_users_names(page: GuidePage, window: MainWindow) -> None:
    begun(page, "ascend-caffe")
    page.head.own.changed.emit("model", Path("/nets/resnet50.prototxt"))
    page.head.own.changed.emit("soc_version", "Ascend310P3")
    page.list.setCurrentIndex(page.list.table.index(2, 0))
    assert page.body is not None
    block = next(block for block in page.body.blocks if block.how.title == "Compile the model")
    block.copy.click()
    copied = QGuiApplication.clipboard().text()
    assert "--soc_version=Ascend310P3 --fusion_switch_file=fusion_switch.cfg" in copied and "\n" not in copied
    assert "--output=out/resnet50_int8_off" in copied
    assert not block.findChildren(QPlainTextEdit)


def test_a_model_of_another_framework_is_not_taken(page: GuidePage, window: MainWindow) -> None:
    begun(page, "ascend-caffe")
    page.head.own.changed.emit("model", Path("/nets/resnet50.onnx"))
    assert page.notice.text.text().startswith("resnet50.onnx is no Caffe model")
    guide = window.document.session.guide
    assert guide is not None and guide.given.model is None


def test_files_are_unfolded_and_stay_so(page: GuidePage, window: MainWindow) -> None:
    begun(page, "ascend-caffe")
    page.list.setCurrentIndex(page.list.table.index(2, 0))
    assert page.body is not None
    block = next(block for block in page.body.blocks if block.file == "fusion_switch.cfg")
    assert not block.is_open
    block.fold.click()
    (field,) = block.findChildren(QPlainTextEdit)
    assert json.loads(field.toPlainText())["Switch"]["UBFusion"] == {"ALL": "off"}
    page.head.own.changed.emit("soc_version", "Ascend310P3")
    assert page.body.opened == ("fusion_switch.cfg",)


def test_all_files_of_a_step_are_saved_and_none_is_replaced(
    page: GuidePage, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    begun(page, "ascend-caffe")
    page.list.setCurrentIndex(page.list.table.index(2, 0))
    page.save_files(tmp_path)
    qtbot.waitUntil(lambda: not window.jobs.steps and (tmp_path / "fusion_switch.cfg").exists())
    (tmp_path / "fusion_switch.cfg").write_text("mine")
    page.save_files(tmp_path)
    qtbot.waitUntil(lambda: "fusion_switch.cfg already" in page.notice.text.text())
    assert "--force" not in page.notice.text.text()
    assert (tmp_path / "fusion_switch.cfg").read_text() == "mine"
    page.notice.button.click()
    qtbot.waitUntil(lambda: "files were written" in page.notice.text.text())
    assert "GraphFusion" in (tmp_path / "fusion_switch.cfg").read_text()


def test_a_folder_that_is_dropped_fills_the_needs(own_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    page = guided(own_window)
    run_folders.npu(tmp_path / "npu")
    run_folders.npy(tmp_path / "golden")
    run_folders.atc_json(tmp_path / "net.json")
    begun(page, "ascend-caffe-float")
    (compare,) = page.buttons
    assert not compare.isEnabled() and page.foot.call.text().startswith("Missing:")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    move, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    page.dropEvent(QDropEvent(QPoint(5, 5), move, data, left, Qt.KeyboardModifier.NoModifier))
    qtbot.waitUntil(lambda: "3 things" in page.head.looked.accessibleName())
    (compare,) = page.buttons
    assert compare.isEnabled() and page.foot.call.text().startswith("errorflow compare -m")
    assert page.body is not None
    assert [row.mark.text() for row in page.body.rows] == ["●", "●", "●", "○"]
    page.body.rows[0].clear.click()
    assert [row.mark.text() for row in page.body.rows] == ["○", "●", "●", "○"]
    assert not page.buttons[0].isEnabled()
    page.body.rows[0].changed.emit(tmp_path / "npu")
    assert page.buttons[0].isEnabled()


def test_a_number_that_is_written_down_judges_the_step(page: GuidePage, window: MainWindow) -> None:
    begun(page, "horizon")
    assert page.body is not None and page.body.checks is not None
    field = page.body.checks.fields["float_accuracy"]
    field.setText("78.788 %")
    field.editingFinished.emit()
    assert page.body.checks is not None
    field = page.body.checks.fields["accuracy"]
    field.setText("0.71138")
    field.editingFinished.emit()
    assert page.body.checks.signs[0] == "failed" and "Result: failed." in texts(page)
    assert page.body.next is not None and page.body.next.text() == "Next: Settings and data"
    QTest.keyClick(page, Qt.Key.Key_Return)
    guide = window.document.session.guide
    assert guide is not None and (guide.at, guide.step("accuracy").outcome) == ("config", "failed")
    window.document.undo()
    assert window.document.session.guide is not None and window.document.session.guide.at == "accuracy"


def test_what_is_no_number_is_said_and_not_taken(page: GuidePage, window: MainWindow) -> None:
    begun(page, "horizon")
    assert page.body is not None and page.body.checks is not None
    field = page.body.checks.fields["accuracy"]
    field.setText("much")
    field.editingFinished.emit()
    assert "is no number" in page.body.checks._wrong["accuracy"].text()
    guide = window.document.session.guide
    assert guide is not None and not guide.step("accuracy").numbers


def test_a_step_done_by_hand_is_ended_by_taking_a_way(page: GuidePage, window: MainWindow) -> None:
    begun(page, "pulsar2")
    assert page.body is not None and page.body.ways is not None
    page.body.ways.buttons[0].click()
    guide = window.document.session.guide
    assert guide is not None and (guide.at, guide.step("deployment").outcome) == ("basics", "passed")
    assert page.list.table.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole).endswith("passed")


def test_the_first_answer_has_the_keyboard_and_then_the_steps(
    page: GuidePage, window: MainWindow, qtbot: QtBot
) -> None:
    window.show()
    window.guide()
    qtbot.waitUntil(lambda: window.focusWidget() is page.questions.cards[0])
    begun(page, "onnx")
    window.leave_page()
    window.guide()
    qtbot.waitUntil(lambda: window.focusWidget() is page.list)


def test_the_tabulator_goes_as_one_reads_from_the_steps_to_the_buttons(page: GuidePage) -> None:
    begun(page, "pulsar2")
    assert page.body is not None and page.body.ways is not None
    passed: list[QWidget] = []
    widget = page.list.nextInFocusChain()
    while widget is not None and widget is not page.buttons[-1]:
        passed.append(widget)
        widget = widget.nextInFocusChain()
    first, *_, last = page.body.ways.buttons
    assert passed.index(first) < passed.index(last) < passed.index(page.foot.back)


def test_the_last_step_has_all_that_was_found_to_copy(page: GuidePage, window: MainWindow) -> None:
    begun(page, "ascend-caffe")
    window._guiding.write("float_accuracy", 0.76)
    window._guiding.write("accuracy", 0.74)
    page.list.setCurrentIndex(page.list.table.index(page.list.table.rowCount() - 1, 0))
    assert "Quantization: original against quantized model: look closer" in texts(page)
    assert [button.text() for button in page.buttons] == ["Show the verdict", "Make the ticket"]


def test_escape_leaves_the_page_and_the_guide_stays(page: GuidePage, window: MainWindow) -> None:
    begun(page, "onnx")
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.start
    window.guide()
    assert page.stack.currentIndex() == 1 and page.head.title.text() == flow_of("onnx").title


def test_nothing_is_clipped_at_the_least_size(page: GuidePage, window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 720)
    begun(page, "ascend-caffe")
    qtbot.waitUntil(lambda: page.list.width() > 0)
    assert page.width() <= 1280
    assert page._page.width() <= page._area.viewport().width()


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.key)
def test_in_a_narrow_window_the_way_on_is_seen_whole(flow: Flow, page: GuidePage, window: MainWindow) -> None:
    """Each step with its first way, and with those whose button says what none before did."""
    window.resize(800, 600)
    page.questions.ask(flow.answers)
    count, told = 0, set[str]()
    for step, way in [(each, way) for each in flow.steps for way in each.ways]:
        if way is not step.ways[0] and way.to in told:
            continue
        told.add(way.to)
        progress = window._guiding.progress
        assert progress is not None
        ended = finished(replace(progress, at=step.key), step, way.outcome, "2026-01-02")
        window.document.edit("End it so", guide=ended)
        QApplication.processEvents()
        body, seen = page.body, page._area.viewport()
        assert body is not None and page._page.width() <= seen.width(), f"{step.key}, {way.outcome}"
        if body.next is not None:
            count += 1
            right = body.next.mapTo(seen, body.next.rect().topRight()).x()
            assert body.next.width() >= body.next.sizeHint().width() and right < seen.width(), body.next.text()
    assert count and window.width() == 800


def test_the_guide_is_found_from_the_start_page_and_the_comparison(window: MainWindow) -> None:
    window.start.guide_button.click()
    assert isinstance(window.stack.currentWidget(), GuidePage)
    window.leave_page()
    window.compare()
    window.comparisons.page.guide.click()
    assert isinstance(window.stack.currentWidget(), GuidePage)


def test_what_cannot_be_done_yet_says_so(page: GuidePage) -> None:
    begun(page, "ascend-onnx-quick")
    measure = next(button for button in page.buttons if button.text() == "Measure the accuracy")
    assert not measure.isEnabled() and "Open a float ONNX model first" in measure.toolTip()
    assert "write both accuracies down above" in page.foot.lacks.text() and not page.foot.lacks.isHidden()


def test_the_wheel_over_a_box_scrolls_the_page(page: GuidePage) -> None:
    begun(page, "onnx")
    assert page.body is not None
    event = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    page.body.rows[0].box.wheelEvent(event)
    assert not event.isAccepted()


def test_a_folder_of_another_case_asks_to_start_anew(own_window: MainWindow, qtbot: QtBot) -> None:
    window, page = own_window, guided(own_window)
    begun(page, "onnx")
    page.look_through([SAMPLES[0].model])
    qtbot.waitUntil(lambda: not window.jobs.steps)
    page._guiding.write("accuracy", 0.9)
    page.look_through([SAMPLES[1].model])
    qtbot.waitUntil(lambda: page.notice.isVisibleTo(page))
    guide = window.document.session.guide
    assert guide is not None and guide.given.model == SAMPLES[0].model
    page.notice.button.click()
    guide = window.document.session.guide
    assert guide is not None and guide.given.model == SAMPLES[1].model and not guide.steps
    assert [found.path for found in page._discovered.found] == [SAMPLES[1].model]


def test_the_checks_of_a_step_can_be_copied_as_a_table(page: GuidePage) -> None:
    begun(page, "horizon")
    assert page.body is not None and page.body.checks is not None
    checks = page.body.checks
    choose(menu_at(checks.findChildren(QLabel)[1]), COPY_TABLE)

    head, *rows = (line.split("\t") for line in QGuiApplication.clipboard().text().splitlines())
    assert head == ["Check", "State", "Found", "Threshold", "Source"]
    assert [row[1] for row in rows] == checks.signs
