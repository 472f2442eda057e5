"""Looks into ticket bundles."""

import zipfile
from pathlib import Path


def lines_of(path: Path, member: str) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.read(member).decode().splitlines()


def changed(path: Path, target: Path, members: dict[str, bytes | None]) -> Path:
    """The same bundle with other members; None: without one."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            if info.filename not in members:
                new.writestr(info, old.read(info.filename))
        for name, data in members.items():
            if data is not None:
                new.writestr(name, data)
    return target
