"""Files are dropped on the window."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.commands.crumbs import Crumbs
from errorflow_viewer.window.window import MainWindow
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


def test_a_file_that_is_dropped_twice_is_one(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """By the same name, or by another that leads to it."""
    (tmp_path / "link.onnx").symlink_to(SAMPLE)
    for paths in ((SAMPLE, SAMPLE), (SAMPLE, tmp_path / "link.onnx")):
        drop(window, mime(*paths))
        qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
        assert said(window) == []
        window.close_model()


def test_of_a_folder_the_model_is_opened_and_what_cannot_be_read_is_told(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "model.onnx").write_bytes(SAMPLE.read_bytes())
    for name, text in (("a", ""), ("b", "{"), ("z", '{"version": 99}')):
        (tmp_path / f"{name}.errorflow").write_text(text)
    drop(window, mime(tmp_path))
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    assert window.document.model is not None and window.document.model.path == tmp_path / "model.onnx"
    (notice,) = said(window)
    assert notice.text == "Not all that lies there could be looked at."
    assert [line.partition(" ")[0] for line in notice.details.splitlines()] == [
        "a.errorflow",
        "b.errorflow",
        "z.errorflow",
    ]


def test_a_name_with_a_line_break_breaks_nothing_that_is_one_line(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "one\ntwo.onnx"
    path.write_bytes(SAMPLE.read_bytes())
    opened(window, qtbot, path)
    crumbs = window.findChildren(Crumbs)[0]
    assert window.windowTitle() == "one↵two.onnx[*] – Errorflow"
    assert crumbs.buttons[0].text() == "one↵two.onnx"
    assert window.windowFilePath() == str(path)
