"""A model as it is deployed, in a process that stays."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import numpy as np

from errorflow.base.progress import Progress
from errorflow.base.workers import MEMORY_BYTES, Standing
from errorflow.run.deploying import serve
from errorflow.run.model import Array
from errorflow.run.ort import TIMEOUT

TEXT = "Running as deployed"
# What the process may take beyond its usual limit, in multiples of the weights.
_TIMES = 8


class DeployedSession:
    """Use it as a context manager. `weights`: their bytes; None: those of the file."""

    def __init__(self, model: Path, outputs: Sequence[str], weights: int | None = None) -> None:
        self._model, self._outputs = model.absolute(), list(outputs)
        size = model.stat().st_size if weights is None else weights
        self._process = Standing(serve, TEXT, MEMORY_BYTES + _TIMES * size)
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

    def facts(self, progress: Progress) -> Mapping[str, Any]:
        """Says what ONNX Runtime makes of the model."""
        found: Mapping[str, Any] = self._call(None, progress)
        return found

    def run(self, inputs: Mapping[str, Array], progress: Progress) -> dict[str, Array]:
        fed = {name: f"input-{number}.npy" for number, name in enumerate(inputs)}
        for name, file in fed.items():
            np.save(self._folder / file, inputs[name], allow_pickle=False)
        files = self._call(fed, progress)["files"]
        return {name: np.load(self._folder / file, allow_pickle=False) for name, file in files.items()}

    @property
    def _folder(self) -> Path:
        assert self._place is not None, "it is used as a context manager"
        return Path(self._place.name)

    def _call(self, fed: Mapping[str, str] | None, progress: Progress) -> Any:
        plain: Any = fed
        outputs: Any = self._outputs
        return self._process.call(
            str(self._model), str(self._folder), plain, outputs, progress=progress, timeout=TIMEOUT
        )
