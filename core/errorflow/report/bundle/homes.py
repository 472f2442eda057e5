"""Homes of a session whose files lie elsewhere: in a bundle, or at an unknown place."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from errorflow.base.files import telling_name
from errorflow.base.sample import folder as sample_folder
from errorflow.base.values import dataclass, field, fields, is_dataclass, replace
from errorflow.case.session.model import Session
from errorflow.quant.plan import Plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.simulate.basis import Basis

T = TypeVar("T")
# Texts that name files.
_PATHS = {(SampleSpec, "paths"), (Basis, "others"), (LabelledSet, "data")}


def rehomed(value: T, now: Callable[[Path], Path]) -> T:
    """The same frozen value with every file in it where `now` says."""
    found: T = _mapped(value, now)
    return found


def _mapped(value: Any, now: Callable[[Path], Path]) -> Any:
    if isinstance(value, Path):
        return now(value)
    if isinstance(value, Plan) or value is None or isinstance(value, str | int | float):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        found = {each.name: _field(value, each.name, now) for each in fields(value) if each.init}
        changed = {name: each for name, each in found.items() if each is not getattr(value, name)}
        return replace(value, **changed) if changed else value
    if isinstance(value, tuple):
        return _same(value, tuple(_mapped(each, now) for each in value))
    if isinstance(value, Mapping):
        found = {key: _mapped(each, now) for key, each in value.items()}
        return value if all(found[key] is value[key] for key in value) else found
    return value


def _field(owner: Any, name: str, now: Callable[[Path], Path]) -> Any:
    value = getattr(owner, name)
    if (type(owner), name) in _PATHS:
        return tuple(str(now(Path(text))) for text in value)
    return _mapped(value, now)


def _same(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[Any, ...]:
    return before if all(one is other for one, other in zip(before, after, strict=True)) else after


# Folders without their names: numbered, so that one still sees which files lie together.


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
