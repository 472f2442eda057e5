"""A plan on a bench, from its session to the case."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from numpy import generic
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass, field, replace
from errorflow.base.workers import WorkerError
from errorflow.case.model import Case
from errorflow.case.said import said_of_simulation
from errorflow.case.session.model import Session, Simulation
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Comparison
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams
from errorflow.quant.assign import Assigned
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.coded import qparams_under
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.pooled import RULE
from errorflow.study.simulate.running import NOISE_SAMPLES, gradually, simulate
from errorflow.study.simulate.uncut import uncut


@contextmanager
def simulated(session: Session, path: Path, simulation: Simulation, progress: Progress = SILENT) -> Iterator[Case]:
    """Opens a simulation as a case; its tensors can be read until this is left."""
    basis, plan = simulation.basis, simulation.plan
    with floated(path, basis.reference, progress) as model, Bench.open(model, basis, plan, progress=progress) as bench:
        yield on_bench(session, simulation, bench, progress=progress)


def on_bench(
    session: Session, simulation: Simulation, bench: Bench, *, quick: bool = False, progress: Progress = SILENT
) -> Case:
    """The same on a bench that is open already; if `quick`, no group of nodes is run alone."""
    return case_of(session, simulation, bench, outcome_of(bench, simulation.plan, quick=quick, progress=progress))


def outcome_of(bench: Bench, plan: Plan, *, quick: bool = False, progress: Progress = SILENT) -> Outcome:
    return simulate(bench.engine, plan, noise_samples=0 if quick else NOISE_SAMPLES, progress=progress)


def in_parts(
    bench: Bench, plan: Plan, give: Callable[[Outcome], None], sample: int, progress: Progress = SILENT
) -> Outcome:
    """`give` gets what is known so far, first of all the errors on that sample."""
    return gradually(bench.engine, plan, give, sample=sample, progress=progress)


def case_of(session: Session, simulation: Simulation, bench: Bench, outcome: Outcome) -> Case:
    """Makes a case of what a bench found. The model is the one to look at, under the name of the file that the user
    has.
    """
    path = bench.floated.path
    sample = sample_of(simulation, bench, outcome)
    return Case(
        session,
        replace(bench.model, graph=outcome.findings.graph, path=path),
        outcome.comparison,
        match_of(bench.engine, outcome.plan, outcome.comparison, sample, outcome.assigned),
        outcome.findings.blame,
        outcome=outcome,
        **said_of_simulation(path, simulation, bench),
    )


def sample_of(simulation: Simulation, bench: Bench, outcome: Outcome) -> int:
    """The number of the sample whose values are looked at: the worst one if none was chosen, or of other samples."""
    is_there = 0 <= simulation.sample < bench.engine.samples
    return simulation.sample if is_there else max(outcome.worst_sample, 0)


# The tensors of a simulation, as two runs that are compared: whoever looks at one has the engine work it out.


@dataclass(frozen=True, slots=True)
class SimulatedTensor:
    """A stored tensor: of the float model without a plan. Unlike files it cannot be sent to other processes."""

    info: TensorInfo
    sample: int
    plan: Plan | None
    engine: Engine = field(repr=False, compare=False)

    @property
    def path(self) -> str:
        return self.info.name

    def read(self) -> NDArray[generic]:
        return self.read_within(SILENT)

    def coded(self) -> QParams | None:
        return None if self.plan is None else qparams_under(self.engine, self.plan, self.info.name)

    def read_within(self, progress: Progress) -> NDArray[generic]:
        """While the engine is at work for others this waits for its turn, and a cancel strikes."""
        name = self.info.name
        try:
            values = self.engine.values(self.plan, [name], self.sample, progress)[name]
        except WorkerError:  # the engine has another process by now, which works it out again
            values = self.engine.values(self.plan, [name], self.sample, progress)[name]
        values.flags.writeable = False
        return values


def match_of(
    engine: Engine, plan: Plan, comparison: Comparison, sample: int, assigned: Assigned | None = None
) -> Match:
    """Pair by pair what the rows of a simulation are of, on one sample. `assigned`: if it is known already."""
    plan = uncut(engine.graph, plan, engine.assigned(plan) if assigned is None else assigned)
    pairs = (
        Pair(
            row.tensor,
            None if row.candidate is None else SimulatedTensor(row.candidate, sample, plan, engine),
            None if row.reference is None else SimulatedTensor(row.reference, sample, None, engine),
            RULE,
            row.note,
            node=row.node,
            op_type=row.op_type,
        )
        for row in comparison.rows
    )
    return Match(tuple(pairs), network_outputs=engine.outputs)
