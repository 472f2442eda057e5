"""Runs of models in files, as they are deployed: ONNX Runtime with all that it optimises, sample by sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import numpy as np

from errorflow.progress import Progress
from errorflow.run.deploying import serve
from errorflow.run.model import Array
from errorflow.run.ort import TIMEOUT
from errorflow.run.samples.fitting import Part
from errorflow.workers import MEMORY_BYTES, Standing

TEXT = "Running as deployed"
# What the process may take beyond its usual limit, in multiples of the model's file.
_FILES = 8


class Session:
    """Use it as a context manager: a model in a process that stays."""

    def __init__(self, model: Path, outputs: Sequence[str]) -> None:
        self._model, self._outputs = model.absolute(), list(outputs)
        self._process = Standing(serve, TEXT, MEMORY_BYTES + _FILES * model.stat().st_size)
        self._place: TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        self._place = TemporaryDirectory(prefix="errorflow-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.stop()
        if self._place is not None:
            self._place.cleanup()

    def run(self, inputs: Mapping[str, Array], progress: Progress) -> dict[str, Array]:
        assert self._place is not None, "it is used as a context manager"
        folder = Path(self._place.name)
        fed = {name: f"input-{number}.npy" for number, name in enumerate(inputs)}
        for name, file in fed.items():
            np.save(folder / file, inputs[name], allow_pickle=False)
        plain: Any = fed
        wanted: Any = self._outputs
        answer: Any = self._process.call(
            str(self._model), str(folder), plain, wanted, progress=progress, timeout=TIMEOUT
        )
        return {name: np.load(folder / file, allow_pickle=False) for name, file in answer["files"].items()}


@dataclass(frozen=True, eq=False)
class FileRun:
    """A `Run` of a model in a file."""

    path: Path
    samples: Part
    outputs: tuple[str, ...]
    session: Session
    original: Session

    @property
    def count(self) -> int:
        return self.samples.count

    def name(self, sample: int) -> str:
        return self.samples.name(sample)

    def fed(self, sample: int) -> Mapping[str, Array]:
        return self.samples.read(sample)

    def values(self, sample: int, progress: Progress) -> Mapping[str, Array]:
        return self.session.run(self.samples.read(sample), progress)

    def reference(self, sample: int, progress: Progress) -> Mapping[str, Array]:
        return self.original.run(self.samples.read(sample), progress)

    def model(self, folder: Path, progress: Progress) -> Path:  # noqa: ARG002 - as every run is asked
        return self.path
