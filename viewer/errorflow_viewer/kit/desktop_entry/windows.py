"""Tells Windows, for this user alone, that sessions are ours and models may be: values in the registry."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from errorflow.base import ErrorflowError, dataclass
from errorflow.base.files import write_atomic

CLASSES = r"Software\Classes"
SESSION, MODEL = "Errorflow.Session", "Errorflow.Model"
_KINDS = ((SESSION, "session", "Errorflow session"), (MODEL, "model", "ONNX model"))
_SUFFIXES = ((".errorflow", SESSION), (".onnx", MODEL))


class Registry(Protocol):
    """The keys of the current user, with `\\` between their parts. The name of a key's own value is empty."""

    def get(self, key: str, name: str) -> str | None: ...

    def set(self, key: str, name: str, value: str) -> None: ...

    def forget(self, key: str, name: str) -> bool: ...

    def remove(self, key: str) -> bool: ...

    def is_empty(self, key: str) -> bool: ...

    def announce(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a key."""

    key: str
    name: str
    value: str


def install(registry: Registry, command: Sequence[str], icons: Path | None = None) -> tuple[str, ...]:
    """Says what was written. `icons`: the folder for them, of which there are none in a package of Python."""
    folder = _icon_folder() if icons is None else icons
    lines = [f"Wrote {path}" for path in _write_icons(folder)]
    for row in _values(command, folder):
        registry.set(row.key, row.name, row.value)
        lines.append(f"Wrote HKEY_CURRENT_USER\\{row.key}" + (f", {row.name}" if row.name else ""))
    registry.announce()
    return (*lines, f"Errorflow opens .errorflow files, and .onnx files by “Open with”, with {command[0]}.")


def remove(registry: Registry, icons: Path | None = None) -> tuple[str, ...]:
    """Removes what is ours; values of other programs beside it stay."""
    lines = [f"Removed {path}" for path in _remove_icons(_icon_folder() if icons is None else icons)]
    for suffix, kind in _SUFFIXES:
        key = f"{CLASSES}\\{suffix}"
        opened = f"{key}\\OpenWithProgids"
        if registry.get(key, "") == kind:
            registry.forget(key, "")
            lines.append(f"Removed HKEY_CURRENT_USER\\{key}")
        if registry.forget(opened, kind):
            lines.append(f"Removed HKEY_CURRENT_USER\\{opened}, {kind}")
        for each in (opened, key):
            if registry.is_empty(each):
                registry.remove(each)
    for kind, _, _ in _KINDS:
        if registry.remove(f"{CLASSES}\\{kind}"):
            lines.append(f"Removed HKEY_CURRENT_USER\\{CLASSES}\\{kind}")
    registry.announce()
    return (*lines, "Errorflow is no longer offered for files." if lines else "Errorflow was not offered for files.")


def _values(command: Sequence[str], icons: Path) -> Iterator[Value]:
    call = f'{subprocess.list2cmdline(command)} "%1"'
    for kind, stem, text in _KINDS:
        yield Value(f"{CLASSES}\\{kind}", "", text)
        yield Value(f"{CLASSES}\\{kind}\\DefaultIcon", "", f'"{icons / f"{stem}.ico"}"')
        yield Value(f"{CLASSES}\\{kind}\\shell\\open\\command", "", call)
    yield Value(f"{CLASSES}\\.errorflow", "", SESSION)
    for suffix, kind in _SUFFIXES:  # never the program that opens models, only one of those that can
        yield Value(f"{CLASSES}\\{suffix}\\OpenWithProgids", kind, "")


def _icon_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("Errorflow", appauthor=False) / "icons"


def _write_icons(folder: Path) -> list[Path]:
    drawn = files("errorflow_resources") / "icons" / "document"
    paths = [folder / f"{stem}.ico" for _, stem, _ in _KINDS]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ErrorflowError(
            f"The icons cannot be put into {folder}: {error.strerror}.", "Free some space, or ask who runs the machine."
        ) from error
    for path in paths:
        write_atomic(path, (drawn / path.name).read_bytes())
    return paths


def _remove_icons(folder: Path) -> list[Path]:
    there = [path for _, stem, _ in _KINDS if (path := folder / f"{stem}.ico").is_file()]
    for path in there:
        path.unlink()
    for empty in (folder, folder.parent):
        if empty.is_dir() and not any(empty.iterdir()):
            empty.rmdir()
    return there


def user_registry() -> Registry:
    """Opens the registry of this machine."""
    if sys.platform == "win32":
        from errorflow_viewer.kit.desktop_entry.winregistry import UserRegistry

        return UserRegistry()
    raise ErrorflowError("There is no registry here.", "Errorflow tells this system in another way what it opens.")
