"""The way in: options, what is imported until the window is there, and the whole run."""

import subprocess
import sys
from pathlib import Path

import pytest

import errorflow
from errorflow.base.sample import SAMPLES

HEAVY = ("onnx", "onnxruntime", "networkx", "pyqtgraph", "google.protobuf")


def start(code: str, *arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
    import os

    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, **extra}, check=False
    )


MAIN = "import sys; from errorflow_viewer.app.start import main; sys.exit(main())"


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_questions_are_answered_without_a_screen_and_without_qt(option: str) -> None:
    code = MAIN.replace(
        "sys.exit(main())", "import atexit; atexit.register(lambda: print('PySide6' in sys.modules)); sys.exit(main())"
    )
    done = start(code, option, QT_QPA_PLATFORM="nonsense")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "False"
    assert errorflow.__version__ in done.stdout or "usage" in done.stdout


def test_an_unknown_option_is_refused() -> None:
    done = start(MAIN, "--nonsense")
    assert done.returncode == 2 and "--nonsense" in done.stderr


def test_no_heavy_library_is_imported_until_the_window_is_shown() -> None:
    code = f"""
import sys
from errorflow_viewer.app.start import main
from errorflow_viewer.app import running
class Shown(running.AppRun):
    def show(self, files):
        super().show(files)
        from PySide6.QtWidgets import QApplication
        QApplication.processEvents()
        print([name for name in {HEAVY!r} if name in sys.modules])
        QApplication.exit(0)
        from PySide6.QtCore import QTimer
        QTimer.singleShot(0, QApplication.quit)
running.AppRun = Shown
main(["--new-instance"])
"""
    done = start(code)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_self_test_draws_the_sample() -> None:
    done = start(MAIN, "--self-test")
    assert done.returncode == 0, done.stderr
    assert "self-test: ok" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_relative_path_is_opened_from_where_one_is(tmp_path: Path) -> None:
    from errorflow_viewer.app.start import _parse

    options = _parse(["a.onnx", "/b.onnx"])
    assert options.files == [Path.cwd() / "a.onnx", Path("/b.onnx")]


@pytest.mark.parametrize(
    ("arguments", "files"),
    [([], []), (["--sample"], [SAMPLES[0].model]), (["/a.onnx", "--sample"], [Path("/a.onnx"), SAMPLES[0].model])],
    ids=str,
)
def test_the_built_in_sample_is_opened_on_request(arguments: list[str], files: list[Path]) -> None:
    from errorflow_viewer.app.start import _parse, _wanted

    assert _wanted(_parse(arguments)) == files


def test_beside_one_that_does_not_answer_the_window_says_so(tmp_path: Path) -> None:
    code = """
import sys
from errorflow_viewer.app import running
class Ready(running.AppRun):
    def show(self, files):
        super().show(files)
        from PySide6.QtCore import QTimer
        QTimer.singleShot(0, self.tell)
    def tell(self):
        print([row.notice.text for row in self.window.banners.rows])
        self.window.close()
running.AppRun = Ready
sys.exit(running.run([], None, True, self_test=False))
"""
    done = start(code, XDG_STATE_HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "Another Errorflow is open but does not answer" in done.stdout


def test_whoever_comes_while_it_closes_finds_nobody(where: str, tmp_path: Path) -> None:
    """It would hand its files to a window that nobody sees any more."""
    code = f"""
import sys
from errorflow_viewer.app import running
from errorflow_viewer.app.single import hand_over
class Ready(running.AppRun):
    def show(self, files):
        super().show(files)
        from PySide6.QtCore import QTimer
        QTimer.singleShot(0, self.leave)
    def leave(self):
        print(hand_over({where!r}, [], answer=10).value)
        self.window.closing.connect(lambda: print(hand_over({where!r}, [], answer=10).value))
        self.window.close()
running.AppRun = Ready
sys.exit(running.run([], {where!r}, False, self_test=False))
"""
    done = start(code, XDG_STATE_HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["busy", "nobody"]


def test_a_signal_ends_the_app_in_good_order(tmp_path: Path) -> None:
    import os
    import signal

    code = f"""
import sys
from errorflow_viewer.app import running
class Ready(running.AppRun):
    def show(self, files):
        super().show(files)
        from PySide6.QtCore import QTimer
        QTimer.singleShot(0, lambda: print("ready", flush=True))
running.AppRun = Ready
sys.exit(running.run([__import__('pathlib').Path({str(SAMPLES[0].model)!r})], None, False, self_test=False))
"""
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert not list(tmp_path.rglob("run-*.lock"))
    assert "Errorflow ends" in next(tmp_path.rglob("errorflow.log")).read_text("utf-8")


@pytest.mark.parametrize(
    "arguments",
    [[""], ["--install-desktop-entry", "--prefix", ""], ["--compare", "-m", "", "-g", "b"]],
    ids=["file", "prefix", "run"],
)
def test_an_empty_name_is_no_file(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from errorflow_viewer.app.start import _parse

    with pytest.raises(SystemExit) as stop:
        _parse(arguments)
    assert stop.value.code == 2
    sentence, hint = capsys.readouterr().err.splitlines()
    assert "an empty name is no file" in sentence and "errorflow-viewer --help" in hint


@pytest.mark.skipif(sys.platform == "win32", reason="there a folder that somebody is in cannot be removed")
def test_in_a_folder_that_is_gone_a_file_needs_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from errorflow_viewer.app.start import main

    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.delenv("DISPLAY", raising=False)  # nobody is asked to press a button
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    gone.rmdir()
    assert main(["rel.onnx"]) == 3
    said = capsys.readouterr().err
    assert "is not there any more" in said and "whole paths" in said and "Traceback" not in said


def test_both_programs_say_their_version_alike(capsys: pytest.CaptureFixture[str]) -> None:
    from errorflow_viewer.app.start import _parse

    with pytest.raises(SystemExit):
        _parse(["--version"])
    assert capsys.readouterr().out == f"errorflow {errorflow.__version__}\n"
