"""What a run leaves behind, and what the next one makes of it."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from errorflow_viewer.kit.crashing_files import Troubles
from errorflow_viewer.kit.run_record import MOST_LINES, Facts, LastWords, kind_of, last_lines

LOG = Path("/no/log")
FACTS = Facts("1", 1.0, "boot", 5)
FATAL = "Fatal Python error: Segmentation fault\n"


@pytest.mark.parametrize(
    ("facts", "trace", "boot", "starved", "kind"),
    [
        (FACTS, FATAL, "boot", 5, "crash"),
        (FACTS, "Windows fatal exception: access violation", "boot", 5, "crash"),
        (FACTS, "Qt: something\n" + FATAL, "another", 9, "crash"),
        (FACTS, "Ended with an error\nTraceback", "boot", 5, "error"),
        (FACTS, "Qt: The X11 connection broke (error 1). Did the X11 server die?", "boot", 5, "display"),
        (FACTS, "Qt: The Wayland connection broke. Did the Wayland compositor die?", "boot", 5, "display"),
        (FACTS, "", "another", 5, "machine"),
        (FACTS, "", "boot", 6, "memory"),
        (FACTS, "", "boot", 5, "killed"),
        (Facts(), "", "boot", 5, "killed"),
        (replace(FACTS, boot=""), "", "", -1, "killed"),
    ],
)
def test_how_a_run_ended(facts: Facts, trace: str, boot: str, starved: int, kind: str) -> None:
    assert kind_of(facts, trace, boot, starved) == kind


def test_a_run_that_ended_well_leaves_nothing(qapp: object, tmp_path: Path) -> None:
    words = LastWords(tmp_path, 1)
    assert words.begin(LOG) == ()
    words.opening([Path("/a.onnx")])
    words.end()
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_still_going_has_not_died(qapp: object, tmp_path: Path) -> None:
    first, second = LastWords(tmp_path, 1), LastWords(tmp_path, 2)
    first.begin(LOG)
    assert second.begin(LOG) == ()
    second.end()
    first.end()


@pytest.mark.parametrize("number", ["another number", "the same number"])
def test_what_was_being_opened_is_known_afterwards(qapp: object, tmp_path: Path, number: str) -> None:
    code = (
        "import os, sys; from pathlib import Path; from errorflow_viewer.kit.run_record import LastWords;"
        "words = LastWords(Path(sys.argv[1]), 7); words.begin(Path('/no/log'));"
        "words.opening([Path('/a.onnx')]); words.say('Qt: the end'); os.abort()"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, capture_output=True)
    words = LastWords(tmp_path, 2 if number == "another number" else 7)
    (death,) = words.begin(LOG)
    words.end()
    assert death.kind == "crash" and death.facts.opening == ("/a.onnx",)
    assert death.trace.startswith("Qt: the end\nFatal Python error: Aborted")
    again = LastWords(tmp_path, 3)
    assert again.begin(LOG) == ()
    again.end()


@pytest.mark.parametrize("text", ["", "rubbish", "[]", '{"began": "x"}', "[" * 100_000])
def test_rubbish_is_a_run_of_which_nothing_is_known(qapp: object, tmp_path: Path, text: str) -> None:
    (tmp_path / "run-7.json").write_text(text)
    words = LastWords(tmp_path, 2)
    (death,) = words.begin(LOG)
    words.end()
    assert (death.kind, death.facts) == ("killed", Facts())


def test_an_error_at_the_end_is_there_at_the_next_start(qapp: object, tmp_path: Path) -> None:
    words = LastWords(tmp_path, 1)
    words.begin(LOG)
    words.leave("ValueError: one")
    words.leave("ValueError: two")
    words.end()
    after = LastWords(tmp_path, 2)
    (death,) = after.begin(LOG)
    after.end()
    assert death.kind == "error" and "one" in death.trace and "two" in death.trace


def test_where_nothing_can_be_written_nothing_is_said(qapp: object, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    words = LastWords(tmp_path / "file", 1)
    assert words.begin(LOG) == ()
    words.opening([Path("/a")])
    words.say("nobody hears it")
    words.end()


def test_of_the_log_the_end_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "errorflow.log"
    log.write_text("".join(f"line {number}\n" for number in range(1000)))
    lines = last_lines(log).splitlines()
    assert len(lines) == MOST_LINES and lines[-1] == "line 999"


# Files that ended the app


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"x")
    return path


def test_twice_is_too_often(tmp_path: Path, model: Path) -> None:
    troubles = Troubles(tmp_path)
    troubles.add([str(model), str(model)])
    assert not troubles.too_often(model)  # the same death
    Troubles(tmp_path).add([str(model)], time.time() + 1)
    assert troubles.too_often(model) and not troubles.too_often(tmp_path)


def test_a_file_that_was_changed_or_opened_well_is_no_trouble(tmp_path: Path, model: Path) -> None:
    troubles = Troubles(tmp_path)
    now = time.time()
    for when in (now + 1, now + 2):
        troubles.add([str(model)], when)
    assert troubles.too_often(model)
    os.utime(model, (now + 3, now + 3))
    assert not troubles.too_often(model)
    troubles.add([str(model)], now + 4)
    assert not troubles.too_often(model)  # as it is now, once
    troubles.add([str(model)], now + 5)
    assert troubles.too_often(model)
    troubles.forget(model)
    assert not troubles.too_often(model) and not (tmp_path / "troubles.json").exists()


@pytest.mark.parametrize("text", ["", "rubbish", "[]", '{"/a": 1}', '{"/a": []}', "[" * 100_000])
def test_rubbish_is_no_trouble(tmp_path: Path, text: str) -> None:
    (tmp_path / "troubles.json").write_text(text)
    assert not Troubles(tmp_path).too_often(Path("/a"))


def test_where_nothing_can_be_kept_nothing_is_too_often(tmp_path: Path, model: Path) -> None:
    troubles = Troubles(model)
    for _ in range(3):
        troubles.add([str(model)])
    assert not troubles.too_often(model)
