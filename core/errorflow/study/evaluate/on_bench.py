"""Runs of a bench, sample by sample: plans are simulated, or run as they are deployed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.base.progress import Progress
from errorflow.base.values import dataclass
from errorflow.quant.plan import Plan
from errorflow.run.deployed_session import DeployedSession
from errorflow.run.model import Array
from errorflow.run.ort import weights_of
from errorflow.run.samples.fitting import SampleSlice
from errorflow.study.simulate.bench import Bench

QDQ = "model.onnx"


@dataclass(frozen=True, eq=False)
class BenchPlan:
    """A plan on a bench; None is the float model. `wanted`: outputs that are looked at; none: all."""

    bench: Bench
    plan: Plan | None
    wanted: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return self.bench.engine.samples

    @property
    def outputs(self) -> tuple[str, ...]:
        return self.wanted if self.wanted else measured_outputs(self.bench)

    def name(self, sample: int) -> str:
        return self.bench.evaluated.name(sample)

    def fed(self, sample: int) -> Mapping[str, Array]:
        return self.bench.evaluated.read(sample)

    def values(self, sample: int, progress: Progress) -> Mapping[str, Array]:
        return self.bench.engine.values(self.plan, self.outputs, sample, progress)

    def reference(self, sample: int, progress: Progress) -> Mapping[str, Array]:
        return self.bench.engine.values(None, self.outputs, sample, progress)

    def model(self, folder: Path, progress: Progress) -> Path:
        if self.plan is None:
            return self.bench.model.path
        target = folder / QDQ
        self.bench.engine.export(self.plan, target, progress)
        return target


@dataclass(frozen=True, eq=False)
class FileRun:
    """A model in a file, run as it is deployed."""

    path: Path
    samples: SampleSlice
    outputs: tuple[str, ...]
    session: DeployedSession
    # The float model on a sample.
    reference: Callable[[int, Progress], Mapping[str, Array]]

    @property
    def count(self) -> int:
        return self.samples.count

    def name(self, sample: int) -> str:
        return self.samples.name(sample)

    def fed(self, sample: int) -> Mapping[str, Array]:
        return self.samples.read(sample)

    def values(self, sample: int, progress: Progress) -> Mapping[str, Array]:
        return self.session.run(self.samples.read(sample), progress)

    def model(self, folder: Path, progress: Progress) -> Path:  # noqa: ARG002 - as every run is asked
        return self.path


@contextmanager
def as_deployed(
    bench: Bench, plan: Plan, own: Path | None, outputs: Sequence[str], progress: Progress
) -> Iterator[FileRun]:
    """Opens a run of the plan. `own`: its model; None: it is exported. `outputs` as of `BenchPlan`."""
    floating = BenchPlan(bench, None, tuple(outputs))
    with TemporaryDirectory(prefix="errorflow-") as folder:
        path = BenchPlan(bench, plan).model(Path(folder), progress) if own is None else own
        with DeployedSession(path, floating.outputs, weights_of(bench.engine.graph)) as session:
            yield FileRun(path, bench.evaluated, floating.outputs, session, floating.values)


def measured_outputs(bench: Bench) -> tuple[str, ...]:
    """Lists the outputs that hold numbers."""
    engine = bench.engine
    return tuple(name for name in engine.outputs if name in engine.shapes)
