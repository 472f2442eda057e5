"""What was put where, so that exactly that is taken away."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from errorflow.files import write_atomic
from errorflow_viewer.desktop_entry import APP_ID
from errorflow_viewer.desktop_entry.present import RECORD

_MOST_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Choice:
    """What a kind of files was to be opened with from then on, and what it was before; empty: nothing was said."""

    given: str
    before: str


@dataclass(frozen=True, slots=True)
class Record:
    """Paths are relative to the `share` folder; `folders` are those that were not there before."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    choices: Mapping[str, Choice] = field(default_factory=dict)
    # So many folders were not there either: `share` itself, the one it is in, and so on.
    above: int = 0


def read_record(share: Path) -> Record:
    """An empty one if there is none, or if it is not what was written."""
    try:
        with (share / RECORD).open("rb") as file:
            data = json.loads(file.read(_MOST_BYTES))
        choices = {str(kind): Choice(str(each["given"]), str(each["before"])) for kind, each in data["choices"].items()}
        return Record(_ours(data["files"]), _inside(data["folders"]), choices, int(data["above"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Record()


def write_record(share: Path, record: Record) -> None:
    choices = {kind: {"given": each.given, "before": each.before} for kind, each in record.choices.items()}
    data = {"version": 1, "files": record.files, "folders": record.folders, "choices": choices, "above": record.above}
    write_atomic(share / RECORD, json.dumps(data, indent=1) + "\n")


def _inside(paths: object) -> tuple[str, ...]:
    """Of a list, the paths that do not lead out of the folder."""
    rows = [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
    return tuple(
        path for path in rows if not PurePosixPath(path).is_absolute() and ".." not in PurePosixPath(path).parts
    )


def _ours(paths: object) -> tuple[str, ...]:
    """A list that somebody changed removes nothing that is not ours."""
    return tuple(path for path in _inside(paths) if PurePosixPath(path).name.startswith(APP_ID))
