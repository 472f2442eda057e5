"""`errorflow-viewer --install-desktop-entry`, as a process: no Qt, no screen, a sentence for everything."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from errorflow_viewer.kit.desktop_entry.program import program

# Ends with what Qt it loaded, as a last line.
CODE = """
import sys
from errorflow_viewer.app.start import main
code = main(sys.argv[1:])
print([name for name in sys.modules if name.startswith(("PySide6", "numpy"))])
sys.exit(code)
"""


def started(home: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "QT_", "DISPLAY"))}
    return subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        env={**kept, "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_says_what_it_did_file_by_file(tmp_path: Path) -> None:
    done = started(tmp_path, "--install-desktop-entry")
    assert done.returncode == 0, done.stderr
    *lines, loaded = done.stdout.splitlines()
    assert f"Wrote {tmp_path}/.local/share/applications/io.github.errorflow.Errorflow.desktop" in lines
    assert any(line.startswith("Errorflow is in the menu") for line in lines)
    assert loaded == "[]"
    gone = started(tmp_path, "--remove-desktop-entry").stdout.splitlines()
    assert sum(line.startswith("Removed ") for line in gone) == sum(line.startswith("Wrote ") for line in lines)
    assert list(tmp_path.iterdir()) == []


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.touch()
    done = started(tmp_path, "--install-desktop-entry", "--prefix", str(place))
    assert done.returncode == 2
    assert done.stderr.startswith("errorflow-viewer: The menu entry cannot be put into")
    assert "--prefix DIR" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_what_is_for_everybody_can_be_read_by_everybody(tmp_path: Path) -> None:
    """Also where what root makes is for root alone."""
    before = os.umask(0o077)
    try:
        assert started(tmp_path, "--install-desktop-entry", "--prefix", str(tmp_path / "usr")).returncode == 0
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "usr").rglob("*")}
    assert modes == {0o644, 0o755}


def test_both_at_once_are_refused(tmp_path: Path) -> None:
    assert started(tmp_path, "--install-desktop-entry", "--remove-desktop-entry").returncode == 2


def test_a_prefix_alone_is_refused(tmp_path: Path) -> None:
    assert "--prefix goes with" in started(tmp_path, "--prefix", str(tmp_path)).stderr


@pytest.mark.parametrize("call", [("--completion", "zsh"), ("--completion=zsh",)])
def test_it_prints_what_a_shell_needs(call: tuple[str, ...], tmp_path: Path) -> None:
    done = started(tmp_path, *call)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("#compdef errorflow-viewer\n")


def test_the_program_is_the_script_of_this_environment() -> None:
    (path,) = program()
    assert Path(path) == Path(sys.executable).with_name("errorflow-viewer")


def test_in_a_bundle_it_is_the_window_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("errorflow", "errorflow-viewer"):
        (tmp_path / name).touch(stat.S_IRWXU)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "errorflow"))
    assert program() == (str(tmp_path / "errorflow-viewer"),)


def test_without_a_script_python_starts_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tmp_path))
    assert program() == (sys.executable, "-m", "errorflow_viewer")
