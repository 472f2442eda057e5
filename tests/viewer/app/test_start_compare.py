"""`errorflow-viewer --compare …` takes what `errorflow compare` takes."""

import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import run_folders
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.app.single import Listener, Reply, parse_setup
from errorflow_viewer.app.start import _compared, _parse
from errorflow_viewer.window.window import MainWindow
from viewer.document.test_comparing import complete


def setup_of(*arguments: str) -> Setup | None:
    return _compared(_parse(arguments))


def test_without_it_nothing_is_compared() -> None:
    assert setup_of("model.onnx") is None


def test_the_files_are_those_of_the_command_line_and_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    setup = setup_of("--compare", "-m", "npu", "-g", "npy", "-f", "net.json", "--shapes", "x=1x2:float32")
    files = {"candidate": tmp_path / "npu", "reference": tmp_path / "npy", "fusion": tmp_path / "net.json"}
    assert setup == Setup("npu", files, ("x=1x2:float32",))


def test_two_models_are_to_be_run() -> None:
    setup = setup_of("--compare", "-m", "/q.onnx", "-g", "/f.onnx", "--inputs", "/x.npz")
    files = {"quantized": Path("/q.onnx"), "original": Path("/f.onnx"), "inputs": Path("/x.npz")}
    assert setup == Setup("onnx", files)


def test_models_may_be_two_of_three_runs() -> None:
    setup = setup_of("--compare", "-m", "/b", "-g", "/f.onnx", "--simulator", "/q.onnx", "--inputs", "/x.npz")
    files = {"candidate": "/b", "reference": "/f.onnx", "simulator": "/q.onnx", "inputs": "/x.npz"}
    assert setup == Setup("three-way", {need: Path(file) for need, file in files.items()})


def test_help_tells_them_without_qt() -> None:
    code = (
        "import sys, atexit; from errorflow_viewer.app.start import main;"
        "atexit.register(lambda: print('PySide6' in sys.modules)); sys.exit(main(['--help']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert "--golden_dump_path" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


def test_a_second_start_hands_over_what_is_to_be_compared(qtbot: QtBot, first: Listener, where: str) -> None:
    code = (
        "import sys; from pathlib import Path; from PySide6.QtCore import QCoreApplication;"
        "from errorflow.case.scenarios.setup import Setup; from errorflow_viewer.app.single import hand_over;"
        "app = QCoreApplication([]);"
        "setup = Setup('runs', {'candidate': Path('/a ü'), 'reference': Path('/b')}, ('x=1x?:int8',));"
        "print(hand_over(sys.argv[1], [], setup=setup).value)"
    )
    with qtbot.waitSignal(first.asked) as asked:
        second = subprocess.Popen([sys.executable, "-c", code, where], stdout=subprocess.PIPE, text=True)
    assert asked.args == [Setup("runs", {"candidate": Path("/a ü"), "reference": Path("/b")}, ("x=1x?:int8",))]
    assert second.communicate()[0].strip() == Reply.TAKEN.value


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b'{"compare": null}',
        b'{"compare": 3}',
        b'{"compare": {"scenario": "runs", "files": {"a": 3}, "shapes": []}}',
        b'{"compare": {"scenario": "runs", "files": {"a": "\\u0000"}, "shapes": []}}',
        b'{"compare": {"scenario": "runs", "files": [1], "shapes": []}}',
        b"\xff",
    ],
)
def test_rubbish_asks_for_nothing(line: bytes) -> None:
    assert parse_setup(line) is None


def test_what_lacks_is_asked_for_on_the_page_and_what_does_not_is_started(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    run = run_folders.npz(tmp_path / "a.npz", 2.0)
    window.comparisons.ask_or_start(Setup("runs", {"candidate": run}))
    assert window.stack.currentWidget() is window.comparisons.page
    assert window.comparisons.page.setup.file("candidate") == run
    other = run_folders.npz(tmp_path / "b.npz")
    window.comparisons.ask_or_start(Setup("runs", {"candidate": run, "reference": other}))
    complete(window, qtbot)
    assert window.stack.currentWidget() is not window.comparisons.page
