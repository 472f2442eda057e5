"""The quantized model as it is deployed: with all that ONNX Runtime optimises, which the simulation leaves out.

Optimised, neighbours become kernels of integers that round elsewhere, or add up in fewer bits. So this is a run with a
name of its own, compared with the float reference and with the simulation.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import Sums, sums
from errorflow.graph.build import counted
from errorflow.quant.plan import Plan
from errorflow.run.deployed_session import TEXT, DeployedSession
from errorflow.run.deploying import LEVEL, THREADS
from errorflow.run.engine.engine import Engine
from errorflow.run.model import Array, wanted_of
from errorflow.run.ort import weights_of

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench

QDQ = "deployed.onnx"
# Smaller shares would read as none.
_SHOWN = 0.0001


@dataclass(frozen=True, slots=True)
class Against:
    """An output against that of another run; None where their shapes differ on a sample."""

    by_sample: tuple[Sums | None, ...]

    def pooled(self) -> Mapping[str, float]:
        """Pools by the key of METRICS all samples as if they were one tensor."""
        known = [each for each in self.by_sample if each is not None]
        return _values(reduce(add, known)) if known else {}

    def values(self) -> tuple[Mapping[str, float], ...]:
        """The same sample by sample."""
        return tuple({} if each is None else _values(each) for each in self.by_sample)

    @property
    def largest(self) -> float:
        """The largest difference."""
        return max((float(each.d_max) for each in self.by_sample if each is not None), default=0.0)

    @property
    def same(self) -> bool:
        """Every value is the same."""
        return all(each is not None and not each.broken and not float(each.d_max) for each in self.by_sample)


@dataclass(frozen=True, slots=True)
class DeployedOutput:
    tensor: str
    # The quantized model as deployed, against the float reference and against the simulation.
    reference: Against
    simulated: Against
    # The float model as deployed, against itself without optimisation.
    floating: Against
    # The simulation, against the float reference.
    planned: Against
    # Against the simulation: how many values are others, the largest difference in steps of the output's codes (None:
    # it has none), and on which sample that is.
    changed: float
    steps: float | None
    sample: int

    @property
    def share(self) -> str:
        """Share of values that are others, in words."""
        return f"{self.changed:.2%}" if self.changed >= _SHOWN else f"less than {_SHOWN:.2%}"


@dataclass(frozen=True, slots=True)
class Runtime:
    """Runtime of a model, and what it made of its nodes."""

    version: str
    level: str
    threads: int
    # Nodes in the file, and after optimisation.
    before: int
    after: int
    # How many there are of the operators that the file does not have, most first.
    fused: Mapping[str, int]
    # Weights that are floats in the file and were made codes.
    coded: int

    @property
    def warning(self) -> str:
        """Warning that it is another model than the one that was planned; "": it is not."""
        if not self.coded:
            return ""
        text = counted(self.coded, "weight", "weights")
        return f"ONNX Runtime made codes of {text} that the plan leaves in float: what they multiply is codes."


@dataclass(frozen=True, slots=True)
class Deployed:
    outputs: tuple[DeployedOutput, ...]
    samples: int
    quantized: Runtime
    floating: Runtime
    # What is to be known of it, such as where the simulation differs.
    notes: tuple[str, ...]


def deploy(
    engine: Engine, plan: Plan, model: Path, quantized: Path | None = None, progress: Progress = SILENT
) -> Deployed:
    """Runs both models on all samples of the engine.

    `model` is that of the engine. `quantized`: a model that is quantized already and whose own plan it is; without one
    the plan's QDQ model is exported and run.
    """
    inputs = [each.name for each in wanted_of(engine.graph) if not each.optional]
    names = [name for name in engine.outputs if name in engine.shapes and name not in inputs]
    with TemporaryDirectory(prefix="errorflow-") as folder:
        target = Path(folder) / QDQ if quantized is None else quantized
        if quantized is None:
            engine.export(plan, target, progress)
        weights = weights_of(engine.graph)
        with DeployedSession(target, names, weights) as mine, DeployedSession(model, names, weights) as golden:
            facts = mine.facts(progress)
            runs = _runtime(facts), _runtime(golden.facts(progress))
            work = _Work(engine, plan, inputs, names, facts["scales"])
            for sample in range(engine.samples):
                progress.step(sample, engine.samples, TEXT)
                work.add(sample, mine, golden, progress)
    outputs = tuple(work.outputs())
    return Deployed(outputs, engine.samples, *runs, tuple(_notes(outputs, runs[0])))


def deploy_on(bench: "Bench", plan: Plan, progress: Progress = SILENT) -> Deployed:
    """The same on a bench."""
    return deploy(bench.engine, plan, bench.simulated.path, own_model(bench, plan), progress)


def own_model(bench: "Bench", plan: Plan) -> Path | None:
    """Finds the model that is quantized already and runs itself, as long as nothing of its plan was changed."""
    back = bench.floated.back
    return bench.floated.path if back is not None and back.kind.runs and plan == back.plan else None


def _runtime(facts: Mapping[str, Any]) -> Runtime:
    fused = {str(kind): int(count) for kind, count in facts["fused"].items()}
    counts = int(facts["before"]), int(facts["after"])
    return Runtime(str(facts["runtime"]), LEVEL, THREADS, *counts, fused, int(facts["coded"]))


class _Work:
    """Gathers what the runs of all samples show."""

    def __init__(
        self,
        engine: Engine,
        plan: Plan,
        inputs: Sequence[str],
        outputs: Sequence[str],
        scales: Mapping[str, tuple[Sequence[float], int | None]],
    ) -> None:
        """`scales`: of outputs the steps of their codes, and the axis where there are several."""
        self._engine, self._plan, self._scales = engine, plan, scales
        self._inputs, self._outputs = inputs, outputs
        self._found: dict[str, list[tuple[Sums | None, ...]]] = {name: [] for name in outputs}
        self._changed: dict[str, list[int]] = {name: [] for name in self._outputs}
        self._worst: dict[str, tuple[float, int]] = dict.fromkeys(self._outputs, (0.0, -1))

    def add(self, sample: int, mine: DeployedSession, golden: DeployedSession, progress: Progress) -> None:
        engine, names = self._engine, self._outputs
        inputs = engine.values(None, self._inputs, sample, progress)
        deployed, optimised = (session.run(inputs, progress) for session in (mine, golden))
        reference, simulated = (engine.values(plan, names, sample, progress) for plan in (None, self._plan))
        for name in names:
            found = _sums(reference[name], deployed.get(name)), _sums(simulated[name], deployed.get(name))
            others = _sums(reference[name], optimised.get(name)), _sums(reference[name], simulated[name])
            self._found[name].append((*found, *others))
            if found[1] is not None:
                self._look(name, sample, simulated[name], deployed[name])

    def _look(self, name: str, sample: int, simulated: Array, deployed: Array) -> None:
        """Measures how far the two runs of the quantized model are apart."""
        differs = (simulated != deployed) & ~(_is_nan(simulated) & _is_nan(deployed))
        self._changed[name].append(int(np.count_nonzero(differs)))
        steps, axis = self._scales.get(name, ([1.0], None))
        largest = _largest(simulated, deployed, np.asarray(steps), axis)
        if self._worst[name][1] < 0 or largest > self._worst[name][0]:
            self._worst[name] = largest, sample

    def outputs(self) -> Iterator[DeployedOutput]:
        for name in self._outputs:
            reference, simulated, floating, planned = map(Against, zip(*self._found[name], strict=True))
            count = sum(each.count for each in simulated.by_sample if each is not None)
            changed = sum(self._changed[name]) / count if count else 0.0
            largest, sample = self._worst[name]
            steps = largest if name in self._scales else None
            yield DeployedOutput(name, reference, simulated, floating, planned, changed, steps, sample)


def _sums(reference: Array, candidate: Array | None) -> Sums | None:
    return None if candidate is None or candidate.shape != reference.shape else sums(reference, candidate)


def _is_nan(values: Array) -> "NDArray[np.bool_]":
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)


def _largest(one: Array, other: Array, steps: "NDArray[np.float64]", axis: int | None) -> float:
    """The largest difference in steps; where one of the two is no number there is none."""
    shape = [1] * one.ndim
    if axis is not None:
        shape[axis] = len(steps)
    with np.errstate(all="ignore"):
        apart = np.abs(np.subtract(other, one, dtype=np.float64)) / steps.reshape(shape)
    return float(np.fmax.reduce(apart, axis=None, initial=0.0))


def _values(found: Sums) -> Mapping[str, float]:
    with np.errstate(all="ignore"):
        return {metric.key: metric.of(found) for metric in METRICS}


def _notes(outputs: Sequence[DeployedOutput], ran: Runtime) -> Iterator[str]:
    if ran.warning:
        yield ran.warning
    for each in outputs:
        if None in each.simulated.by_sample:
            yield f"{each.tensor} has another shape as deployed than in the simulation."
        elif not each.simulated.same:
            steps = "" if each.steps is None else f" ({each.steps:.3g} steps of its codes)"
            by = f" by up to {each.simulated.largest:.3g}{steps}, on sample {each.sample}"
            yield f"{each.tensor} as deployed differs from the simulation{by}; {each.share} of its values are others."
