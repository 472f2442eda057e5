import os
import subprocess
import sys

import pytest

from errorflow import __version__
from errorflow.cli.command import Command
from errorflow.cli.main import COMMANDS, main
from errorflow.sample import SAMPLES


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


def test_without_a_command_it_says_how_to_call_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([])

    assert stop.value.code == 2
    assert "usage: errorflow" in capsys.readouterr().err


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
