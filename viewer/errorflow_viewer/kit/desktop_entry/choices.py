"""Choices of what a kind of files is opened with: found out as the desktop does, and said in the user's own list."""

import os
from collections.abc import Iterator
from configparser import ConfigParser, Error
from pathlib import Path

from platformdirs import PlatformDirs, user_config_path

from errorflow.base.files import write_atomic

_LIST = "mimeapps.list"
_CHOSEN = "Default Applications"
_HEADER = f"[{_CHOSEN}]"
_MOST_BYTES = 1024 * 1024


def user_list() -> Path:
    """Finds where the user's choices are kept."""
    return user_config_path() / _LIST


def chosen(kind: str) -> str:
    """Finds the entry that was chosen for files of that kind, by the user or for all; empty: none was."""
    for path in _lists():
        for name in _value(path, _CHOSEN, kind):
            return name
    return ""


def offered(kind: str, ours: str) -> str:
    """The first entry of another app that opens that kind; empty: there is none."""
    for folder in _data_folders():
        for name in _value(folder / "applications" / "mimeinfo.cache", "MIME Cache", kind):
            if name != ours and any((each / "applications" / name).is_file() for each in _data_folders()):
                return name
    return ""


def say(kind: str, name: str) -> bool:
    """Chooses `name` for that kind; empty: nothing is chosen any more. All other lines stay as they are.

    False: the list is there and cannot be read as a whole, so it is left alone.
    """
    path = user_list()
    text = _text(path)
    if path.exists() and len(text.encode(errors="surrogateescape")) != path.stat().st_size:
        return False
    lines = text.splitlines()
    start, end = _section(lines)
    kept = [line for line in lines[start:end] if line.partition("=")[0].strip() != kind]
    added = [f"{kind}={name}"] if name else []
    if start == len(lines) and added:
        lines += [*([""] if lines and lines[-1] else []), _HEADER]
        start = end = len(lines)
    lines[start:end] = [*added, *kept]
    if all(line.strip() in ("", _HEADER) for line in lines):
        path.unlink(missing_ok=True)
        return True
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, ("\n".join(lines) + "\n").encode(errors="surrogateescape"))
    return True


def said(kind: str) -> str:
    """Reads what the user's own list says of that kind."""
    return next(iter(_value(user_list(), _CHOSEN, kind)), "")


def _section(lines: list[str]) -> tuple[int, int]:
    """Finds where the lines of what was chosen begin and end; both at the end if there are none."""
    heads = [index for index, line in enumerate(lines) if line.strip() == _HEADER]
    if not heads:
        return len(lines), len(lines)
    after = [index for index, line in enumerate(lines) if index > heads[0] and line.strip().startswith("[")]
    return heads[0] + 1, after[0] if after else len(lines)


def _lists() -> Iterator[Path]:
    """Yields lists in the order in which the desktop reads them."""
    desktops = [name.lower() for name in os.environ.get("XDG_CURRENT_DESKTOP", "").split(":") if name]
    names = [*(f"{name}-{_LIST}" for name in desktops), _LIST]
    for folder in (*PlatformDirs().iter_config_paths(), *(each / "applications" for each in _data_folders())):
        yield from (folder / name for name in names)


def _data_folders() -> list[Path]:
    return list(PlatformDirs().iter_data_paths())


def _value(path: Path, section: str, key: str) -> list[str]:
    parser = ConfigParser(interpolation=None, strict=False, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # kinds of files keep their letters
    try:
        parser.read_string(_text(path))
    except Error:
        return []
    return [name for name in parser.get(section, key, fallback="").split(";") if name]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode(errors="surrogateescape")
    except OSError:
        return ""
