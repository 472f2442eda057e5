"""A plan on a bench, from its session to the case."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from errorflow.base.progress import SILENT, Progress
from errorflow.case.model import Case
from errorflow.case.said import said_of_simulation
from errorflow.case.session.model import Session, Simulation
from errorflow.quant.plan import Plan
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.running import NOISE_SAMPLES, gradually, simulate
from errorflow.study.simulate.tensors import match_of


@contextmanager
def simulated(session: Session, path: Path, simulation: Simulation, progress: Progress = SILENT) -> Iterator[Case]:
    """Its tensors can be read until this is left."""
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
    """What a bench found. The model is the one to look at, under the name of the file that the user has."""
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
