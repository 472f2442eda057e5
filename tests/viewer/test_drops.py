"""Files are dropped on the window."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.sample import SAMPLES
from errorflow_viewer.window import MainWindow
from viewer.opened import SAMPLE, opened, said


def mime(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drop(window: MainWindow, data: QMimeData) -> None:
    point, buttons = window.rect().center(), Qt.MouseButton.LeftButton
    plain = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(point, Qt.DropAction.CopyAction, data, buttons, plain))
    QApplication.sendEvent(window, QDropEvent(QPointF(point), Qt.DropAction.CopyAction, data, buttons, plain))


def test_a_dropped_file_is_opened(window: MainWindow, qtbot: QtBot) -> None:
    drop(window, mime(SAMPLE))
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)


def test_of_several_dropped_files_the_first_is_opened_and_the_others_are_named(
    window: MainWindow, qtbot: QtBot
) -> None:
    drop(window, mime(SAMPLE, Path("/b.onnx"), Path("/c.onnx")))
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    (notice,) = said(window)
    assert notice.kind == "info" and "b.onnx, c.onnx" in notice.hint


def test_what_is_said_about_a_model_goes_with_it(window: MainWindow, qtbot: QtBot) -> None:
    drop(window, mime(SAMPLE, Path("/b.onnx")))
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    window.status.text.setText("/stem/conv/Conv")
    opened(window, qtbot, SAMPLES[1].model)
    assert said(window) == [] and window.status.text.text() == ""


def test_dropped_text_is_not_for_us(window: MainWindow) -> None:
    data = QMimeData()
    data.setText("hello")
    event = QDragEnterEvent(
        window.rect().center(),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    event.ignore()
    QApplication.sendEvent(window, event)
    assert not event.isAccepted()


def test_a_veil_shows_while_files_hang_over_the_window(window: MainWindow) -> None:
    data = mime(SAMPLE)
    point, buttons = window.rect().center(), Qt.MouseButton.LeftButton
    plain = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(point, Qt.DropAction.CopyAction, data, buttons, plain))
    assert window.veil.isVisible()
    window.grab()
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not window.veil.isVisible()
