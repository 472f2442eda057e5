"""What an evaluator of the user's gets to see: `run`. Arrays come over files, when they are asked for."""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from errorflow.base.files import write_atomic
from errorflow.run.model import Array

# Seconds between two looks.
_LOOK = 0.002
FACTS, ASKED, DONE, FAILED = "run.json", "asked.json", "done", "failed"
OUTPUTS, REFERENCE, INPUTS, MODEL = "outputs", "reference", "inputs", "model"


class Run:
    """One run of the model on all samples.

    `run.outputs(i)`, `run.reference(i)` and `run.inputs(i)` are arrays by name, of this run, of the float model, and
    what both were fed with. `run.samples` are their numbers, `run.names` their names, `run.labels` the right answers,
    None if there are none. `run.model` is the path of an ONNX file that does the same.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        self.names: tuple[str, ...] = tuple(facts["names"])
        self.labels: tuple[int, ...] | None = None if facts["labels"] is None else tuple(facts["labels"])

    @property
    def samples(self) -> range:
        return range(len(self.names))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[dict[str, Array]]:
        """The outputs, sample by sample."""
        return (self.outputs(sample) for sample in self.samples)

    def outputs(self, sample: int) -> dict[str, Array]:
        return self._arrays(OUTPUTS, sample)

    def reference(self, sample: int) -> dict[str, Array]:
        return self._arrays(REFERENCE, sample)

    def inputs(self, sample: int) -> dict[str, Array]:
        return self._arrays(INPUTS, sample)

    @property
    def model(self) -> str:
        found = self._waited(MODEL, 0)
        return str(found["path"])

    def _arrays(self, what: str, sample: int) -> dict[str, Array]:
        number = range(len(self.names))[sample]
        found: Mapping[str, str] = self._waited(what, number)["files"]
        return {name: np.load(self._folder / file, allow_pickle=False) for name, file in found.items()}

    def _waited(self, what: str, sample: int) -> Any:
        """What is there once somebody has made it."""
        place = self._folder / f"{what}-{sample}.{DONE}"
        if not place.exists():
            write_atomic(self._folder / ASKED, json.dumps([what, sample]))
        while not place.exists():
            time.sleep(_LOOK)
        return json.loads(place.read_text(encoding="utf-8"))
