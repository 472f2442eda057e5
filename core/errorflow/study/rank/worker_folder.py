"""Folder that workers in other processes, or on other machines, see, with what they need for the same engine."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import numpy as np

from errorflow.base.allowance import memory
from errorflow.base.errors import FileError
from errorflow.base.files import write_atomic
from errorflow.base.progress import SILENT, Progress, stepwise
from errorflow.base.values import dataclass
from errorflow.graph.qparams import QParams
from errorflow.quant.ranges import Calibration, Range
from errorflow.run.engine.closing import Closing
from errorflow.run.engine.engine import Budget, Engine
from errorflow.run.model import Array
from errorflow.study.simulate.bench import Bench

_SPEC, _PREFIX = "engine.msgpack", ".errorflow-crew-"
_TEXT = "Writing what the workers need"


@dataclass(frozen=True, slots=True)
class Site:
    """Plain values, which go to workers with every task."""

    # No other one has it.
    key: str
    folder: str


@dataclass(frozen=True, slots=True)
class _Spec:
    """Parts of the engine; of each sample the files of its inputs."""

    model: str
    method: str
    ranges: dict[str, Range]
    given: dict[str, QParams]
    samples: list[dict[str, str]]
    memory: int


class Shared(Closing):
    """Samples, ranges and the model of a bench, in a folder that is gone in the end. Use it as a context manager."""

    def __init__(self, bench: Bench, near: Path, workers: int = 1, progress: Progress = SILENT) -> None:
        """Makes the folder beside `near`, which all workers must see. Memory is for each of so many on one machine."""
        try:
            self._place = TemporaryDirectory(prefix=_PREFIX, dir=near)
        except OSError as error:
            raise FileError(f"Nothing can be written to {near}.", "Choose another folder with --out.") from error
        self.site = Site(uuid4().hex, str(Path(self._place.name).absolute()))
        try:
            self._write(bench, workers, progress)
        except BaseException:  # whatever it is, nobody gets to close what was never open
            self.close()
            raise

    def close(self) -> None:
        """Workers that still write there do not keep it."""
        shutil.rmtree(self.site.folder, ignore_errors=True)
        self._place.cleanup()

    def _write(self, bench: Bench, workers: int, progress: Progress) -> None:
        import msgspec

        folder = Path(self.site.folder)
        path = bench.simulated.path
        if bench.floated.back is not None or bench.remade is not None:
            # It is of this process only, and alone in its folder.
            copied = shutil.copytree(path.parent, folder / "model")
            path = Path(copied) / path.name
        files = []
        for number in stepwise(range(bench.evaluated.count), progress, _TEXT):
            arrays = bench.evaluated.read(number)
            names = {name: f"sample-{number}-{place}.npy" for place, name in enumerate(arrays)}
            for name, file in names.items():
                np.save(folder / file, arrays[name], allow_pickle=False)
            files.append(names)
        calibration = bench.calibration
        ranges = {name: Range(found.low, found.high) for name, found in calibration.ranges.items()}
        given, memory_each = dict(calibration.given), memory() // max(1, workers)
        spec = _Spec(str(path.absolute()), calibration.method, ranges, given, files, memory_each)
        write_atomic(folder / _SPEC, msgspec.msgpack.encode(spec))


def engine_at(site: Site, progress: Progress = SILENT) -> Engine:
    """The same engine as that of the bench, on one thread."""
    import msgspec

    folder = Path(site.folder)
    spec = msgspec.msgpack.decode((folder / _SPEC).read_bytes(), type=_Spec)
    calibration = Calibration(spec.method, spec.ranges, given=spec.given)
    budget = Budget(memory=spec.memory, threads=1)
    return Engine(Path(spec.model), _Samples(folder, spec.samples), calibration, budget, progress)


class _Samples(Sequence[Mapping[str, Array]]):
    """Read one at a time."""

    def __init__(self, folder: Path, files: Sequence[Mapping[str, str]]) -> None:
        self._folder, self._files = folder, files

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[number] for number in range(len(self))[at]]
        files = self._files[at]
        return {name: np.load(self._folder / file, allow_pickle=False) for name, file in files.items()}
