"""Precisions that nodes were to compute in and those that they do, under the plan of the session."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from errorflow.explain.findings.fields import Computed
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import Place

if TYPE_CHECKING:
    from errorflow.quant.effective import PlannedPrecisions
    from errorflow.quant.wished import Wished
    from errorflow.study.simulate.bench import Bench

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
