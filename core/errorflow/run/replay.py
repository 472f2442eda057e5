"""Runs nodes of a model once more, each on tensors that are already there."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import numpy as np

from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.base.workers import MEMORY_BYTES, Standing, WorkerError
from errorflow.run.model import Array
from errorflow.run.replaying import replay

TEXT = "Running nodes once more"
# Seconds for some nodes; each that takes longer is left out.
TIMEOUT = 120.0
WEIGHTS = 4


@dataclass(frozen=True, slots=True)
class ReplayedNodes:
    """Nodes that are run together, given by the tensors that they make."""

    made: tuple[str, ...]
    # All that they read and do not make, but for the model's constants.
    fed: Mapping[str, Array]
    wanted: tuple[str, ...]
    # Of the tensors whose type numpy lacks.
    types: Mapping[str, str]


class Replay:
    """Use it as a context manager: one process has the model and answers again and again."""

    def __init__(self, model: Path, weights: int = 0, threads: int = 1) -> None:
        self._model = model
        self._threads = threads
        self._process = Standing(replay, TEXT, MEMORY_BYTES + WEIGHTS * weights)
        with Source(model, head=0) as source:
            self._modified = source.modified

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.stop()

    def run(
        self, groups: Sequence[ReplayedNodes], progress: Progress = SILENT, *, in_float64: bool = False
    ) -> list[Mapping[str, Array] | str]:
        """Runs for each group its wanted tensors, or says why it could not; a crash is found and costs its group
        only.
        """
        try:
            return self._run(groups, progress, 0 if in_float64 else self._threads)
        except WorkerError as error:
            if len(groups) == 1:
                return [error.message]
            half = len(groups) // 2
            parts = groups[:half], groups[half:]
            return [each for part in parts for each in self.run(part, progress, in_float64=in_float64)]

    def _run(
        self, groups: Sequence[ReplayedNodes], progress: Progress, threads: int
    ) -> list[Mapping[str, Array] | str]:
        with TemporaryDirectory(prefix="errorflow-") as place:
            folder = Path(place)
            requests: Any = [_request(number, group, folder) for number, group in enumerate(groups)]
            answer: Any = self._process.call(
                str(self._model), self._modified, requests, place, threads, progress=progress, timeout=TIMEOUT
            )
            return [
                str(reason) if reason else {name: _read(folder / file) for name, file in request["wanted"].items()}
                for reason, request in zip(answer, requests, strict=True)
            ]


def _request(number: int, group: ReplayedNodes, folder: Path) -> dict[str, Any]:
    fed = {}
    for place, (name, array) in enumerate(group.fed.items()):
        file = f"{number}-{place}.npy"
        np.save(folder / file, array, allow_pickle=False)
        fed[name] = [file, group.types.get(name, "")]
    wanted = {name: f"{number}-{place}-out.npy" for place, name in enumerate(group.wanted)}
    return {"made": list(group.made), "fed": fed, "wanted": wanted}


def _read(path: Path) -> Array:
    array: Array = np.load(path, allow_pickle=False)
    return array
