"""The crash window, and who calls it."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from errorflow_viewer.crash import CrashReporter, CrashWindow, RunMark


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


def test_a_run_that_ended_well_leaves_no_mark(tmp_path: Path) -> None:
    mark = RunMark(tmp_path, 1)
    assert not mark.set()
    mark.clear()
    assert not RunMark(tmp_path, 2).set()


def test_a_run_that_is_still_going_is_no_crash(tmp_path: Path) -> None:
    first, second = RunMark(tmp_path, 1), RunMark(tmp_path, 2)
    first.set()
    assert not second.set()
    first.clear()
    second.clear()


def test_a_mark_of_a_process_that_is_gone_tells_of_a_crash(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from errorflow_viewer.crash import RunMark;"
        "mark = RunMark(Path(sys.argv[1]), 7); mark.set(); os._exit(1)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    mark = RunMark(tmp_path, 2)
    assert mark.set()
    mark.clear()
    assert not RunMark(tmp_path, 3).set()


def test_enter_goes_on(qtbot: QtBot) -> None:
    window = CrashWindow("")
    qtbot.addWidget(window)
    assert window.focusWidget() is window.go_on and window.go_on.isDefault()
