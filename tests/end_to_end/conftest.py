"""Each test gets a screen of its own."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from end_to_end.screens import SIZE, TOOLS, Screen, wait_until
from needed import need


def is_managed(screen: Screen, managers: list[subprocess.Popen[bytes]]) -> bool:
    """Whether a window manager is at work; one that found no server yet, on a busy machine, is started again."""
    if not managers or managers[-1].poll() is not None:
        managers.append(subprocess.Popen(["openbox"], env=screen.environment, stderr=subprocess.DEVNULL))
    return "Name:" in screen.do("wmctrl", "-m")


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    need(*TOOLS)
    read, write = os.pipe()
    size = f"{SIZE[0]}x{SIZE[1]}x24"
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        screen = Screen(f":{pipe.readline().strip()}", tmp_path)
    managers: list[subprocess.Popen[bytes]] = []
    wait_until(lambda: is_managed(screen, managers), "the window manager")
    yield screen
    for process in (*screen.started, *managers, server):
        process.kill()
        process.wait()
