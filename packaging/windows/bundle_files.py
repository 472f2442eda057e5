"""The bundle's files as commands for NSIS: which to install, and which to take away, so that no other is touched."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath, PureWindowsPath

PROGRAMS = ("errorflow-viewer.exe", "errorflow.exe")


@dataclass(frozen=True, slots=True)
class Bundle:
    """What lies in the folder that PyInstaller made."""

    folder: Path
    files: tuple[Path, ...]
    """Relative to the folder, in an order that does not depend on the machine."""

    @classmethod
    def read(cls, folder: Path) -> "Bundle":
        """Refuses what is no bundle, so that no installer of a wrong folder is made."""
        missing = [name for name in (*PROGRAMS, "_internal") if not (folder / name).exists()]
        if missing:
            raise SystemExit(
                f"{folder} is no bundle: {', '.join(missing)} is missing. Build it with packaging/windows/bundle.py."
            )
        files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        return cls(folder, tuple(files))

    @property
    def kilobytes(self) -> int:
        """What is installed, as Windows shows it under Apps."""
        return sum((self.folder / path).stat().st_size for path in self.files) // 1024

    @property
    def longest(self) -> int:
        """Characters of the longest path: with the folder before it, it must stay under what Windows allows."""
        return max(len(str(path)) for path in self.files)

    def install(self) -> str:
        """Folder by folder, as NSIS copies into the current one."""
        lines, folder = [], None
        for path in sorted(self.files, key=lambda each: (each.parent, each)):
            if path.parent != folder:
                folder = path.parent
                lines.append(f'SetOutPath "{_there(folder)}"')
            lines.append(f'File "{_sound((self.folder / path).resolve())}"')
        return "\n".join(lines) + "\n"

    def uninstall(self) -> str:
        """Each file by its name; then the folders, the deepest first. One that is not empty stays: no `RMDir /r`."""
        lines = [f'Delete "{_there(path)}"' for path in self.files]
        lines += [f'RMDir "{_there(folder)}"' for folder in _folders(self.files)]
        return "\n".join(lines) + "\n"


def _folders(files: Iterable[Path]) -> list[Path]:
    found = {parent for path in files for parent in path.parents if parent != Path()}
    return sorted(found, key=lambda each: (-len(each.parts), each))


def _there(path: Path) -> str:
    """Where it is on the user's machine."""
    return "$INSTDIR" if path == Path() else "$INSTDIR\\" + _sound(PureWindowsPath(path)).replace("$", "$$")


def _sound(path: PurePath) -> str:
    """Stands between double quotes in a script of NSIS."""
    if '"' in str(path) or "\n" in str(path):
        raise SystemExit(f"Windows has no file names such as {str(path)!r}")
    return str(path)
