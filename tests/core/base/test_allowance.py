"""What the environment says of cores, memory and the cache; rubbish in it says nothing."""

import os
from pathlib import Path

import platformdirs
import pytest
from platformdirs.api import PlatformDirsABC
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from errorflow.base.allowance import (
    LEAST_MEMORY,
    USUAL_MEMORY,
    cache_folder,
    cores,
    cores_said,
    machine_memory,
    memory,
    memory_said,
    processors,
)
from errorflow.run.engine.engine import Budget


def test_without_a_word_all_processors_and_the_usual_memory() -> None:
    assert cores({}) == processors() >= 1 and memory({}) == USUAL_MEMORY
    assert cores_said({}) is None and memory_said({}) is None


def test_what_is_said_counts() -> None:
    assert cores({"ERRORFLOW_CORES": " 3 "}) == 3
    assert memory({"ERRORFLOW_MEMORY": "512"}) == 512 << 20
    assert memory({"ERRORFLOW_MEMORY": "2G"}) == memory({"ERRORFLOW_MEMORY": "2 gb"}) == 2 << 30


@pytest.mark.parametrize("rubbish", ["", "0", "-1", "many", "1.5", "²", "9" * 400, "1024G " * 3, "\0", "1T"])
def test_rubbish_says_nothing(rubbish: str) -> None:
    assert cores_said({"ERRORFLOW_CORES": rubbish}) is None
    assert memory_said({"ERRORFLOW_MEMORY": rubbish}) is None


def test_less_memory_than_makes_sense_is_rubbish() -> None:
    assert memory_said({"ERRORFLOW_MEMORY": str((LEAST_MEMORY >> 20) - 1)}) is None


def test_a_simulation_keeps_as_much_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRORFLOW_MEMORY", "100")
    assert Budget().memory == 100 << 20


def test_the_machine_says_how_much_memory_it_has() -> None:
    assert machine_memory() == 0 or machine_memory() > LEAST_MEMORY


@pytest.mark.parametrize(
    ("system", "said", "folder"),
    [
        (Unix, {"HOME": "/me"}, "/me/.cache/errorflow"),
        (Unix, {"HOME": "/me", "XDG_CACHE_HOME": "/cache"}, "/cache/errorflow"),
        (Unix, {"HOME": "/me", "XDG_CACHE_HOME": "cache"}, "/me/.cache/errorflow"),
        (MacOS, {"HOME": "/me"}, "/me/Library/Caches/errorflow"),
        (Windows, {"WIN_PD_OVERRIDE_LOCAL_APPDATA": r"C:\local"}, r"C:\local/errorflow"),
        (Unix, {"HOME": "/me", "ERRORFLOW_CACHE": "/other"}, "/other"),
        (Unix, {"HOME": "/me", "ERRORFLOW_CACHE": "beside"}, "/me/.cache/errorflow"),
        (Windows, {}, None),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="a path like /me is absolute on other systems only")
def test_the_cache_is_where_programs_of_the_user_keep_theirs(
    system: type[PlatformDirsABC], said: dict[str, str], folder: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA", "ERRORFLOW_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(platformdirs, "PlatformDirs", system)
    assert cache_folder() == (None if folder is None else Path(folder))
