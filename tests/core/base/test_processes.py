"""Processes that begin as copies of one that has the libraries."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from errorflow.base import processes
from errorflow.base.workers import run_apart

LINUX = sys.platform.startswith("linux")


def libraries() -> str:
    """Those that are there although nobody has asked for them here."""
    return " ".join(name for name in (*processes.LIBRARIES, *processes.OWN) if name in sys.modules)


def variable(name: str) -> str:
    return os.environ.get(name, "")


def folder() -> str:
    return str(Path.cwd())


def parent() -> int:
    return os.getppid()


def test_a_process_has_what_it_needs_from_its_first_moment() -> None:
    expected = (*processes.LIBRARIES, *processes.OWN) if LINUX else ()
    assert run_apart(libraries, text="Looking") == " ".join(expected)


def test_a_process_has_the_environment_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_apart(variable, "ERRORFLOW_NEVER", text="Looking") == ""
    monkeypatch.setenv("ERRORFLOW_NEVER", "now")
    assert run_apart(variable, "ERRORFLOW_NEVER", text="Looking") == "now"


def test_a_process_works_in_the_folder_of_now(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run_apart(folder, text="Looking")
    monkeypatch.chdir(tmp_path)
    assert run_apart(folder, text="Looking") == str(tmp_path)


KILLED = """run_apart(parent, text="Looking")
    pid = forkserver._forkserver._forkserver_pid
    os.kill(pid, 9)
    while not open(f"/proc/{pid}/stat").read().rpartition(")")[2].startswith(" Z"):
        os.sched_yield()
"""

SCRIPT = """
import os, sys
from core.base.test_processes import parent
from multiprocessing import forkserver
from errorflow.base.workers import run_apart
if __name__ == "__main__":
    {before}
    print("anew" if run_apart(parent, text="Looking") == os.getpid() else "copied")
"""


def begun(before: str, cwd: Path | None = None, **environment: str) -> str:
    """How a process begins in a program of its own."""
    paths = os.pathsep.join(dict.fromkeys(path for path in sys.path if path))
    script = Path(environment.pop("folder")) / "script.py"
    script.write_text(SCRIPT.format(before=before), encoding="utf-8")
    done: Any = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout).strip()


@pytest.mark.skipif(not LINUX, reason="only Linux copies processes")
def test_where_there_is_no_room_for_a_socket_processes_begin_anew(tmp_path: Path) -> None:
    deep = tmp_path / ("a" * 120)
    deep.mkdir()
    assert begun("pass", folder=str(tmp_path), TMPDIR=str(deep)) == "anew"


ANEW = "from errorflow.base import processes; processes._broken = True"


@pytest.mark.parametrize(("before", "way"), [("pass", "copied"), (KILLED, "copied"), (ANEW, "anew")])
def test_no_module_is_taken_from_the_folder_one_works_in(tmp_path: Path, before: str, way: str) -> None:
    models = tmp_path / "models"
    models.mkdir()
    names = {f"{module}.py" for module in ("onnx", "errorflow", "signal", "socket")}
    for name in names:
        (models / name).write_text("import pathlib\npathlib.Path('was-run').touch()\nraise SystemExit(1)\n")
    if LINUX:
        assert begun(before, models, folder=str(tmp_path)) == way
    assert {path.name for path in models.iterdir()} == names


LOOKED_AT = """run_apart(parent, text="Looking")
    sys.addaudithook(lambda event, _: sys.exit("changed") if event in ("os.putenv", "os.unsetenv") else None)
"""


@pytest.mark.skipif(not LINUX, reason="only Linux copies processes")
def test_a_copy_leaves_the_environment_alone_for_other_threads(tmp_path: Path) -> None:
    assert begun(LOOKED_AT, folder=str(tmp_path)) == "copied"


@pytest.mark.skipif(not LINUX, reason="only there a folder in which one works can be removed")
def test_a_process_begins_where_the_folder_was_removed(tmp_path: Path) -> None:
    gone = f"os.mkdir({str(tmp_path / 'gone')!r}); os.chdir({str(tmp_path / 'gone')!r}); sys.path.insert(0, '')"
    assert begun(f"{gone}; os.rmdir(os.getcwd()); {ANEW}", folder=str(tmp_path)) == "anew"


def test_nothing_of_it_stays_in_the_environment() -> None:
    before = dict(os.environ)
    run_apart(folder, text="Looking")
    assert dict(os.environ) == before
    assert run_apart(variable, "PYTHONPATH", text="Looking") == os.environ.get("PYTHONPATH", "")
