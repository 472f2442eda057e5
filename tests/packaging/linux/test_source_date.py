"""What date the packages bear: that of the sources, never of what lies around them."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from packaging_scripts import PACKAGING

SCRIPT = PACKAGING / "linux/source_date.sh"
THEN, LATER = 1_500_000_000, 1_600_000_000


def date_of(folder: Path, **more: str) -> int:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1", **more}
    return int(subprocess.check_output([str(SCRIPT), str(folder)], env=environment, text=True))


def committed(folder: Path, when: int) -> None:
    """All that lies there, in a repository whose top it is."""
    day = datetime.fromtimestamp(when, UTC).isoformat()
    said = {"NAME": "a", "EMAIL": "a@b", "DATE": day}
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in said.items()}
    environment = {"PATH": "/usr/bin:/bin", **who}
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "all")):
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "outside" / "sources"
    (folder / "core").mkdir(parents=True)
    for name in ("CHANGELOG.md", "core/a.py"):
        (folder / name).write_text("## Unreleased\nSince 2001-02-03 …\n")
        os.utime(folder / name, (LATER, LATER))
    return folder


def test_what_was_said_counts_first(sources: Path) -> None:
    committed(sources, THEN)
    assert date_of(sources, SOURCE_DATE_EPOCH="7") == 7


def test_the_last_change_counts_where_there_is_a_repository(sources: Path) -> None:
    committed(sources, THEN)
    assert date_of(sources) == THEN


def test_a_repository_of_somebody_else_is_read_all_the_same(sources: Path) -> None:
    """As a folder that a container was given. The variable is git's own, for its tests."""
    committed(sources, THEN)
    assert date_of(sources, GIT_TEST_ASSUME_DIFFERENT_OWNER="1") == THEN


def test_a_repository_around_the_sources_says_nothing_of_them(sources: Path) -> None:
    committed(sources.parent, THEN)
    assert date_of(sources) == LATER


def test_without_a_repository_it_is_the_newest_release(sources: Path) -> None:
    (sources / "CHANGELOG.md").write_text("## Unreleased\n\n## 1.1 – 2017-07-14\n\n## 1.0 – 2016-01-01, not 2020\n")
    assert date_of(sources) == int(datetime(2017, 7, 14, tzinfo=UTC).timestamp())


def test_without_any_day_it_is_that_of_the_newest_file(sources: Path) -> None:
    os.utime(sources / "core/a.py", (THEN, THEN))
    assert date_of(sources) == LATER
