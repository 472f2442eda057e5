"""Runs of a bench: plans are simulated, sample by sample."""

from collections.abc import Mapping
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.base.values import dataclass
from errorflow.quant.plan import Plan
from errorflow.run.model import Array
from errorflow.study.simulate.bench import Bench

QDQ = "model.onnx"


@dataclass(frozen=True, eq=False)
class BenchPlan:
    """A plan on a bench; None is the float model."""

    bench: Bench
    plan: Plan | None

    @property
    def count(self) -> int:
        return self.bench.engine.samples

    @property
    def outputs(self) -> tuple[str, ...]:
        return measured_outputs(self.bench)

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


def measured_outputs(bench: Bench) -> tuple[str, ...]:
    """Lists the outputs that hold numbers."""
    engine = bench.engine
    return tuple(name for name in engine.outputs if name in engine.shapes)
