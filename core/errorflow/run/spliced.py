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
from errorflow.run.splicing import spliced_run

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


class SplicedModels:
    """Use it as a context manager: one process has both models and answers again and again."""

    def __init__(self, original: Path, candidate: Path, spec: SpliceSpec, weights: int = 0) -> None:
        self._models: Any = [str(original.absolute()), str(candidate.absolute())]
        self._spec = spec.text
        most = MEMORY_BYTES + WEIGHTS * weights
        self._process = Standing(spliced_run, "Trying nodes", most, growth=most)
        self._modified: Any = [*map(_modified, (original, candidate))]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.stop()

    def run(
        self, feeds: Mapping[str, Array], switches: Collection[int], wanted: Sequence[str], progress: Progress = SILENT
    ) -> list[Array]:
        """Gives what these outputs hold with the switches on."""
        with TemporaryDirectory(prefix="errorflow-") as place:
            folder = Path(place)
            files: Any = {name: f"{number}.npy" for number, name in enumerate(feeds)}
            for name, array in feeds.items():
                np.save(folder / files[name], array, allow_pickle=False)
            refused: Any = self._process.call(
                self._models,
                self._modified,
                self._spec,
                files,
                {"switches": list(switches), "wanted": list(wanted), "folder": place},
                progress=progress,
                timeout=TIMEOUT,
            )
            for reason in refused:
                raise RunError(f"What comes out cannot be used: {reason}.", "Its nodes are tried one by one.")
            return [np.load(folder / f"out-{at}.npy", allow_pickle=False) for at in range(len(wanted))]


def _modified(path: Path) -> int:
    with Source(path, head=0) as source:
        return source.modified
