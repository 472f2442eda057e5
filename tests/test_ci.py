"""The check of skipped tests in .ci accepts what is on its list and nothing else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from needed import PACKAGES

CI = Path(__file__).parents[1] / ".ci"

REPORT = """<?xml version="1.0"?>
<testsuites><testsuite name="pytest">
<testcase classname="tests.test_a" name="test_one"/>
<testcase classname="tests.test_a" name="test_two">
<skipped type="pytest.skip" message="{reason}">tests/test_a.py:7</skipped>
</testcase>
</testsuite></testsuites>
"""


def check(folder: Path, allowed: str, reason: str) -> "subprocess.CompletedProcess[str]":
    (folder / "allowed.txt").write_text(allowed)
    (folder / "report.xml").write_text(REPORT.format(reason=reason))
    return subprocess.run(
        [sys.executable, CI / "skips.py", folder / "allowed.txt", folder / "report.xml"],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("allowed", ["^no screen$", "# a note\n\n^no .*   # because"])
def test_a_skip_on_the_list_is_accepted_and_named(tmp_path: Path, allowed: str) -> None:
    done = check(tmp_path, allowed, "no screen")
    assert done.returncode == 0
    assert "tests.test_a.test_two: no screen" in done.stdout


@pytest.mark.parametrize("allowed", ["", "# no screen", "^screen"])
def test_any_other_skip_fails(tmp_path: Path, allowed: str) -> None:
    done = check(tmp_path, allowed, "no screen")
    assert done.returncode == 1
    assert "UNEXPECTED" in done.stdout


def test_every_allowed_skip_says_why() -> None:
    rows = [line for line in (CI / "allowed-skips.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert [row for row in rows if not re.search(r"\S +# \w", row)] == []


@pytest.mark.parametrize("name", ["window", "installed"])
def test_a_mark_stands_in_the_files_that_it_marks(name: str) -> None:
    """`.ci/run` reads no other files to find tests so marked."""
    others = [path for path in CI.parent.joinpath("tests").rglob("*.py") if not path.name.startswith("test_")]
    written = re.compile(rf"\bmark\.{name}\b|\badd_marker\(")
    assert [path.name for path in others if written.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", ["run", "longer"])
def test_the_script_is_whole(name: str) -> None:
    subprocess.run(["bash", "-n", CI / name], check=True)


def test_what_tests_use_of_the_system_is_installed_by_it() -> None:
    text = (CI / "run").read_text(encoding="utf-8").replace("\\\n", "")
    installed = set(re.findall(r'^TOOLS="(.*)"$', text, re.MULTILINE)[0].split())
    # What each Debian has, or comes with one of the others.
    assert set(PACKAGES.values()) - installed == {"fontconfig"}
