"""An X server with a window manager, and the app on it as a user starts it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PySide6.QtGui import QColor, QImage

from errorflow_viewer.kit.look import LIGHT

TOOLS = ("Xvfb", "openbox", "xdotool", "wmctrl", "import")
PATIENCE = 30.0
SIZE = (1280, 720)
# On the start page of that size, at a first start: the button that opens the sample.
GREETING = (455, 285, 140, 75)


def wait_until(true: Callable[[], bool], what: str) -> None:
    """Looks again and again; a machine that is busy is given time."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"waited too long for: {what}"
        time.sleep(0.02)


@dataclass
class Screen:
    """An X server; `folder` is the home of whoever uses it."""

    display: str
    folder: Path
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        home = {
            name: str(self.folder / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
        }
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        own = {"DISPLAY": self.display, "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(runtime), **home}
        kept = {key: value for key, value in os.environ.items() if key not in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")}
        return {**kept, **own, "OMP_NUM_THREADS": "1"}

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """The app, with these arguments."""
        command = [sys.executable, "-m", "errorflow_viewer.app.start", *arguments]
        process = subprocess.Popen(command, env=self.environment)
        self.started.append(process)
        return process

    def do(self, *command: str) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout

    def keys(self, *keys: str) -> None:
        self.do("xdotool", "key", "--clearmodifiers", *keys)

    def open_menu(self, key: str, left: int, top: int, width: int, height: int) -> None:
        """Until it is seen there: it gets the keyboard from the X server, and a key before that goes astray."""
        before = self.picture().copy(left, top, width, height)
        self.keys(key)
        wait_until(lambda: self.picture().copy(left, top, width, height) != before, f"the menu of {key}")

    def type(self, text: str) -> None:
        self.do("xdotool", "type", "--delay", "10", text)

    def click(self, x: int, y: int) -> None:
        self.do("xdotool", "mousemove", str(x), str(y), "click", "1")

    def double_click(self, x: int, y: int) -> None:
        self.do("xdotool", "mousemove", str(x), str(y), "click", "--repeat", "2", "--delay", "40", "1")

    def scroll_down(self, x: int, y: int) -> None:
        """To the end of what is under that spot."""
        self.do("xdotool", "mousemove", str(x), str(y), "click", "--repeat", "60", "--delay", "2", "5")

    def titles(self) -> list[str]:
        lines = self.do("wmctrl", "-l").splitlines()
        return [line.split(None, 3)[3] for line in lines if len(line.split(None, 3)) == 4]

    def wait_for_title(self, part: str) -> None:
        wait_until(
            lambda: any(part in title for title in self.titles()), f"a window “{part}”, there is {self.titles()}"
        )

    def wait_for_graph(self, name: str) -> None:
        """That of a file, in a window with the keyboard; a picture on the start page has the same colours."""
        self.wait_for_title(name)
        self.focus(name)
        wait_until(lambda: self.count(LIGHT.accent, *GREETING) < 500, "the start page to go")

    def focus(self, part: str) -> None:
        self.do("wmctrl", "-a", part)

    def close(self, part: str) -> None:
        """As the cross of the window does."""
        self.do("wmctrl", "-c", part)

    def size(self, part: str) -> tuple[int, int]:
        for line in self.do("wmctrl", "-lG").splitlines():
            if part in line:
                width, height = line.split()[4:6]
                return int(width), int(height)
        return (0, 0)

    def picture(self) -> QImage:
        path = self.folder / "screen.png"
        self.do("import", "-window", "root", str(path))
        return QImage(str(path))

    def count(self, color: str, left: int, top: int, width: int, height: int) -> int:
        """How many pixels of a part of the screen have a colour."""
        image = self.picture().convertToFormat(QImage.Format.Format_RGB32)
        rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
        part = rows[top : top + height, left : left + width]
        return int((part == QColor(color).rgb()).sum())

    def box(self, color: str, left: int, top: int, width: int, height: int) -> tuple[int, int, int, int]:
        """Around all spots of a part of the screen that have a colour: left, top, width and height; zeros: none has."""
        image = self.picture().convertToFormat(QImage.Format.Format_RGB32)
        rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
        y, x = np.nonzero(rows[top : top + height, left : left + width] == QColor(color).rgb())
        if not len(x):
            return 0, 0, 0, 0
        return left + int(x.min()), top + int(y.min()), int(np.ptp(x)) + 1, int(np.ptp(y)) + 1

    def copied(self) -> str:
        """What the app that owns the clipboard has there."""
        code = "from PySide6.QtGui import QGuiApplication as A; print(A([]).clipboard().text(), end='')"
        return self.do(sys.executable, "-c", code)

    def find(self, color: str, left: int, top: int, width: int, height: int) -> tuple[int, int]:
        """A spot of a part of the screen that has a colour, in the middle of all that do."""
        image = self.picture().convertToFormat(QImage.Format.Format_RGB32)
        rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
        y, x = np.nonzero(rows[top : top + height, left : left + width] == QColor(color).rgb())
        middle = len(x) // 2
        return left + int(x[middle]), top + int(y[middle])
