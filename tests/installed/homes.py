"""What lies in a person's home."""

import re
import shlex
from pathlib import Path

APP = "io.github.errorflow.Errorflow"


def all_below(home: Path) -> set[Path]:
    return set(home.rglob("*"))


def entry_of(home: Path) -> Path:
    """What the menu shows."""
    return home / ".local/share/applications" / f"{APP}.desktop"


def program_of(entry: str) -> Path:
    """The program that an entry of the menu starts."""
    found = re.search(r"^Exec=(.+)$", entry, re.MULTILINE)
    assert found is not None, "no program"
    return Path(shlex.split(found[1])[0])
