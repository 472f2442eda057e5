"""Nodes and tensors put back to float, to other bits or to the plan, as the user wishes: each a step of its own."""

from collections.abc import Callable, Collection
from weakref import WeakKeyDictionary

from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, PLANNED, Plan, Rule
from errorflow.quant.selecting import chosen, keys_of
from errorflow.quant.switching import (
    Part,
    Switch,
    in_units,
    planned,
    switched,
    switched_tensors,
    switched_where,
    toggled,
    toggled_tensor,
)
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.document.simulation_work import bench_on_view, precisions_of

NOT_SIMULATED = "Nothing is simulated yet: Simulate… (F9) begins, and then Space puts nodes back to float."
PREPARING = "The simulation is being prepared."
ELSEWHERE = "Only nodes of the main graph can be switched."
NOTHING_SELECTED = "Select a node, a group or a tensor first."
# The node that “between” begins at, of the graph on view.
_MARKED: "WeakKeyDictionary[Document, tuple[str, ...]]" = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Target:
    """Target of a switch: nodes by number, or all that a rule names, or one tensor; and what it is called."""

    name: str
    nodes: tuple[int, ...] = ()
    where: Rule | None = None
    tensor: str = ""

    def __bool__(self) -> bool:
        return bool(self.nodes or self.where is not None or self.tensor)


NOBODY = Target("")


def can_switch(desk: Desk) -> bool:
    """Whether a simulation of the graph on view is there."""
    state = desk.document.state
    return state.simulated is not None and desk.document.session.simulation is not None and not state.place.path


def can_switch_selected(desk: Desk) -> bool:
    return can_switch(desk) and not desk.document.state.is_bare


# What is meant


def selected(desk: Desk) -> Target:
    """A node with all that it is one with, all in a group, or a tensor."""

    graph, state = _graph(desk), desk.document.state
    if graph is None:
        return NOBODY
    if state.node is not None:
        return Target(graph.title(state.node), in_units(graph, [state.node]))
    if state.group is not None:
        return Target(desk.selection.name, in_units(graph, desk.selection.group_nodes.tolist()))
    return NOBODY if state.tensor is None else _tensor(graph, state.tensor)


def alone(desk: Desk) -> Target:
    """The selected node without what it is one with."""
    graph, node = _graph(desk), desk.document.state.node
    return NOBODY if graph is None or node is None else Target(f"{graph.title(node)} alone", (node,))


def of_type(desk: Desk) -> Target:
    graph, node = _graph(desk), desk.document.state.node
    if graph is None or node is None:
        return NOBODY
    kind = graph.op_types[node]
    return Target(f"all {kind}", where=Rule(types=(kind,)))


def search_hits(desk: Desk) -> Target:
    graph, text = _graph(desk), desk.document.state.search.strip()
    if graph is None or not text or desk.document.graph is None:
        return NOBODY
    found = rows_of(desk.document.graph).search(desk.document.state.search)
    nodes = in_units(graph, found.tolist()) if len(found) else ()
    return Target(f"{len(found):,} found by {text}", nodes) if nodes else NOBODY


def of_verdict(desk: Desk) -> Target:
    """The smallest set that the verdict on the simulation on view says to bring the output back."""
    case = desk.document.state.case
    remedy = None if case is None or case.blame is None else case.blame.model.remedy
    if case is None or case.blame is None or remedy is None or case.blame.graph is not _graph(desk):
        return NOBODY
    first, more = case.blame.graph.title(remedy.nodes[0]), len(remedy.nodes) - 1
    return Target(f"{first} and {more:,} more" if more else first, (*remedy.nodes, *remedy.others))


def upstream(desk: Desk) -> Target:
    graph, made = _graph(desk), _made(desk)
    if graph is None or not made:
        return NOBODY
    return Target(f"all before {selected(desk).name}", where=Rule(ends=made))


def downstream(desk: Desk) -> Target:
    graph, made = _graph(desk), _made(desk)
    if graph is None or not made:
        return NOBODY
    return Target(f"all behind {selected(desk).name}", where=Rule(names=_names(graph, desk), starts=made))


def mark(desk: Desk) -> None:
    """The first of two nodes between which all is meant."""
    graph, node = _graph(desk), desk.document.state.node
    if graph is not None and node is not None:
        from errorflow.quant.selecting import keys_of

        _MARKED[desk.document] = (graph.title(node), keys_of(graph).best(node), *_outputs(graph, [node]))
        desk.say(f"Marked {graph.title(node)}: select the second node, and choose Simulate, Between the mark and this.")


def between(desk: Desk) -> Target:
    """Finds all on the way between the mark and the selected node, whichever is first; both of them too."""
    graph, node, marked = _graph(desk), desk.document.state.node, _MARKED.get(desk.document)
    if graph is None or node is None or marked is None:
        return NOBODY

    title, key, *made = marked
    first, here = tuple(made), _outputs(graph, [node])
    own = keys_of(graph).best(node)
    for where in (Rule(names=(key,), starts=first, ends=here), Rule(names=(own,), starts=here, ends=first)):
        if chosen(graph, Rule(starts=where.starts, ends=where.ends)).any():
            return Target(f"all between {title} and {graph.title(node)}", where=where)
    return NOBODY


