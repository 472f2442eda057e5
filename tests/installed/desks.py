"""A person's desk: a screen, a window manager and a message bus, here or in another system below a folder."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtGui import QImage

from errorflow.report.colors import LIGHT

PATIENCE = 60.0
# A double click of which nothing comes is done again after so many seconds, so many times.
AGAIN, TRIES = 15.0, 3
SIZE = "1280x720x24"
# Of the screen, what shows the ground of a graph; and how many pixels of a node, however small it is drawn.
GRAPH, FAULT = 0.15, 100
# How high an icon with its name is, at most.
THING = 90
TOOLS = ("Xvfb", "openbox", "wmctrl", "xdotool", "import", "dbus-daemon", "gio", "update-mime-database")


def wait_until(true: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
    """Looks again and again; a machine that is busy is given time."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, f"waited too long for: {what}"
        time.sleep(0.05)


@dataclass(frozen=True)
class Place:
    """Where a person works: this system, or one below a folder, as a user of that name."""

    home: Path  # as the person sees it
    root: Path | None = None
    user: str = ""

    def outside(self, path: Path) -> Path:
        """Of what the person sees, as it is seen from here."""
        return path if self.root is None else self.root / path.relative_to("/")

    def command(self, environment: dict[str, str], words: Sequence[str]) -> list[str]:
        """Nothing of this process' own environment comes along: a desktop gives a program little more than these."""
        clean = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *words]
        if self.root is None:
            return clean
        return ["chroot", str(self.root), "runuser", "-u", self.user, "--", *clean]


@dataclass
class Desk:
    """What is started here belongs to one person and ends with it."""

    place: Place
    pictures: Path
    environment: dict[str, str] = field(default_factory=dict)
    _started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def begin(self) -> None:
        home = self.place.home
        runtime = home / ".run"
        self.do("mkdir", "-m", "700", "-p", str(runtime))
        self.environment = {
            "HOME": str(home),
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_CURRENT_DESKTOP": "GNOME",
            "OMP_NUM_THREADS": "1",
        }
        server = self.start("Xvfb", "-displayfd", "1", "-screen", "0", SIZE, "-nolisten", "tcp", heard=True)
        self.environment["DISPLAY"] = f":{_line(server)}"
        bus = self.start("dbus-daemon", "--session", "--nofork", "--print-address=1", heard=True)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = _line(bus)
        self.start("openbox")
        wait_until(lambda: "Name:" in self.do("wmctrl", "-m"), "the window manager")

    def end(self) -> None:
        for process in reversed(self._started):
            _end(process)

    def start(self, *words: str, heard: bool = False) -> "subprocess.Popen[bytes]":
        """What goes on while others are asked for something. `heard`: what it says can be read."""
        process = subprocess.Popen(
            self.place.command(self.environment, words),
            stdout=subprocess.PIPE if heard else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        self._started.append(process)
        return process

    def run(self, *words: str, within: float = 180) -> "subprocess.CompletedProcess[str]":
        command = self.place.command(self.environment, words)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=within, cwd="/")

    def tell(self, *words: str) -> None:
        """What starts others that go on: nobody waits for their last word."""
        command = self.place.command(self.environment, words)
        quiet = subprocess.DEVNULL
        subprocess.run(command, stdout=quiet, stderr=quiet, check=False, timeout=PATIENCE, cwd="/")

    def do(self, *words: str) -> str:
        return self.run(*words).stdout

    # What is on the screen

    def titles(self) -> list[str]:
        rows = (line.split(None, 3) for line in self.do("wmctrl", "-l").splitlines())
        return [row[3] for row in rows if len(row) == 4]

    def wait_for(self, part: str) -> None:
        wait_until(lambda: any(part in title for title in self.titles()), f"“{part}”, there is {self.titles()}")

    def wait_for_none(self) -> None:
        wait_until(lambda: not self.titles(), f"no window; there is {self.titles()}")

    def close(self, part: str) -> None:
        """As the cross of the window does."""
        self.do("wmctrl", "-c", part)

    def double_click(self, x: int, y: int, part: str) -> None:
        """Until a window comes: where much else is going on, two clicks may be too far apart to be one double click."""
        for _ in range(TRIES):
            self.do("xdotool", "mousemove", str(x), str(y), "click", "--repeat", "2", "--delay", "60", "1")
            if self._comes(part):
                return
        self.wait_for(part)

    def _comes(self, part: str) -> bool:
        """Soon enough for a person not to try again."""
        end = time.monotonic() + AGAIN
        while time.monotonic() < end:
            if any(part in title for title in self.titles()):
                return True
            time.sleep(0.05)
        return False

    def picture(self, name: str) -> QImage:
        """What is on the screen, kept under that name."""
        inside = self.place.home / ".screen.png"
        self.do("import", "-window", "root", str(inside))
        kept = self.pictures / f"{name}.png"
        shutil.copy(self.place.outside(inside), kept)
        return QImage(str(kept))

    def class_of(self, part: str) -> str:
        """The class by which a desktop tells to which program a window belongs."""
        for line in self.do("wmctrl", "-lx").splitlines():
            if part in line:
                return line.split()[2].rpartition(".")[2]
        return ""

    def processes(self, program: Path) -> list[int]:
        """Those that run a program and are not dead."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                runs = (folder / "exe").readlink() == self.place.outside(program)
            except OSError:  # it ended meanwhile, or is dead and not buried
                continue
            if runs:
                found.append(int(folder.name))
        return found


def tones(image: QImage) -> int:
    """How many different colours a picture has."""
    return len(np.unique(_pixels(image)))


def is_graph(image: QImage) -> bool:
    """Whether a graph is on view: its ground, of which the start page has less, in pictures of recent files."""
    return bool(np.mean(_pixels(image) & 0xFFFFFF == int(LIGHT.background[1:], 16)) > GRAPH)


def is_graph_with_fault(image: QImage) -> bool:
    """Whether nodes of it are painted by an error that is large: nothing else in the window is red."""
    red, green, blue = (_pixels(image) >> bits & 0xFF for bits in (16, 8, 0))
    return is_graph(image) and int(np.sum((red > green + 80) & (red > blue + 60))) > FAULT


def highest_change(before: QImage, after: QImage) -> tuple[int, int]:
    """The middle of what is different in two pictures of one screen: of the highest thing, if there are several."""
    rows = [_pixels(each) for each in (before, after)]
    y, x = np.nonzero(rows[0] != rows[1])
    assert len(x), "both pictures are the same"
    near = y < y.min() + THING
    return int(x[near].min() + x[near].max()) // 2, int(y[near].min() + y[near].max()) // 2


def _pixels(image: QImage) -> Any:
    rgb = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(rgb.constBits(), np.uint32).reshape(rgb.height(), -1).copy()


def _line(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With all that it has started."""
    with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
