"""A person puts the app into the menu, double-clicks files, and takes it out again."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from end_to_end.screens import Screen
from errorflow.base.sample import SAMPLES
from errorflow_viewer.kit.desktop_entry import APP_ID
from needed import need

pytestmark = pytest.mark.window

KIND = "application/x-onnx"


@pytest.fixture
def program(screen: Screen) -> Path:
    """As pip writes one, in an environment with a name as people have them."""
    need("gio", "gtk-launch", "update-mime-database")
    path = screen.folder / "我的 环境 100% $HOME" / "bin" / "errorflow-viewer"
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m errorflow_viewer.app.start "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def models(screen: Screen) -> tuple[Path, Path]:
    folder = screen.folder / "案例 1"
    folder.mkdir()
    return tuple(
        Path(shutil.copy(SAMPLES[i].model, folder / name)) for i, name in enumerate(("检测 50%.onnx", "b.onnx"))
    )  # type: ignore[return-value]  # of two


def entry(wish: str, program: Path, screen: Screen) -> str:
    code = (
        "import sys; from errorflow_viewer.kit.desktop_entry.options import run; run(sys.argv[1], None, (sys.argv[2],))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, wish, str(program)],
        env=screen.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def start(screen: Screen, *command: str) -> None:
    """What starts an app does not wait for it, and the app writes where its starter did."""
    quiet = subprocess.DEVNULL
    subprocess.run(command, env=screen.environment, stdout=quiet, stderr=quiet, check=True, timeout=60)


def test_from_the_menu_to_a_double_click_and_out_again(
    screen: Screen, program: Path, models: tuple[Path, Path]
) -> None:
    before = set(screen.folder.rglob("*"))
    entry("install", program, screen)
    assert f"{APP_ID}.desktop" in screen.do("gio", "mime", KIND)
    assert f"{APP_ID}-model" in screen.do("gio", "info", "-a", "standard::icon", str(models[0]))

    start(screen, "gio", "open", str(models[0]))
    screen.wait_for_title("检测 50%")
    start(screen, "gio", "open", str(models[1]))
    screen.wait_for_title("b.onnx")
    start(screen, "gtk-launch", APP_ID)
    screen.wait_for_title("b.onnx")
    assert len(screen.titles()) == 1

    screen.close("b.onnx")
    entry("remove", program, screen)
    assert f"{APP_ID}.desktop" not in screen.do("gio", "mime", KIND)
    assert not any(APP_ID in str(path) for path in screen.folder.rglob("*"))
    assert not any("mime" in path.name for path in set(screen.folder.rglob("*")) - before)
