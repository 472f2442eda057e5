"""However a run ends, the next one says so, and has what was decided."""

import os
import signal
import sys
from pathlib import Path

import pytest

from errorflow import __version__
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from robust.started import CLOSE, SAMPLE, STAY, Process, ends, notices, start, surroundings, wait_for

NOTE = "window.document.edit('Note', notes={window.document.graph.node_names[0]: 'look here'}); "
# As soon as the note is kept, the process ends in this way.
THEN = """
from PySide6.QtCore import QTimer
def end():
    if any('look here' in path.read_text() for path in folder.glob('open-*.errorflow')):
        timer.stop()
        {end}
folder = pathlib.Path(window.support._log_file).parent / 'drafts'
timer = QTimer(window, interval=50)
timer.timeout.connect(end)
timer.start()
"""
RESTORE = """
from PySide6.QtWidgets import QPushButton
from PySide6.QtCore import QTimer
button, = [b for row in window.banners.rows for b in row.buttons() if b.text() == 'Restore what was open']
button.click()
def look():
    if window.document.model is not None and not window.jobs.steps:
        print('notes:', dict(window.document.session.notes), flush=True)
        timer.stop()
        window.close()
timer = QTimer(window, interval=30)
timer.timeout.connect(look)
timer.start()
"""
NATIVE = "import ctypes; ctypes.string_at(0)"
FATAL = "from PySide6.QtCore import qFatal; qFatal('the end')"
WAYS = {
    "segfault": (NATIVE, "Errorflow crashed last time."),
    "abort": ("os.abort()", "Errorflow crashed last time."),
    "fatal for Qt": (FATAL, "Errorflow crashed last time."),
    "killed": ("os.kill(os.getpid(), 9)", "Errorflow was ended from outside last time"),
    "left at once": ("os._exit(0)", "Errorflow was ended from outside last time"),
    "in a thread": (
        f"import threading; threading.Thread(target=lambda: exec({NATIVE!r})).start()",
        "Errorflow crashed last time.",
    ),
}


# Of those that take the same way through the app, the longer tests have the others.
FIRST = ("segfault", "killed")


@pytest.mark.parametrize(
    "way", [*FIRST, *(pytest.param(way, marks=pytest.mark.slow) for way in WAYS if way not in FIRST)]
)
def test_the_next_start_says_so_and_has_what_was_decided(tmp_path: Path, way: str) -> None:
    code, said = WAYS[way]
    environment = surroundings(tmp_path)
    ended = start(environment, str(SAMPLE), then=NOTE + THEN.format(end=code))
    assert "ready" in ended.stdout and (ended.returncode != 0 or way == "left at once")
    after = start(environment, then=RESTORE)
    assert after.returncode == 0, after.stderr
    assert any(text.startswith(said) and "Nothing that you decided is lost" in text for text in notices(after.stdout))
    assert "'look here'" in after.stdout
    assert ends(start(environment).stdout) == []  # it is said once


def test_the_stacks_of_all_threads_are_in_the_report(tmp_path: Path) -> None:
    environment = surroundings(tmp_path)
    start(environment, then=f"{NATIVE}")
    show = (
        "b, = [b for row in window.banners.rows for b in row.buttons() if b.text() == 'Show report']; b.click();"
        "print(run.recovery.report.report.toPlainText()); run.recovery.report.close(); window.close()"
    )
    said = start(environment, then=show).stdout
    assert "Fatal Python error: Segmentation fault" in said and "string_at" in said
    assert f"Errorflow {__version__} had started at" in said and "The end of the log" in said
    assert str(tmp_path / "home") not in said


def test_a_signal_of_the_system_ends_it_in_good_order(tmp_path: Path) -> None:
    environment = surroundings(tmp_path)
    # A model is open for one of them: all go the same way.
    for number, files in ((signal.SIGTERM, (str(SAMPLE),)), (signal.SIGINT, ()), (signal.SIGHUP, ())):
        with Process(environment, files, STAY) as app:
            app.wait_until_ready()
            app.process.send_signal(number)
            app.process.communicate(timeout=60)
            assert app.process.returncode == 0
    assert ends(start(environment).stdout) == []


def test_a_second_window_is_no_sudden_end(tmp_path: Path) -> None:
    environment = surroundings(tmp_path)
    with Process(environment, (), STAY) as app:
        app.wait_until_ready()
        assert ends(start(environment, "--new-instance").stdout) == []


def test_what_ended_it_twice_is_asked_about(tmp_path: Path) -> None:
    environment = surroundings(tmp_path)
    model = tmp_path / "evil.onnx"
    model.write_bytes(SAMPLE.read_bytes())
    for _ in range(2):
        start(environment, str(model), then="os.abort()", asked=True)
    session = tmp_path / "case.errorflow"
    write_session(Session(model=model), session)
    third = start(environment, str(session), then=CLOSE, asked=True)
    assert any(
        "ended twice while it opened evil.onnx" in text and "Open it all the same" in text
        for text in notices(third.stdout)
    )
    assert "nodes: 0" in third.stdout
    model.write_bytes(SAMPLE.read_bytes() + b"")
    os.utime(model, (1, 1))  # another file now
    assert "nodes: 31" in start(environment, str(model)).stdout


