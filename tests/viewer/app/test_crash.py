"""The crash window, and who calls it."""

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, use
from errorflow.base.progress import Progress
from errorflow_viewer.app.crash import MOST_KINDS, CrashReporter, CrashWindow
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.logs import Logs
from errorflow_viewer.kit.report_window import FILE_NAMES, IN_ENGLISH, redacted


@pytest.fixture
def reporter(qapp: object) -> Iterator[CrashReporter]:
    reporter = CrashReporter(lambda: "Errorflow 0\n")
    before = sys.excepthook
    reporter.install()
    yield reporter
    reporter.remove()
    assert sys.excepthook is before
    if reporter.window is not None:
        reporter.window.close()


def shown(reporter: CrashReporter, qtbot: QtBot) -> CrashWindow:
    qtbot.waitUntil(lambda: reporter.window is not None)
    assert reporter.window is not None
    return reporter.window


def raise_as_qt_does(error: Exception) -> None:
    try:
        raise error
    except Exception:  # noqa: BLE001 - it is handed to the hook, as Qt does for a slot
        sys.excepthook(*sys.exc_info())


def test_an_error_in_a_slot_opens_the_window(reporter: CrashReporter, qtbot: QtBot) -> None:
    QTimer.singleShot(0, lambda: raise_as_qt_does(ValueError("in a slot")))
    window = shown(reporter, qtbot)
    assert window.isVisible()
    assert "ValueError: in a slot" in window.report.toPlainText()
    assert "Errorflow 0" in window.report.toPlainText()


