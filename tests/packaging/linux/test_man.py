"""The manual pages: everything is on them, and the programs that show them have nothing to say."""

import shutil
import subprocess
from pathlib import Path

import pytest

from errorflow.cli.main import COMMANDS
from packaging_scripts import script

MAKE_MAN = script("linux/make_man.py")
NAMES = ("errorflow", "errorflow-viewer")


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    MAKE_MAN.write(tmp_path)
    return tmp_path / "man" / "man1"


def shown(page: Path) -> str:
    done = subprocess.run(
        ["man", "--warnings=all", "-P", "cat", "-l", str(page)],
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "100"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_man_shows_it_without_a_warning(name: str, pages: Path) -> None:
    if shutil.which("man") is None:
        pytest.skip("needs man")
    assert "2023-11-14" in shown(pages / f"{name}.1")


@pytest.mark.parametrize("name", NAMES)
def test_mandoc_finds_nothing(name: str, pages: Path) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("needs mandoc")
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", str(pages / f"{name}.1")], capture_output=True, text=True, check=False
    )
    assert done.stdout + done.stderr == ""


def test_every_command_is_there_with_its_options(pages: Path) -> None:
    text = (pages / "errorflow.1").read_text("ascii").replace("\\-", "-")
    assert all(f".SS errorflow {command.name}\n" in text for command in COMMANDS)
    assert "\\fB--keep-float\\fR \\fINODE,\\[u2026]\\fR" in text


def test_what_would_be_a_command_of_roff_is_text() -> None:
    assert MAKE_MAN.escaped(".npz \\ it's 50 % – done") == "\\&.npz \\e it\\(aqs 50 % \\[u2013] done"
