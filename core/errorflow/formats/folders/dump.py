"""A folder in which each file holds one tensor: a dump that opens a file when it is asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress, stepwise
from errorflow.base.values import dataclass, field
from errorflow.formats.folders.opening import Opening
from errorflow.graph.dump import Stored
from errorflow.graph.model import Problem


class TensorFile(Protocol):
    """A file that holds one tensor."""

    @property
    def path(self) -> Path: ...

    def stored(self, name: str) -> Stored:
        """The tensor under the name `name`, its head read; an `ErrorflowError` if the file is broken."""
        ...


@dataclass(frozen=True)
class FolderDump(Opening):
    """Tensors by name. `members` lists the files without opening one; `names` has only what can be read."""

    folder: Path
    label: str
    members: Mapping[str, TensorFile] = field(repr=False)
    # What was odd about the folder itself, before any file was opened.
    listed: tuple[Problem, ...] = ()
    # By name, what was asked for: the output of one operator is the input of others.
    _asked: dict[str, Stored] = field(init=False, default_factory=dict, repr=False, compare=False)

    def stored(self, name: str) -> Stored:
        """Opens this file only; a `KeyError` if there is none, an `ErrorflowError` if it cannot be read."""
        known = self.known(name)
        if known is not None:
            return known
        if name not in self._asked:
            self._asked[name] = self.members[name].stored(name)
        return self._asked[name]

    def _open_all(self, progress: Progress) -> tuple[dict[str, Stored], tuple[Problem, ...]]:
        found: dict[str, Stored] = {}
        problems: list[Problem] = []
        for name, member in stepwise(self.members.items(), progress, f"Opening {self.folder.name}"):
            try:
                found[name] = member.stored(name)
            except ErrorflowError as error:
                problems.append(Problem(error.message, member.path.name))
        return found, tuple(problems)
