"""The app as a process of its own, in surroundings that a test makes up; it says what it shows, and ends or stays."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from errorflow.base.sample import SAMPLES

PATIENCE = 120
# Shows the window, waits until nothing is under way, says so, and does what `then` says.
CODE = """
import os, sys, pathlib
from PySide6.QtCore import QTimer
from errorflow_viewer.app import running
from errorflow_viewer.app.start import main
THEN = {then!r}

class Watched(running.AppRun):
    def show(self, files):
        super().show(files)
        timer = QTimer(self.window, interval=30)
        timer.timeout.connect(lambda: self.look(timer, bool(files)))
        timer.start()
        # Nobody would press the buttons of a crash window.
        wrong = QTimer(self.window, interval=30)
        wrong.timeout.connect(lambda: {wrong!r} or not self.reporter.last or self.fail())
        wrong.start()
    def fail(self):
        print(self.reporter.last, file=sys.stderr, flush=True)
        os._exit(9)
    def look(self, timer, awaits):
        window = self.window
        notices = [row.notice for row in window.banners.rows]
        failed = any(notice.kind == "error" for notice in notices)
        if window.jobs.steps or (awaits and window.document.model is None and not failed and not {asked!r}):
            return
        timer.stop()
        for notice in notices:
            print("notice:", notice.text, "|", notice.hint, "|", notice.button)
        print("nodes:", 0 if window.document.model is None else len(window.document.model.graph))
        print("ready", flush=True)
        exec(THEN, {{**globals(), "run": self, "window": window}})

running.AppRun = Watched
sys.exit(main())
"""
CLOSE = "window.close()"
STAY = ""
SAMPLE = SAMPLES[0].model


def surroundings(folder: Path, **changes: str | None) -> dict[str, str]:
    """Those of somebody who has just logged in, and nothing else; None takes one away."""
    home, run = folder / "home", folder / "run"
    home.mkdir(exist_ok=True)
    run.mkdir(mode=0o700, exist_ok=True)
    found: dict[str, str | None] = {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "XDG_RUNTIME_DIR": str(run),
        "QT_QPA_PLATFORM": "offscreen",
        "LC_ALL": "C.UTF-8",
        "TMPDIR": tempfile.gettempdir(),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path and Path(path).is_dir()),
        **changes,
    }
    return {name: value for name, value in found.items() if value is not None}


def command(*arguments: str, then: str = CLOSE, asked: bool = False, wrong: bool = False) -> list[str]:
    """`asked`: files that are named need not be opened; `wrong`: errors are expected."""
    return [sys.executable, "-c", CODE.format(then=then, asked=asked, wrong=wrong), *arguments]


def start(environment: dict[str, str], *arguments: str, **more: bool | str) -> "subprocess.CompletedProcess[str]":
    """Until it ends."""
    return subprocess.run(
        command(*arguments, **more),  # type: ignore[arg-type]  # handed on
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )


@dataclass
class Process:
    """One that stays until it is killed."""

    environment: dict[str, str]
    arguments: tuple[str, ...] = ()
    then: str = STAY
    said: list[str] = field(default_factory=list)

    def __enter__(self) -> "Process":
        self.process = subprocess.Popen(
            command(*self.arguments, then=self.then),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return self

    def wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip())
            if self.said[-1] == "ready":
                return
        raise AssertionError(
            f"it ended with {self.process.wait()}: {self.process.stderr and self.process.stderr.read()}"
        )

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def wait_for(true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"waited too long for {what}"
        time.sleep(0.02)


def notices(said: str) -> list[str]:
    return [line.removeprefix("notice: ") for line in said.splitlines() if line.startswith("notice: ")]


def ends(said: str) -> list[str]:
    """What is said of runs before."""
    marks = ("last time", "while Errorflow was open")
    return [text for text in notices(said) if any(mark in text for mark in marks)]


def opened(said: str) -> bool:
    return "ready" in said.splitlines() and "nodes: 31" in said.splitlines()
