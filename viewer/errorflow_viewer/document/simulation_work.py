"""A simulation as values that follow from the session: a bench is prepared, and plans run on it."""

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from errorflow.base import Progress, dataclass, field, replace
from errorflow.base.workers import WorkerError
from errorflow.case.session.model import Session, Simulation
from errorflow.explain.findings.fields import Computed
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.finding import prepared
from errorflow_viewer.document.state import Coming, Place, State
from errorflow_viewer.kit.jobs import Give

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.quant.effective import PlannedPrecisions
    from errorflow.quant.wished import Wished
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome

# What prepares the bench, and what runs a plan on it.
OPEN, KEY = "bench", "simulate"


# The bench


@dataclass(frozen=True)
class BenchRequest:
    """Wish for what is to be prepared: what the user chose, else what the session says."""

    path: Path
    coming: Coming | None
    simulation: Simulation | None = None
    # What was prepared before: it may do.
    bench: "Bench | None" = None

    def is_as_good(self, other: "BenchRequest") -> bool:
        """Whether a bench for that one most likely suits this one, too."""
        if self.path != other.path or self.simulation is None or other.simulation is None:
            return False
        return self.simulation.basis == other.simulation.basis


def bench_wished(state: State) -> BenchRequest | None:
    session = state.session
    if state.model is None or session.model is None or session.bundle is not None:
        return None
    if state.coming is not None:
        return BenchRequest(session.model, state.coming)
    return None if session.simulation is None else BenchRequest(session.model, None, session.simulation, state.bench)


def bench_known(_: State, wish: BenchRequest) -> "Bench | None":
    simulation, bench = wish.simulation, wish.bench
    suits = simulation is not None and bench is not None and bench.suits(simulation.basis, simulation.plan)
    return bench if suits else None


def opened(wish: BenchRequest, progress: Progress) -> "Bench":
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


def take_bench(document: Document, wish: BenchRequest, bench: "Bench") -> None:
    """Takes a bench in place of the one before; what the user chose is a step that can be undone."""
    if bench is document.state.bench:
        return
    document.take_bench(bench)
    if (coming := wish.coming) is not None:
        document.edit(coming.text, simulation=coming.simulation(document.session.simulation, bench))
        document.learn(coming=None)
        if coming.begun is not None:
            coming.begun()


def forget_asked(document: Document, wish: BenchRequest) -> None:
    """Forgets what the user chose and does not come: the session says what is simulated."""
    if wish.coming is not None and wish.coming is document.state.coming:
        document.learn(coming=None)


def end(bench: "Bench") -> None:
    """Waits until what was cancelled has let go of it."""
    bench.close()
    bench.floated.close()


# Plans


@dataclass(frozen=True)
class PlanRun:
    """A plan on a bench, and the sample that is looked at."""

    bench: "Bench"
    plan: Plan
    sample: int
    graph: Graph = field(compare=False)
    session: Session = field(compare=False)

    def is_same_plan(self, other: "PlanRun") -> bool:
        return self.bench is other.bench and self.plan == other.plan


def run_wished(state: State) -> PlanRun | None:
    """Finds what is to run; it rests while something else is prepared."""
    simulated, simulation, coming = state.simulated, state.session.simulation, state.coming
    if state.model is None or simulated is None or simulation is None:
        return None
    rests = coming is not None and coming.before == simulation.plan
    if rests or not simulated.bench.suits(simulation.basis, simulation.plan):
        return None
    graph = state.place.graph(state.model)
    return PlanRun(simulated.bench, simulation.plan, simulation.sample, graph, state.session)


def case_known(state: State, wish: PlanRun) -> "Case | None":
    outcome = None if state.simulated is None else state.simulated.knows(wish.plan)
    return None if outcome is None else _case(wish.session, wish, outcome)


def _case(session: Session, wish: PlanRun, outcome: "Outcome") -> "Case":
    """Makes the case of a plan; nothing was matched by hand for it."""
    from errorflow.case.simulating import case_of

    assert session.simulation is not None, "else no plan is run"
    return case_of(replace(session, hand_pairs=()), session.simulation, wish.bench, outcome)


def run(wish: PlanRun, progress: Progress, give: "Give[Case]") -> "Case":
    """Runs the plan on the graph on view; `give` gets what is known so far."""
    from errorflow.case.simulating import in_parts

    bench, first = wish.bench, min(max(wish.sample, 0), wish.bench.engine.samples - 1)

    def ready(known: "Outcome") -> "Case":
        found = prepared(known, wish.graph)
        if found.depth != "quick":
            noted(found, bench)
        return _case(wish.session, wish, found)

    def tell(known: "Outcome") -> None:
        give(ready(known))

    try:
        return ready(in_parts(bench, wish.plan, tell, first, progress))
    except WorkerError:  # the engine has another process by now, which finds all of it again
        return ready(in_parts(bench, wish.plan, tell, first, progress))


