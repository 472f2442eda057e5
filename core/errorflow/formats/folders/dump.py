"""A folder in which each file holds one tensor: a dump that opens a file when it is asked for."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, ErrorflowError, Progress, dataclass, field, stepwise
from errorflow.graph.dump import Stored, TensorInfo
from errorflow.graph.model import Problem

# Opening of folders of many files: all are opened at once, when their readable tensors are listed.


class Opening(ABC):
    """The part of a dump that needs all files. A folder says in `_open_all` what is in them, and what is odd."""

    # What was odd about the folder itself, before any file was opened.
    listed: tuple[Problem, ...]

    @property
    def problems(self) -> Sequence[Problem]:
        return (*self.listed, *self._opened[1])

    def names(self) -> Sequence[str]:
        return tuple(self._opened[0])

    def info(self, name: str) -> TensorInfo:
        return self._opened[0][name].info

    def read(self, name: str) -> NDArray[np.generic]:
        return self._opened[0][name].read()

    def look(self, progress: Progress) -> None:
        """Opens all files now; `names` does it when it is asked, and cannot be stopped then."""
        vars(self).setdefault("_opened", self._open_all(progress))

    def known(self, name: str) -> Stored | None:
        """The tensor, if all files have been opened already and it is in one of them."""
        opened: dict[str, Stored] = vars(self).get("_opened", ({},))[0]
        return opened.get(name)

    @cached_property
    def _opened(self) -> tuple[dict[str, Stored], tuple[Problem, ...]]:
        return self._open_all(SILENT)

    @abstractmethod
    def _open_all(self, progress: Progress) -> tuple[dict[str, Stored], tuple[Problem, ...]]:
        """Every tensor by its name, and what could not be read."""


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
