import json
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from errorflow import __version__
from errorflow.base.sample import SAMPLES
from errorflow.cli.command import Command
from errorflow.cli.listing import GROUPS, listed
from errorflow.cli.main import COMMANDS, main
from errorflow.cli.tool_exit import with_tool_codes
from errorflow.compare.match.codes import NO_RUN


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])

    assert stop.value.code == 0
    assert capsys.readouterr().out == f"errorflow {__version__}\n"


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_each_command_explains_itself(row: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([row.name, "--help"])

    assert stop.value.code == 0
    assert "usage: errorflow" in capsys.readouterr().out


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_each_command_stands_in_the_help(row: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])

    assert row.name in capsys.readouterr().out


def test_without_a_command_it_lists_them_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "missing" not in printed.err
    assert "required" not in printed.err
    assert all(f"\n  {row.name} " in printed.err for row in COMMANDS)
    assert "`errorflow COMMAND --help`" in printed.err


def test_every_command_is_in_one_group() -> None:
    named = [name for _, names in GROUPS for name in names]
    assert sorted(named) == sorted(row.name for row in COMMANDS)


def test_a_command_without_a_group_is_listed_all_the_same() -> None:
    row = Command("count", "Count nodes.", lambda _: None, lambda _: 0)
    assert listed([*COMMANDS, row]).endswith("More\n  count         Count nodes")


@pytest.mark.parametrize(
    ("words", "said"), [(["compare", "-m", "a"], "-g"), (["inspect", "a", "--nonsense"], "--nonsense")]
)
def test_a_wrong_call_is_answered_in_two_lines(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)

    assert stop.value.code == 2
    sentence, hint = capsys.readouterr().err.splitlines()
    assert said in sentence
    assert "--help" in hint


def test_a_reader_that_stops_early_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, "-m", "errorflow.cli.main", "inspect", str(SAMPLES[0].model)],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["facts", "json"])
def test_names_that_cannot_be_encoded_are_printed_all_the_same(
    encoding: str, options: list[str], tmp_path: Path
) -> None:
    odd = tmp_path / os.fsdecode("caf\xe9 → ∞ ".encode() + (b"" if sys.platform in ("win32", "darwin") else b"\xff"))
    shutil.copy(SAMPLES[0].model, odd)

    done = subprocess.run(
        [sys.executable, "-m", "errorflow.cli.main", "inspect", str(odd), *options],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    if options:
        assert json.loads(done.stdout)["file"] == str(odd)


LIMITED = """
import resource, sys
import numpy
import errorflow.cli.look, errorflow.explain.inspect.look, errorflow.formats.runs, errorflow.compare.match.any_runs
import errorflow.explain.findings.model
from errorflow.cli.main import main
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (128 << 20), resource.RLIM_INFINITY))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process can be kept short of memory")
def test_too_little_memory_is_a_sentence_and_a_way_out(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "run.npz", large=np.zeros(64 << 20, np.float32))
    run = str(tmp_path / "run.npz")

    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "look", run, run, "--tensor", "large"],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    sentence, hint = done.stderr.splitlines()
    assert sentence == "errorflow: There is not enough memory for this."
    assert hint.startswith("Close other programs")


def test_short_of_memory_is_not_like_an_operator_without_a_dump(capsys: pytest.CaptureFixture[str]) -> None:
    def run(_: Namespace) -> int:
        raise MemoryError

    assert with_tool_codes(run)(Namespace()) == NO_RUN
    assert "There is not enough memory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", ""],
        ["compare", "-m", "", "-g", "b"],
        ["compare", "-m", "a", "--golden_dump_path="],
        ["simulate", "a", "--plan", ""],
        ["demo", "--out", ""],
    ],
    ids=" ".join,
)
def test_an_empty_name_is_no_file(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Of a script whose variable is empty: it would mean the folder that the script is in."""
    with pytest.raises(SystemExit) as stop:
        main(words)

    assert stop.value.code == 2
    sentence, hint = capsys.readouterr().err.splitlines()
    assert "an empty name is no file" in sentence
    assert f"`errorflow {words[0]} --help`" in hint


def test_an_empty_name_that_says_none_may_be_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "-m", str(tmp_path / "a"), "-g", str(tmp_path / "b"), "-f", ""]) != 0
    assert "There is no file" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="there a folder that somebody is in cannot be removed")
def test_in_a_folder_that_is_gone_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert main(["runs", "a", "b"]) == 2
    sentence, hint = capsys.readouterr().err.splitlines()
    assert sentence == "errorflow: The folder that Errorflow was started in is not there any more."
    assert "whole paths" in hint


def test_it_is_a_module_that_can_be_run() -> None:
    done = subprocess.run([sys.executable, "-m", "errorflow", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"errorflow {__version__}\n"), done.stderr