def show(document: Document, wish: PlanRun, case: "Case") -> None:
    """Shows the sample that is looked at by now; all of it is kept, and is one of the runs."""
    simulated, session, outcome = document.state.simulated, document.session, case.outcome
    if simulated is None or session.simulation is None or outcome is None:
        return
    is_same = session.simulation == case.session.simulation
    case = replace(case, session=replace(session, hand_pairs=())) if is_same else _case(session, wish, outcome)
    simulated = simulated.keeps(outcome) if outcome.depth == "complete" else simulated
    document.take_outcome(replace(simulated, outcome=outcome), case)
    if outcome.depth != "quick":
        document.revise(partial(with_trial, found=noted(outcome, wish.bench)))


# The trials of a session: each plan that was seen through is one.

_NUMBERED = re.compile("Run ([0-9]{1,9})")
_NOTED: "WeakKeyDictionary[Outcome, Trial]" = WeakKeyDictionary()


def noted(outcome: "Outcome", bench: "Bench") -> Trial:
    """Makes what is kept of it, without a name: worked out once, best in the background."""
    known = _NOTED.get(outcome)
    if known is None:
        from errorflow.study.simulate.trying import trial_of

        known = _NOTED[outcome] = trial_of("", outcome, bench)
    return known


def with_trial(session: Session, found: Trial) -> Session:
    """Adds a trial; one that is known already has its numbers renewed."""
    trials, key = session.trials, (found.plan, found.basis)
    at = next((number for number, each in enumerate(trials) if (each.plan, each.basis) == key), None)
    if at is None:
        return replace(session, trials=(*trials, replace(found, name=_fresh(session))))
    return replace(session, trials=(*trials[:at], _renewed(trials[at], found), *trials[at + 1 :]))


def _renewed(before: Trial, found: Trial) -> Trial:
    """Renews the numbers; what was evaluated for real does not depend on what was simulated again."""
    return replace(found, name=before.name, accuracy=before.accuracy)


def _fresh(session: Session) -> str:
    """A number above all that are in use, also by those that were given another name since."""
    found = (_NUMBERED.fullmatch(trial.name) for trial in session.trials)
    return f"Run {max(len(session.trials), *(int(each[1]) for each in found if each), 0) + 1}"


# Precisions that nodes were to compute in and those that they do, under the plan of the session.

# Plans of a bench of which it is remembered: the one on view, the one before, and those that one looks at beside.
_MOST = 4
_KNOWN: "WeakKeyDictionary[Bench, dict[Plan, PlannedPrecisions]]" = WeakKeyDictionary()
# Of a graph the last plan, and what it says of the nodes.
_WISHED: "WeakKeyDictionary[Graph, tuple[Plan, Wished]]" = WeakKeyDictionary()
_COMPUTED: "WeakKeyDictionary[PlannedPrecisions | Wished, Computed]" = WeakKeyDictionary()


def bench_on_view(document: Document) -> "Bench | None":
    """Finds the bench; None: nothing is simulated, or it is not ready, or it is not the graph on view."""
    simulated, graph = document.state.simulated, document.graph
    if simulated is None or graph is None or document.session.simulation is None or document.state.place != Place():
        return None
    return simulated.bench if _alike(simulated.bench.engine.graph, graph) else None


def precisions(document: Document) -> "PlannedPrecisions | None":
    """Under the plan of the session, which may be ahead of what is known of its errors; numbers are those of the graph
    on view."""
    bench, simulation = bench_on_view(document), document.session.simulation
    return None if bench is None or simulation is None else precisions_of(bench, simulation.plan)


def wished(document: Document) -> "Wished | None":
    """Finds what the session says of nodes of the graph on view where no bench does, as in a ticket; None: one does, or
    nothing is simulated, or nothing was wished.
    """
    simulation, state = document.session.simulation, document.state
    if simulation is None or state.simulated is not None or document.graph is None or state.place != Place():
        return None
    if not simulation.plan.rules and not simulation.plan.tensors:
        return None
    plan, known = _WISHED.get(document.graph, (None, None))
    if known is None or plan != simulation.plan:
        from errorflow.quant.wished import Wished

        known = Wished(document.graph, simulation.plan)
        _WISHED[document.graph] = simulation.plan, known
    return known


def precisions_of(bench: "Bench", plan: Plan) -> "PlannedPrecisions":
    """Under any plan."""
    known = _KNOWN.setdefault(bench, {})
    found = known.get(plan)
    if found is None:
        from errorflow.quant.effective import PlannedPrecisions

        graph = bench.engine.graph
        found = known[plan] = PlannedPrecisions(graph, plan, bench.engine.assigned(plan))
        while len(known) > _MOST:
            del known[next(iter(known))]
    return found


def computed(document: Document) -> Computed | None:
    """The same for searches and lists, or what was wished; None: nothing is simulated, or not the graph on view."""
    found = precisions(document) or wished(document)
    if found is None:
        return None
    known = _COMPUTED.get(found)
    if known is None:
        known = _COMPUTED[found] = Computed(found.texts, found.kept)
    return known


def _alike(one: Graph, other: Graph) -> bool:
    return one is other or (len(one) == len(other) and one.tensor_names == other.tensor_names)
