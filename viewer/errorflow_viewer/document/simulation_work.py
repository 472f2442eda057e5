"""A simulation as values that follow from the session: a bench is prepared, and plans run on it."""

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.progress import Progress
from errorflow.base.workers import WorkerError
from errorflow.case.session.model import Simulation
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.finding import prepared
from errorflow_viewer.document.precisions import precisions_of
from errorflow_viewer.document.state import Coming, State
from errorflow_viewer.document.trials import noted, with_trial
from errorflow_viewer.kit.jobs import Give

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome

# What prepares the bench, and what runs a plan on it.
OPEN, KEY = "bench", "simulate"


# The bench


@dataclass(frozen=True)
class Wish:
    """What is to be prepared: what the user asked for, else what the session says."""

    path: Path
    coming: Coming | None
    simulation: Simulation | None = None
    # What was prepared before: it may do.
    bench: "Bench | None" = None

    def is_as_good(self, other: "Wish") -> bool:
        """Whether a bench for that one most likely suits this one, too."""
        if self.path != other.path or self.simulation is None or other.simulation is None:
            return False
        return self.simulation.basis == other.simulation.basis


def bench_wished(state: State) -> Wish | None:
    session = state.session
    if state.model is None or session.model is None or session.bundle is not None:
        return None
    if state.coming is not None:
        return Wish(session.model, state.coming)
    return None if session.simulation is None else Wish(session.model, None, session.simulation, state.bench)


def bench_known(_: State, wish: Wish) -> "Bench | None":
    simulation, bench = wish.simulation, wish.bench
    suits = simulation is not None and bench is not None and bench.suits(simulation.basis, simulation.plan)
    return bench if suits else None


def opened(wish: Wish, progress: Progress) -> "Bench":
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import floated

    asked = wish.coming if wish.coming is not None else wish.simulation
    assert asked is not None, "it is wished by the user, or by the session"
    progress.step(0, 0, f"Preparing {wish.path.name}")
    model = floated(wish.path, asked.basis.reference, progress)
    try:
        bench = Bench.open(model, asked.basis, asked.plan, progress=progress)
        known = precisions_of(bench, bench.plan)  # lists and canvas ask for it as soon as the bench is there
        _ = known.texts, known.kept
        return bench
    except BaseException:  # a cancel too: nobody gets to close it
        model.close()
        raise


def take_bench(document: Document, wish: Wish, bench: "Bench") -> None:
    """In place of the one before; what the user asked for is a step that can be undone."""
    if bench is document.state.bench:
        return
    document.take_bench(bench)
    if (coming := wish.coming) is not None:
        document.edit(coming.text, simulation=coming.simulation(document.session.simulation, bench))
        document.learn(coming=None)
        if coming.begun is not None:
            coming.begun()


def forget_asked(document: Document, wish: Wish) -> None:
    """What the user asked for does not come: the session says what is simulated."""
    if wish.coming is not None and wish.coming is document.state.coming:
        document.learn(coming=None)


def end(bench: "Bench") -> None:
    """Waits until what was cancelled has let go of it."""
    bench.close()
    bench.floated.close()


# Plans


@dataclass(frozen=True)
class Run:
    """A plan on a bench, and the sample that is looked at."""

    bench: "Bench"
    plan: Plan
    sample: int
    graph: Graph = field(compare=False)

    def is_same_plan(self, other: "Run") -> bool:
        return self.bench is other.bench and self.plan == other.plan


def run_wished(state: State) -> Run | None:
    """What was under way rests while something else is prepared."""
    simulated, simulation, coming = state.simulated, state.session.simulation, state.coming
    if state.model is None or simulated is None or simulation is None:
        return None
    rests = coming is not None and coming.before == simulation.plan
    if rests or not simulated.bench.suits(simulation.basis, simulation.plan):
        return None
    return Run(simulated.bench, simulation.plan, simulation.sample, state.place.graph(state.model))


def outcome_known(state: State, wish: Run) -> "Outcome | None":
    return None if state.simulated is None else state.simulated.knows(wish.plan)


def run(wish: Run, progress: Progress, give: "Give[Outcome]") -> "Outcome":
    """What comes of the plan, on the graph on view; `give` gets what is known so far."""
    from errorflow.case.simulating import in_parts

    bench, first = wish.bench, min(max(wish.sample, 0), wish.bench.engine.samples - 1)

    def ready(known: "Outcome") -> "Outcome":
        found = prepared(known, wish.graph)
        if found.depth != "quick":
            noted(found, bench)
        return found

    def tell(known: "Outcome") -> None:
        give(ready(known))

    try:
        return ready(in_parts(bench, wish.plan, tell, first, progress))
    except WorkerError:  # the engine has another process by now, which finds all of it again
        return ready(in_parts(bench, wish.plan, tell, first, progress))


def show(document: Document, wish: Run, outcome: "Outcome") -> None:
    """On the sample that is looked at by now; all of it is kept, and is one of the runs."""
    simulated, simulation = document.state.simulated, document.session.simulation
    if simulated is None or simulation is None:
        return
    from errorflow.case.simulating import case_of

    # Nothing was matched by hand for it.
    case = case_of(replace(document.session, hand_pairs=()), simulation, wish.bench, outcome)
    simulated = simulated.keeps(outcome) if outcome.depth == "complete" else simulated
    document.take_outcome(replace(simulated, outcome=outcome), case)
    if outcome.depth != "quick":
        document.revise(partial(with_trial, found=noted(outcome, wish.bench)))
