"""Looks into folders: names only, within limits, and never out of the folder that was opened."""

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from errorflow.base.errors import FileError, FormatError
from errorflow.base.files import is_file
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field
from errorflow.graph.model import Problem

MAX_FILES = 1_000_000
MAX_DEPTH = 16
# Names between two looks at whether to go on.
MANY = 1000
_SMALLER = "Open a folder further inside."


@dataclass(frozen=True)
class Listing:
    """Listing of one folder, in the order of names. A link counts where it leads to within `root`."""

    path: Path
    root: Path
    files: tuple[str, ...]
    folders: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    # Who is told while folders inside are looked into.
    progress: Progress = field(default=SILENT, repr=False, compare=False)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self.files)

    def inner(self, name: str) -> "Listing | None":
        """A folder inside; None where it is not there or may not be read."""
        if name not in self.folders:
            return None
        try:
            return listing(self.path / name, self.root, self.progress)
        except FileError:
            return None


def listing(path: Path, root: Path | None = None, progress: Progress = SILENT) -> Listing:
    """Lists what lies right in `path`; a `FileError` if it cannot be looked into."""
    files: list[str] = []
    folders: list[str] = []
    problems: list[Problem] = []
    try:
        base = Path(os.path.realpath(path)) if root is None else root
        with os.scandir(path) as entries:
            for count, entry in enumerate(entries):
                if count % MANY == 0:
                    progress.step(0, 0, f"Looking into {path.name}")
                if count >= MAX_FILES:
                    raise FormatError(f"{path} holds more than {MAX_FILES:,} files.", _SMALLER)
                _place(entry, base, files, folders, problems)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None)
        raise FileError(
            f"The folder {path} could not be read: {str(reason if reason else error).lower()}.",
            "Check that it exists and that you may read it.",
        ) from error
    return Listing(path, base, tuple(sorted(files)), tuple(sorted(folders)), tuple(problems), progress)


def _place(entry: os.DirEntry[str], root: Path, files: list[str], folders: list[str], problems: list[Problem]) -> None:
    if entry.is_symlink():
        problem = _follow(entry, root)
        if problem:
            problems.append(Problem(problem, entry.name))
        else:
            files.append(entry.name)
    elif entry.is_dir(follow_symlinks=False):
        folders.append(entry.name)
    elif entry.is_file(follow_symlinks=False):
        files.append(entry.name)


def _follow(entry: os.DirEntry[str], root: Path) -> str:
    """Says why a link is not followed; "" if it leads to a file within the folder."""
    target = Path(os.path.realpath(entry.path))
    if not target.is_relative_to(root):
        return "It is a link that leads out of the folder and is not followed."
    return "" if is_file(target) else "It is a link to no file and is not followed."


def walk(top: Listing) -> Iterator[Listing]:
    """The folder and all folders inside, each before what is in it; what cannot be read is left out as a problem."""
    waiting = [(top, 0)]
    count = 0
    while waiting:
        found, depth = waiting.pop()
        count += len(found.files)
        if count > MAX_FILES:
            raise FormatError(f"{top.path} holds more than {MAX_FILES:,} files.", _SMALLER)
        deeper: list[tuple[Listing, int]] = []
        problems = list(found.problems)
        for name in found.folders:
            try:
                if depth >= MAX_DEPTH:
                    raise FileError(f"Folders deeper than {MAX_DEPTH} are not looked into.", _SMALLER)
                deeper.append((listing(found.path / name, found.root, found.progress), depth + 1))
            except FileError as error:
                problems.append(Problem(error.message, name))
        waiting += reversed(deeper)
        yield Listing(found.path, found.root, found.files, found.folders, tuple(problems), found.progress)
