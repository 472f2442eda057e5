"""Opening of folders of many files: all are opened at once, when their readable tensors are listed."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.graph.dump import Stored, TensorInfo
from errorflow.graph.model import Problem


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