# What is done


def toggle(desk: Desk, who: Callable[[Desk], Target] = selected) -> None:
    """Float, and as planned the next time."""
    target = _ready(desk, who)
    if target is None:
        return

    graph, plan = _graph(desk), _plan(desk)
    assert graph is not None and plan is not None, "it is simulated"
    fresh = toggled_tensor(plan, target.tensor) if target.tensor else toggled(graph, plan, target.nodes)
    back = fresh == _changed(graph, plan, target, PLANNED, "both")
    _take(desk, _text(target, PLANNED if back else FLOAT), plan, fresh)


def switch(desk: Desk, who: Callable[[Desk], Target], to: Switch, part: Part = "both") -> None:
    target = _ready(desk, who)
    graph, plan = _graph(desk), _plan(desk)
    if target is not None and graph is not None and plan is not None:
        _take(desk, _text(target, to, part), plan, _changed(graph, plan, target, to, part))


def reset(desk: Desk) -> None:
    plan = _plan(desk)
    if plan is not None and _can_take(desk):
        _take(desk, "Reset all switches", plan, planned(plan))


def has_switches(desk: Desk) -> bool:
    plan = _plan(desk)
    return plan is not None and bool(plan.rules or plan.tensors)


def _changed(graph: Graph, plan: Plan, target: Target, to: Switch, part: Part) -> Plan:
    if target.tensor:
        return switched_tensors(plan, [target.tensor], to)
    if target.where is not None:
        return switched_where(graph, plan, target.where, to, part)
    return switched(graph, plan, target.nodes, to, part)


def _take(desk: Desk, text: str, before: Plan, after: Plan) -> None:
    """The step, and in the status bar what comes of it."""
    bench = bench_on_view(desk.document)
    if bench is None:
        return
    if after == before:
        desk.say("That is so already: nothing changes.")
        return
    desk.studies.simulating.edit(text, after)
    from errorflow.quant.effective import frees

    found = [precisions_of(bench, plan).assigned for plan in (before, after)]
    desk.say(f"{text}. {frees(bench.engine.graph, *found)}")


def _can_take(desk: Desk) -> bool:
    """Whether a plan can be switched; else it was said why not."""
    if desk.document.session.simulation is None:
        desk.say(NOT_SIMULATED)
        return False
    if desk.document.state.simulated is None:
        desk.say(PREPARING)
        return False
    if bench_on_view(desk.document) is None:
        desk.say(ELSEWHERE)
        return False
    return True


def _ready(desk: Desk, who: Callable[[Desk], Target]) -> Target | None:
    """Finds the target; None: there is nothing to be switched, and it was said why."""
    if not _can_take(desk):
        return None
    target = who(desk)
    if not target:
        desk.say(NOTHING_SELECTED)
        return None
    return target


def _text(target: Target, to: Switch, part: Part = "both") -> str:
    what = target.name if part == "both" else f"the {part} of {target.name}"
    if to == FLOAT:
        return f"Keep {what} in float"
    return f"Quantize {what} as planned" if to == PLANNED else f"Quantize {what} to {to} bits"


def _graph(desk: Desk) -> "Graph | None":
    """Finds the graph of the bench, which has the numbers of the one on view."""
    bench = bench_on_view(desk.document)
    return None if bench is None else bench.engine.graph


def _plan(desk: Desk) -> Plan | None:
    simulation = desk.document.session.simulation
    return None if simulation is None else simulation.plan


def _tensor(graph: Graph, tensor: int) -> Target:
    name = graph.tensor_names[tensor]
    return Target(name, tensor=name)


def _chosen_nodes(desk: Desk) -> list[int]:
    node = desk.document.state.node
    return desk.selection.group_nodes.tolist() if node is None else [node]


def _made(desk: Desk) -> tuple[str, ...]:
    """Lists what leaves the selection: what a node makes, what of a group is read outside, or the tensor itself."""
    graph, tensor = _graph(desk), desk.document.state.tensor
    if graph is None:
        return ()
    if tensor is not None:
        return (graph.tensor_names[tensor],)
    nodes = _chosen_nodes(desk)
    inside, outputs = frozenset(nodes), frozenset(graph.outputs.tolist())
    return tuple(
        graph.tensor_names[made]
        for node in nodes
        for made in graph.node_outputs[node].tolist()
        if made >= 0 and (made in outputs or not inside.issuperset(graph.consumers[made].tolist()))
    )


def _names(graph: Graph, desk: Desk) -> tuple[str, ...]:
    nodes = [] if desk.document.state.tensor is not None else _chosen_nodes(desk)
    return tuple(dict.fromkeys(keys_of(graph).best(node) for node in nodes))


def _outputs(graph: Graph, nodes: Collection[int]) -> tuple[str, ...]:
    made = (tensor for node in nodes for tensor in graph.node_outputs[node].tolist() if tensor >= 0)
    return tuple(graph.tensor_names[tensor] for tensor in made)