def test_an_error_in_a_thread_opens_the_window(reporter: CrashReporter, qtbot: QtBot) -> None:
    thread = threading.Thread(target=lambda: 1 // 0)
    thread.start()
    thread.join()
    assert "ZeroDivisionError" in shown(reporter, qtbot).report.toPlainText()


def test_an_error_that_cannot_be_raised_opens_the_window(reporter: CrashReporter, qtbot: QtBot) -> None:
    class Broken:
        def __del__(self) -> None:
            raise RuntimeError("while it went")

    del_me = Broken()
    del del_me
    assert "while it went" in shown(reporter, qtbot).report.toPlainText()


def test_an_error_that_repeats_is_shown_once(reporter: CrashReporter, qtbot: QtBot) -> None:
    for _ in range(100):
        raise_as_qt_does(ValueError("painting"))
    assert shown(reporter, qtbot).report.toPlainText().count("ValueError: painting") == 1


def test_going_on_after_an_error_does_not_bring_it_back(reporter: CrashReporter, qtbot: QtBot) -> None:
    def again() -> None:
        raise_as_qt_does(ValueError("painting"))

    again()
    shown(reporter, qtbot).go_on.click()
    assert reporter.window is None
    again()
    raise_as_qt_does(KeyError("another"))
    assert "KeyError" in shown(reporter, qtbot).report.toPlainText()
    assert "painting" not in shown(reporter, qtbot).report.toPlainText()


def test_a_second_error_is_added_to_the_open_window(reporter: CrashReporter, qtbot: QtBot) -> None:
    raise_as_qt_does(ValueError("one"))
    window = shown(reporter, qtbot)
    raise_as_qt_does(ValueError("two"))
    qtbot.waitUntil(lambda: "two" in window.report.toPlainText())
    assert "one" in window.report.toPlainText()


def test_the_report_can_be_copied(reporter: CrashReporter, qtbot: QtBot) -> None:
    raise_as_qt_does(ValueError("copy me"))
    window = shown(reporter, qtbot)
    window.copy.click()
    assert "copy me" in QGuiApplication.clipboard().text()


def test_the_window_appears_even_when_the_versions_cannot_be_told(qtbot: QtBot) -> None:
    def broken() -> str:
        raise OSError("no versions")

    reporter = CrashReporter(broken)
    reporter.install()
    raise_as_qt_does(ValueError("still"))
    window = shown(reporter, qtbot)
    assert "no versions" in window.report.toPlainText() and "still" in window.report.toPlainText()
    window.close()
    reporter.remove()


def test_an_error_in_background_work_opens_the_window(reporter: CrashReporter, qtbot: QtBot) -> None:
    jobs = Jobs()

    def fail(_: Progress) -> None:
        raise ValueError("in a job")

    jobs.start("work", "Working", fail, lambda _: None, lambda _: None)
    assert "in a job" in shown(reporter, qtbot).report.toPlainText()


def test_an_error_that_repeats_while_painting_does_not_fill_the_log(
    reporter: CrashReporter, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(150):
        raise_as_qt_does(ValueError(f"box {number} at 0x7f{number:04x}"))
    told = [record for record in caplog.records if record.name == "errorflow_viewer.app.crash"]
    assert len(told) == 3
    assert shown(reporter, qtbot).report.toPlainText().count("ValueError: box") == 1


def test_kinds_without_end_are_not_remembered_without_end(reporter: CrashReporter, qtbot: QtBot) -> None:
    for number in range(MOST_KINDS + 50):
        raise_as_qt_does(ValueError("x" * (number + 1)))
    assert len(reporter._seen) == MOST_KINDS
    shown(reporter, qtbot)


def test_an_error_that_cannot_even_be_told_is_shown(reporter: CrashReporter, qtbot: QtBot) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("not even this")

    raise_as_qt_does(MuteError())
    assert "Mute" in shown(reporter, qtbot).report.toPlainText()


def test_where_the_window_cannot_be_shown_the_terminal_has_it(
    reporter: CrashReporter, qtbot: QtBot, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no window either")

    monkeypatch.setattr(CrashWindow, "add", fail)
    raise_as_qt_does(ValueError("told all the same"))
    qtbot.waitUntil(lambda: reporter._waiting == [])
    said = capsys.readouterr().err
    assert "told all the same" in said and "no window either" in said


def test_what_comes_when_no_window_is_shown_any_more_is_told(qtbot: QtBot, capsys: pytest.CaptureFixture[str]) -> None:
    kept: list[str] = []
    reporter = CrashReporter(lambda: "", kept.append)
    reporter.install()
    raise_as_qt_does(ValueError("just before"))
    reporter.end()
    raise_as_qt_does(ValueError("just after"))
    reporter.remove()
    said = capsys.readouterr().err
    assert all("just before" in text for text in (said, kept[0])) and all(
        "just after" in text for text in (said, kept[1])
    )
    qtbot.wait(10)
    assert reporter.window is None


def test_the_report_has_the_end_of_the_log(reporter: CrashReporter, qtbot: QtBot, tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    logs.start()
    logging.getLogger("errorflow").info("what happened before")
    raise_as_qt_does(ValueError("then this"))
    text = shown(reporter, qtbot).report.toPlainText()
    logs.stop()
    assert text.index("then this") < text.index("The end of the log") < text.index("what happened before")
    assert text.count("then this") == 1


def test_an_error_that_comes_while_another_is_logged_is_told_once_as_well(
    reporter: CrashReporter, qtbot: QtBot, tmp_path: Path
) -> None:
    class Second(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            """Not `emit`, which is called with a lock that the other thread wants."""
            if "the first" in record.getMessage():
                other = threading.Thread(target=raise_as_qt_does, args=(ValueError("the second"),))
                other.start()
                other.join()
            return True

    logs, second = Logs(tmp_path), Second()
    logs.start()
    logging.getLogger().addHandler(second)  # after the one that keeps the lines
    raise_as_qt_does(ValueError("the first"))
    logging.getLogger().removeHandler(second)
    qtbot.waitUntil(lambda: reporter._waiting == [])
    text = shown(reporter, qtbot).report.toPlainText()
    logs.stop()
    assert [text.count(f"ValueError: the {each}") for each in ("first", "second")] == [1, 1]


def test_the_report_can_be_saved(
    reporter: CrashReporter, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.txt"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    raise_as_qt_does(ValueError("save me"))
    shown(reporter, qtbot).save.click()
    assert "save me" in target.read_text("utf-8")


def test_whose_home_it_is_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    text = 'File "/home/somebody/models/x.onnx", "/home/else/y", "C:\\Users\\Third\\z"'
    assert redacted(text) == 'File "~/models/x.onnx", "/home/…/y", "C:\\Users\\…\\z"'


def test_another_language_says_that_the_report_is_in_english(qtbot: QtBot) -> None:
    use("zh_CN")
    try:
        window = CrashWindow("Errorflow 0.1.0", "a line")
    finally:
        use(ENGLISH.key)
    qtbot.addWidget(window)
    assert window.said.text().endswith(IN_ENGLISH)
    assert "The end of the log:" in window.report.toPlainText()
    assert CrashWindow("").said.text() == FILE_NAMES


def test_enter_goes_on(qtbot: QtBot) -> None:
    window = CrashWindow("")
    qtbot.addWidget(window)
    assert window.focusWidget() is window.go_on and window.go_on.isDefault()
