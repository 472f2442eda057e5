"""The original and a candidate run as one, with nodes of the original in the candidate's place."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import numpy as np

from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, fields
from errorflow.base.workers import MEMORY_BYTES, Standing
from errorflow.run.model import Array, RunError
from errorflow.run.replay import WEIGHTS
from errorflow.run.splicing import NAMES, TensorPiece, spliced_run

# Seconds for one set; a model that takes longer is judged node by node.
TIMEOUT = 600.0


@dataclass(frozen=True, slots=True)
class SpliceSpec:
    """Places of switches: by number, the tensors that a node of the original makes; by tensor of the original, those
    that carry it, the one that was not rounded first, and for numbers that are not real where they are to be read; by
    such a carrier its type and the original's, where they are not the same. `outputs` of the candidate can be asked.
    """

    nodes: Mapping[int, tuple[str, ...]]
    carriers: Mapping[str, tuple[str, ...]]
    reads: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return json.dumps({each.name: getattr(self, each.name) for each in fields(self)})


@dataclass(frozen=True, slots=True)
class RebuiltSpec:
    """Spec of the candidate as pieces of the original; `outputs` are the numbers of those that can be asked."""

    pieces: tuple[TensorPiece, ...]
    outputs: tuple[int, ...]

    @property
    def text(self) -> str:
        pieces = [{each.name: getattr(piece, each.name) for each in fields(piece)} for piece in self.pieces]
        return json.dumps({"pieces": pieces, "outputs": self.outputs})


class FedFolder:
    """Folder of arrays that are the same in all runs, as files; use it as a context manager."""

    def __init__(self) -> None:
        self._place = TemporaryDirectory(prefix="errorflow-")
        self._names: list[tuple[str, str]] = []
        self.size = 0

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Self:
        found = cls()
        for name, array in arrays.items():
            found.add(name, array)
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._place.cleanup()

    def add(self, name: str, array: Array, kind: str = "") -> None:
        """Adds an array; `kind` is the type where that is none of numpy's."""
        try:
            np.save(Path(self._place.name) / f"{len(self._names)}.npy", array, allow_pickle=False)
        except OSError as error:
            raise RunError("There is no room for what nodes are tried with.", "Free some of the disk.") from error
        self.size += array.nbytes
        self._names.append((name, kind))

    @property
    def path(self) -> str:
        """The folder, with all names in it."""
        (Path(self._place.name) / NAMES).write_text(json.dumps(self._names), "utf-8")
        return self._place.name


class SplicedModels:
    """Use it as a context manager: one process has the models and answers again and again."""

    def __init__(
        self, models: Sequence[Path], spec: SpliceSpec | RebuiltSpec, feeds: FedFolder, weights: int = 0
    ) -> None:
        """Splices the original and a candidate, or rebuilds the candidate of the original alone."""
        self._models: Any = [str(path.absolute()) for path in models]
        self._spec, self._feeds = spec.text, feeds.path
        most = MEMORY_BYTES + WEIGHTS * weights
        self._process = Standing(spliced_run, "Trying nodes", most, growth=most)
        self._modified: Any = [*map(_modified, models)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.stop()

    def run(
        self,
        switches: Collection[int],
        wanted: Sequence[str | int],
        flipped: Collection[int] = (),
        progress: Progress = SILENT,
    ) -> list[Array]:
        """Gives what these outputs hold with the switches on, and of `flipped` pieces the difference turned round."""
        with TemporaryDirectory(prefix="errorflow-") as place:
            refused: Any = self._process.call(
                self._models,
                self._modified,
                self._spec,
                self._feeds,
                {"switches": list(switches), "flipped": list(flipped), "wanted": list(wanted), "folder": place},
                progress=progress,
                timeout=TIMEOUT,
            )
            for reason in refused:
                raise RunError(f"What comes out cannot be used: {reason}.", "Its nodes are tried one by one.")
            return [np.load(Path(place) / f"out-{at}.npy", allow_pickle=False) for at in range(len(wanted))]


def _modified(path: Path) -> int:
    with Source(path, head=0) as source:
        return source.modified
