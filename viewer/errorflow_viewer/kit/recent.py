"""Recent file, or a whole comparison with all of its files."""

import json
from pathlib import Path

from errorflow.base.codec import parsed as json_of
from errorflow.base.errors import one_line
from errorflow.case.scenarios.naming import place_of, title_of
from errorflow.case.scenarios.setup import Setup

Recent = Path | Setup
# What a text begins with that is no path: these are absolute.
_MARK = "{"


def name_of(recent: Recent) -> str:
    """Short, for a menu."""
    return one_line(recent.name) if isinstance(recent, Path) else title_of(recent)


def tip_of(recent: Recent) -> str:
    """Says where everything of it lies."""
    if isinstance(recent, Path):
        return str(recent)
    return "\n".join(f"{need.replace('_', ' ')}: {path}" for need, path in recent.files.items())


def folder_of(recent: Recent) -> str:
    """Finds where it lies; "": at several places."""
    place = recent.parent if isinstance(recent, Path) else place_of(recent)
    return "" if place is None else str(place)


def files_of(recent: Recent) -> tuple[Path, ...]:
    return (recent,) if isinstance(recent, Path) else tuple(recent.files.values())


def text_of(recent: Recent) -> str:
    """A line from which `parsed` makes the same."""
    return str(recent) if isinstance(recent, Path) else json.dumps(recent.plain)


def parsed(text: object) -> Recent | None:
    """Parses a text; None: rubbish."""
    if not isinstance(text, str) or "\0" in text:
        return None
    if not text.startswith(_MARK):
        return Path(text) if Path(text).is_absolute() else None
    try:
        setup = Setup.of_plain(json_of(text))
    except ValueError:
        return None
    known = setup is not None and bool(setup.files) and all(path.is_absolute() for path in setup.files.values())
    return setup if known else None
