"""Folders without their names: numbered, so that one still sees which files lie together."""

from pathlib import Path

from errorflow.base.files import telling_name
from errorflow.base.sample import folder as sample_folder
from errorflow.base.values import dataclass, field
from errorflow.case.session.model import Session
from errorflow.report.bundle.homes import rehomed


@dataclass(slots=True)
class Folders:
    """Hands out a number for each folder, in the order in which they are met."""

    _numbers: dict[Path, int] = field(default_factory=dict)

    def hidden(self, path: Path) -> Path:
        """The name of the file or of the run, in a folder that has only a number."""
        if sample_folder() in path.parents or not path.name:
            return path
        around = path.parent.absolute()
        number = self._numbers.setdefault(around, len(self._numbers) + 1)
        return Path(f"[folder {number}]", path.name)


def without_folders(session: Session) -> Session:
    """Puts every file of the session in a folder that has only a number."""
    return rehomed(session, Folders().hidden)


def hidden_names(session: Session) -> tuple[tuple[str, str], ...]:
    """Lists names of files beside their comparison that tell of folders, with what stands in their place.

    The numbers are those of `without_folders`. The longest name comes first: it may end like another one.
    """
    folders, found = Folders(), dict[str, str]()

    def note(path: Path) -> Path:
        name, hidden = telling_name(path), folders.hidden(path)
        if "/" in name and hidden != path:
            found[name] = hidden.as_posix()
        return path

    rehomed(session, note)
    return tuple(sorted(found.items(), key=lambda row: (-len(row[0]), row)))
