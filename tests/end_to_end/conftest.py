"""Each test gets a screen of its own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from end_to_end.screens import SIZE, TOOLS, Screen, wait_until


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
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
    manager = subprocess.Popen(["openbox"], env=screen.environment, stderr=subprocess.DEVNULL)
    wait_until(lambda: "Name:" in screen.do("wmctrl", "-m"), "the window manager")
    yield screen
    for process in (*screen.started, manager, server):
        process.kill()
        process.wait()
