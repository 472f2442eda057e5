"""What a user installs exists, ready built, for every system that the README names."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from packaging_scripts import PACKAGING, script

ROOT = PACKAGING.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PLATFORMS = {
    "windows": (("win_amd64",), "win32", "AMD64"),
    "macos-arm64": (
        tuple(f"macosx_{major}_0_{kind}" for major in (14, 13, 12, 11) for kind in ("arm64", "universal2")),
        "darwin",
        "arm64",
    ),
    "macos-intel": (
        (
            *(f"macosx_{major}_0_{kind}" for major in (13, 12, 11) for kind in ("x86_64", "universal2")),
            "macosx_10_13_x86_64",
            "macosx_10_9_x86_64",
            "macosx_10_9_universal2",
        ),
        "darwin",
        "x86_64",
    ),
    "linux-aarch64": (
        (*(f"manylinux_2_{minor}_aarch64" for minor in range(39, 16, -1)), "manylinux2014_aarch64"),
        "linux",
        "aarch64",
    ),
}
# pip looks at conditions such as `sys_platform == "win32"` with the eyes of this machine: what PyInstaller needs there.
ONLY_THERE = {
    "windows": ["pefile", "pywin32-ctypes", "colorama"],
    "macos-arm64": ["macholib"],
    "macos-intel": ["macholib"],
}
pytestmark = pytest.mark.slow


def resolved(wanted: list[str], platforms: tuple[str, ...], folder: Path) -> dict[str, str]:
    """Names and versions of what pip would install; nothing but wheels, as nobody has a compiler there."""
    options = [part for platform in platforms for part in ("--platform", platform)]
    (folder / "wanted.txt").write_text("\n".join(wanted))
    about = ["--only-binary=:all:", "--python-version", "3.11", "--implementation", "cp", *options]
    where = [
        "--dry-run",
        "--ignore-installed",
        "--report",
        str(folder / "report.json"),
        "--target",
        str(folder / "there"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", *where, *about, "-r", str(folder / "wanted.txt")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads((folder / "report.json").read_text("utf-8"))
    return {row["metadata"]["name"].lower().replace("_", "-"): row["metadata"]["version"] for row in report["install"]}


@pytest.mark.parametrize("name", PLATFORMS)
def test_what_pip_installs_exists(name: str, tmp_path: Path) -> None:
    wanted = [
        *PROJECT["dependencies"],
        *(row for key in ("run", "images", "cluster") for row in PROJECT["optional-dependencies"][key]),
    ]
    found = resolved(wanted, PLATFORMS[name][0], tmp_path)
    names = {re.split(r"[<>=!~; \[]", row)[0].lower() for row in wanted}
    assert names <= found.keys()


@pytest.mark.parametrize("name", ["windows", "macos-arm64", "macos-intel"])
def test_what_a_bundle_is_made_of_exists(name: str, tmp_path: Path) -> None:
    platforms, system, machine = PLATFORMS[name]
    lines = (PACKAGING / "versions.txt").read_text("utf-8").splitlines()
    wanted = [*script("windows/bundle.py").requirements(lines, system, machine), *ONLY_THERE[name]]
    assert {"pyinstaller", "pyside6-essentials", "onnxruntime"} <= resolved(wanted, platforms, tmp_path).keys()
