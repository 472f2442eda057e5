"""The manual pages: everything is on them, and the programs that show them have nothing to say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from errorflow.cli.given import USER_ERROR
from errorflow.cli.main import COMMANDS, INTERRUPTED
from errorflow.cli.tool_exit import with_tool_codes
from errorflow.compare.match import codes
from errorflow.compare.match.codes import OK
from errorflow_viewer.kit.emergency import NO_WINDOW
from needed import need
from packaging_scripts import PACKAGING, script

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
    need("man")
    assert "2023-11-14" in shown(pages / f"{name}.1")


@pytest.mark.parametrize("name", NAMES)
def test_mandoc_finds_nothing(name: str, pages: Path) -> None:
    need("mandoc")
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", str(pages / f"{name}.1")], capture_output=True, text=True, check=False
    )
    assert done.stdout + done.stderr == ""


def test_every_command_is_there_with_its_options(pages: Path) -> None:
    text = (pages / "errorflow.1").read_text("ascii").replace("\\-", "-")
    assert all(f".SS errorflow {command.name}\n" in text for command in COMMANDS)
    assert "\\fB--keep-float\\fR \\fINODE,\\[u2026]\\fR" in text


def rows(name: str) -> dict[int, str]:
    """What the page says of each code that a process may end with."""
    told: dict[int, str] = {}
    for span, text in MAKE_MAN.STATUS[name]:
        first, _, last = span.partition(" to ")
        told |= dict.fromkeys(range(int(first), int(last or first) + 1), text)
    return told


def test_every_code_that_the_command_line_ends_with_is_told() -> None:
    of_tool = {code for name, code in vars(codes).items() if name.isupper()}
    assert {OK, USER_ERROR, INTERRUPTED} | of_tool <= rows("errorflow").keys()


def test_the_commands_that_end_in_the_codes_of_another_tool_are_named() -> None:
    wrapped = with_tool_codes(lambda _: 0).__code__
    found = {row.name for row in COMMANDS if getattr(row.run, "__code__", None) is wrapped}
    assert found == set(MAKE_MAN.OF_TOOL)


@pytest.mark.parametrize(
    ("code", "arguments", "surroundings"),
    [
        (0, ["--version"], {}),
        (USER_ERROR, ["--nonsense"], {}),
        (USER_ERROR, ["--install-desktop-entry", "--prefix", "/proc/none"], {}),
        (NO_WINDOW, [], {"QT_QPA_PLATFORM": "nonsense"}),
    ],
)
def test_the_window_ends_as_its_page_says(
    code: int, arguments: list[str], surroundings: dict[str, str], tmp_path: Path
) -> None:
    plain = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-m", "errorflow_viewer", *arguments],
        env={**plain, "HOME": str(tmp_path), **surroundings},
        capture_output=True,
        check=False,
    )
    assert done.returncode == code
    assert code in rows("errorflow-viewer")


@pytest.mark.parametrize("folder", ["docs", "docs/zh_CN"])
def test_the_manual_tells_the_same_codes_of_the_window(folder: str) -> None:
    text = (PACKAGING.parent / folder / "how-to/when-it-does-not-start.md").read_text("utf-8")
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)] == sorted(rows("errorflow-viewer"))


def test_what_would_be_a_command_of_roff_is_text() -> None:
    assert MAKE_MAN.escaped(".npz \\ it's 50 % – done") == "\\&.npz \\e it\\(aqs 50 % \\[u2013] done"
