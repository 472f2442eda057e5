"""What is told of the time that tests take, and the quick run that is chosen by it."""

import subprocess
import sys
from pathlib import Path

import pytest

import timing
from timing import QUICK, RECORDED, ROOT, Times, quick, read_times, recorded, room_of

MOST_OLD = 0.1
A, B, C = "tests/core/a/test_x.py", "tests/core/b/test_y.py", "tests/core/b/test_z.py"


@pytest.mark.parametrize(
    ("name", "room"),
    [
        ("tests/core/explain/test_parts.py", "core/explain"),
        ("tests/core/test_sample.py", "core"),
        ("tests/viewer/panels/simulate/test_panel.py", "viewer/panels"),
        ("tests/planted/test_nets.py", "planted"),
        ("tests/test_house.py", ""),
    ],
)
def test_a_room_is_a_folder_of_tests(name: str, room: str) -> None:
    assert room_of(name) == room


def test_a_quick_run_has_a_file_of_every_room_even_where_that_takes_long() -> None:
    assert quick({A: Times(1, 500.0), B: Times(1, 2.0), C: Times(1, 1.0)}, budget=10.0) == {A, C}


def test_a_quick_run_takes_what_tests_most_in_the_time_that_is_left() -> None:
    times = {A: Times(10, 1.0), B: Times(10, 2.0), C: Times(10, 3.0)}
    assert quick(times, budget=3.0) == {A, B}
    assert quick(times, budget=6.0) == {A, B, C}


def test_the_quick_run_covers_every_room_in_its_time() -> None:
    times = recorded()
    chosen = quick(times)
    assert {room_of(name) for name in chosen} == {room_of(name) for name in times}
    assert round(sum(times[name].seconds for name in chosen), 3) <= QUICK


def test_the_times_are_those_of_nearly_all_tests_there_are() -> None:
    marked = ("mark.window", "mark.installed", "mark.slow")
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    untimed = {
        name for name in files - set(recorded()) if not any(mark in (ROOT / name).read_text() for mark in marked)
    }
    assert len(untimed) <= MOST_OLD * len(files), f"record them anew, see tests/timing.py: {sorted(untimed)}"


def test_times_are_read_from_reports(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        """<testsuites><testsuite>
        <testcase classname="tests.test_timing" name="test_a" time="1.5"/>
        <testcase classname="tests.test_timing.TestOfIt" name="test_b" time="0.25"/>
        <testcase classname="tests.test_timing" name="test_c" time="9"><skipped message="why"/></testcase>
        <testcase classname="tests.test_that_is_gone" name="test_d" time="1"/>
        </testsuite></testsuites>"""
    )
    assert read_times([tmp_path / "a.xml"]) == {"tests/test_timing.py": Times(2, 1.75)}


def test_a_run_begins_with_how_long_it_takes() -> None:
    call = [sys.executable, "-m", "pytest", "--co", "-q", "-p", "no:cacheprovider", "-n", "0", "-v", timing.__file__]
    told = subprocess.run(
        [*call[:-1], RECORDED.parent / "core/explain/blame"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert " minutes on 1 of " in told.stdout