def test_a_child_that_dies_ends_its_work_and_not_the_app(tmp_path: Path) -> None:
    """Models are run in processes of their own."""
    kill = (
        "import psutil\n"
        "from PySide6.QtCore import QTimer\n"
        "for child in psutil.Process().children(recursive=True): child.kill()\n"
        "window.compare_again()\n"
        "timer = QTimer(window, interval=30)\n"
        "timer.timeout.connect(lambda: window.jobs.steps or print('over', flush=True) or window.close())\n"
        "timer.start()"
    )
    done = start(surroundings(tmp_path), str(SAMPLE), then=kill)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert done.stdout.splitlines()[-1] == "over"


def test_an_error_before_there_is_a_window_is_told_now_and_at_the_next_start(tmp_path: Path) -> None:
    environment = surroundings(tmp_path)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import errorflow_viewer.window.window as w\ndef fail(self, *_): raise ValueError('no window today')\n"
        "w.MainWindow.__init__ = fail\n"
    )
    code = f"import sys; sys.path.insert(0, {str(broken)!r}); import sitecustomize\n"
    import subprocess

    main = "from errorflow_viewer.app.start import main; sys.exit(main())"
    script = code.replace("import sitecustomize", "exec(open(sys.path[0] + '/sitecustomize.py').read())") + main
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 3
    assert "Errorflow could not start: ValueError: no window today" in done.stderr and "--safe" in done.stderr
    assert any("ended with an error last time" in text for text in notices(start(environment).stdout))


def test_an_error_while_it_ends_is_told(tmp_path: Path) -> None:
    environment = surroundings(tmp_path)
    late = "window.closed.connect(lambda: 1 // 0); window.close()"
    done = start(environment, then=late, wrong=True)
    assert "ZeroDivisionError" in done.stderr
    assert any("ended with an error last time" in text for text in notices(start(environment).stdout))


@pytest.mark.window
def test_a_screen_that_goes_away_is_named(tmp_path: Path) -> None:
    from robust.screens import screen

    with screen() as (display, server):
        environment = surroundings(tmp_path, QT_QPA_PLATFORM="xcb", DISPLAY=display)
        with Process(environment, (str(SAMPLE),), NOTE + STAY) as app:
            app.wait_until_ready()
            drafts = tmp_path / "home"
            wait_for(lambda: any("look here" in p.read_text() for p in drafts.rglob("open-*.errorflow")), "the draft")
            server.kill()
            app.process.communicate(timeout=60)
    said = notices(start(surroundings(tmp_path)).stdout)
    assert any("The screen went away while Errorflow was open" in text for text in said)


THREADS = """
from PySide6.QtCore import QRunnable, QThread, QThreadPool, QTimer
class Worker(QThread):
    def run(self):
        raise ValueError('in a thread of Qt')
class Task(QRunnable):
    def run(self):
        raise ValueError('in a pool of Qt')
class Painted(QWidget):
    def paintEvent(self, event):
        raise ValueError('while painting')
worker, task, painted = Worker(), Task(), Painted()
worker.start()
QThreadPool.globalInstance().start(task)
painted.show()
def look():
    painted.update()
    told = '' if run.reporter.window is None else run.reporter.window.report.toPlainText()
    if all(what in told for what in ('thread of Qt', 'pool of Qt', 'while painting')):
        print('all told, painting', told.count('ValueError: while painting'), 'times', flush=True)
        timer.stop()
        painted.close()
        run.reporter.window.go_on.click()
        window.close()
timer = QTimer(window, interval=30)
timer.timeout.connect(look)
timer.start()
"""


def test_errors_in_threads_of_qt_and_while_painting_are_shown(tmp_path: Path) -> None:
    done = start(surroundings(tmp_path), then="from PySide6.QtWidgets import QWidget" + THREADS, wrong=True)
    assert "all told, painting 1 times" in done.stdout and done.returncode == 0, done.stderr


LATE = """
import threading, time
def work(progress):
    for _ in range(500):
        progress.step(0, 0, 'late')
        time.sleep(0.01)
def begin():
    window.jobs.start('late', 'Late', work, lambda _: None, lambda _: None)
def tell():
    print('late ones:', [each.name for each in threading.enumerate() if each.name == 'job late'], flush=True)
window.closed.connect(begin)
window.destroyed.connect(tell)
window.close()
"""


def test_what_is_begun_after_the_window_was_closed_ends_before_it_is_gone(tmp_path: Path) -> None:
    done = start(surroundings(tmp_path), then=LATE)
    assert "late ones: []" in done.stdout and done.returncode == 0, done.stdout + done.stderr
