"""What is gained at the outputs when nodes are put to float: each alone, and the smallest set that was seen to work.

What groups make alone only says whom to try first: errors cancel, and outputs saturate, so that two gains add up to
more than one or to less. So each is run as a user would switch it, and what is said of it is what was gone.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field
from errorflow.explain.blame.limits import CLEAN, MOST, NEARLY_ALL, NOTICEABLE, PRUNED
from errorflow.explain.blame.model import Floats, ModelVerdict, Remedy, Switched, is_few
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.switching import in_units, switched
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.simulate.noise import Noise
from errorflow.study.simulate.pooled import pooled_sums

# Of each output, those that make most noise alone; and the worst outputs for which a set is looked for.
TRIED = 16
SETS = 4
SAMPLES = 16
# What the parts of a set may gain more or less than the whole before they are said to interact.
APART = 0.1
# Operators whose outputs hardly change beyond some size; of what goes into them so much must be gone as well.
_SATURATING = frozenset(("Softmax", "Sigmoid", "LogSoftmax", "HardSigmoid"))
INSIDE = 0.75
# Groups of which so much is gained are looked at node by node; one is named that gains as much as all, but for so much.
HEAVY, SLACK = 0.05, 0.02
_ALONE, _TOGETHER = "Leaving one group at a time in float", "Looking for the smallest set"


def drawn(samples: int, worst: int, most: int = SAMPLES) -> tuple[int, ...]:
    """Draws samples evenly, and the worst one with them: on one that is easy for the model, outputs saturate."""
    others = [sample for sample in range(samples) if sample != worst]
    places = np.linspace(0, len(others) - 1, min(len(others), most - (worst >= 0))).round().astype(int).tolist()
    return tuple(([worst] if worst >= 0 else []) + [others[place] for place in places])


def inside(engine: Engine, output: str) -> tuple[str, ...]:
    """Names what an output that saturates is made of; (): it does not."""
    graph, number = engine.graph, engine.graph.tensor_index(output)
    maker = -1 if number is None else int(graph.producers[number])
    if maker < 0 or graph.op_types[maker] not in _SATURATING:
        return ()
    name = graph.tensor_names[int(graph.node_inputs[maker][0])]
    return (name,) if name in engine.shapes else ()


def gained(
    engine: Engine, plan: Plan, noise: Noise, worst: int = -1, progress: Progress = SILENT
) -> dict[int, Switched]:
    """Finds what is gained at each bad output, by its tensor."""
    bench = _Bench(engine, plan, drawn(engine.samples, worst), progress)
    (before,) = bench.run([()], [*noise.outputs, *(each for name in noise.outputs for each in inside(engine, name))])
    places = [place for place, name in enumerate(noise.outputs) if before.error(name) > CLEAN]
    places.sort(key=lambda place: -before.error(noise.outputs[place]))
    orders = {place: _loudest_first(noise, place) for place in places}
    tried = dict.fromkeys(node for order in orders.values() for node in _worth(order))
    actions = _Actions(bench, before, [noise.outputs[place] for place in places], tuple(tried))
    found: dict[int, Switched] = {}
    for rank, place in enumerate(places):
        name, number = noise.outputs[place], engine.graph.tensor_index(noise.outputs[place])
        order = {actions.of(node): share for node, share in orders[place].items()}
        search = _Search(bench, name, before, actions.gains(name), order, inside(engine, name))
        if number is not None:
            found[number] = _switched(len(engine.graph), search, rank < SETS)
    return found


def gained_in_channels(
    engine: Engine, plan: Plan, model: ModelVerdict, worst: int = -1, progress: Progress = SILENT
) -> dict[int, Switched]:
    """The same at outputs that are good as a whole, of whose quiet channels nothing is left: all channels alike, for
    the nodes that the estimate names.
    """
    graph, outputs, samples = engine.graph, frozenset(engine.outputs), drawn(engine.samples, worst)
    found: dict[int, Switched] = {}
    for tensor, verdict in model.outputs:
        name, nodes = graph.tensor_names[tensor], [each.node for each in verdict.top]
        if name not in outputs or not nodes:
            continue
        plans = [plan, *(switched(graph, plan, in_units(graph, (node,)), FLOAT) for node in nodes)]
        before, *after = (_in_channels(engine, each, name, samples, progress) for each in plans)
        shares: Floats = np.zeros(len(graph))
        shares[nodes] = [max(_gain(before**2, error**2), 0.0) for error in after]
        best = int(np.argmin(after))
        is_enough = shares[nodes[best]] >= NEARLY_ALL or after[best] <= CLEAN
        found[tensor] = Switched(shares, Remedy((nodes[best],), len(nodes), before, after[best]) if is_enough else None)
    return found


def _in_channels(engine: Engine, plan: Plan, name: str, samples: Sequence[int], progress: Progress) -> float:
    """The relative error of each channel, their root of the mean square; infinite where values are no numbers."""
    pairs = [[engine.values(each, [name], sample, progress)[name] for each in (None, plan)] for sample in samples]
    golden, mine = (np.stack([pair[side].astype(np.float64) for pair in pairs]) for side in (0, 1))
    others = tuple(axis for axis in range(golden.ndim) if axis != min(2, golden.ndim - 1))
    with np.errstate(all="ignore"):
        ratio = np.square(mine - golden).sum(axis=others) / np.square(golden).sum(axis=others)
    known = ratio[~np.isnan(ratio)]
    return float(np.sqrt(known.mean())) if known.size else 0.0


@dataclass(frozen=True, slots=True)
class Action:
    """What a user does who puts a node to float: the named one, and what must go with it."""

    node: int
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """Powers of the errors of outputs, and of their references."""

    table: Table

    def power(self, name: str) -> float:
        """Infinite where it holds values that are no numbers."""
        sums = pooled_sums(self.table, name)
        return np.nan if sums is None else np.inf if sums.broken else float(sums.dd)

    def error(self, name: str) -> float:
        """Relative; 0 where it was not measured."""
        sums = pooled_sums(self.table, name)
        if sums is None or not sums.rr:
            return 0.0
        return np.inf if sums.broken else float(np.sqrt(float(sums.dd) / float(sums.rr)))


@dataclass(frozen=True, slots=True)
class _Bench:
    engine: Engine
    plan: Plan
    samples: tuple[int, ...]
    progress: Progress

    def run(self, sets: Sequence[Sequence[int]], names: Sequence[str], text: str = _ALONE) -> list[Measured]:
        """Runs the plan with each of these sets of nodes in float."""
        if not names:
            return []
        graph = self.engine.graph
        plans = [switched(graph, self.plan, nodes, FLOAT) if nodes else self.plan for nodes in sets]
        tables = self.engine.run_many(plans, list(names), self.samples, text=text, progress=self.progress)
        return list(map(Measured, tables))


class _Actions:
    """What is to be done about each group of nodes, and what is gained by that.

    A group is switched as one, and named after the node that gains as much by itself; where none does, the others of
    the group go with the one that gains most.
    """

    def __init__(self, bench: _Bench, before: Measured, names: Sequence[str], tried: Sequence[int]) -> None:
        self._before, self._names = before, names
        self._groups = {node: in_units(bench.engine.graph, (node,)) for node in tried}
        wholes = dict(zip(tried, bench.run(list(self._groups.values()), names), strict=True))
        several = [node for node in tried if len(self._groups[node]) > 1 and self._most(wholes[node]) >= HEAVY]
        singles = [(node, each) for node in several for each in self._groups[node]]
        runs = bench.run([(each,) for _, each in singles], names)
        self._found = {node: (Action(node, self._groups[node]), whole) for node, whole in wholes.items()}
        alone: dict[int, list[tuple[int, Measured]]] = {}
        for (node, each), run in zip(singles, runs, strict=True):
            alone.setdefault(node, []).append((each, run))
        for node, members in alone.items():
            best, run = max(members, key=lambda each: (self._most(each[1]), each[0] == node))
            whole = wholes[node]
            is_enough = self._most(run) >= self._most(whole) - SLACK
            self._found[node] = (Action(best, (best,)), run) if is_enough else (Action(best, self._groups[node]), whole)

    def of(self, node: int) -> Action:
        return self._found[node][0] if node in self._found else Action(node, (node,))

    def gains(self, name: str) -> dict[Action, float]:
        before = self._before.power(name)
        return {action: _gain(before, run.power(name)) for action, run in self._found.values()}

    def _most(self, run: Measured) -> float:
        return max(_gain(self._before.power(name), run.power(name)) for name in self._names)


def _loudest_first(noise: Noise, place: int) -> dict[int, float]:
    """Maps nodes to their share of the noise, what makes no numbers before all others."""
    found: dict[int, float] = {}
    with np.errstate(all="ignore"):
        powers = noise.powers[:, place]
        shares = np.where(np.isfinite(powers), powers / np.nansum(powers[np.isfinite(powers)]), np.inf)
    for source, share in zip(noise.sources, np.nan_to_num(shares, posinf=np.inf).tolist(), strict=True):
        found[source.node] = found.get(source.node, 0.0) + share
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _worth(order: dict[int, float]) -> list[int]:
    return [node for node, share in order.items() if share >= NOTICEABLE][:TRIED]


def _gain(before: float, after: float) -> float:
    if np.isposinf(before):
        return float(np.isfinite(after))
    return 1 - after / before if before else 0.0


def _switched(count: int, search: "_Search", is_searched: bool) -> Switched:
    """Of nodes that were not tried, what they make alone is known: too little to be named."""
    shares: Floats = np.zeros(count)
    for action, share in search.order.items():
        shares[action.node] = max(search.gains.get(action, min(share, NOTICEABLE)), 0.0)
    found = search.found() if is_searched else ()
    remedy = search.remedy(found) if found else None
    if remedy is not None and remedy.interact:
        for action, loss in search.losses(found).items():
            shares[action.node] = max(shares[action.node], loss)
    return Switched(np.minimum(shares, 1.0), remedy)


# Whether a run is good enough.
_Enough = Callable[[Measured], bool]


@dataclass
class _Search:
    """Search for the smallest set of nodes which, in float, bring one output back."""

    bench: _Bench
    output: str
    before: Measured
    gains: dict[Action, float]
    # With what each makes alone, the loudest first.
    order: dict[Action, float]
    # What the output is made of, where it saturates.
    inner: tuple[str, ...] = ()
    _known: dict[frozenset[Action], Measured] = field(default_factory=dict)

    def found(self) -> tuple[Action, ...]:
        """The smallest set within the limit; if that is long, one that takes nearly all, where that is short.

        Of two as short the one that makes more alone: what several read is healed by each of its readers as well. ():
        not even all of them together are enough.
        """
        by_gain = sorted(self.order, key=lambda each: (-round(self.gains.get(each, 0.0), 1), -self.order[each]))
        orders = by_gain, list(self.order)
        sets = [self._smallest(orders, is_enough) for is_enough in (self._is_within, self._is_most)]
        short = [each for each in sets if each and is_few(len(each), len(self.order), self._part(each))]
        alike = [each for each in short if len(each) == len(short[0])]
        return max(alike, key=self._part) if alike else next((each for each in sets if each), ())

    def _part(self, actions: Iterable[Action]) -> float:
        """What these make alone, as a part of what all do."""
        total = sum(share for share in self.order.values() if np.isfinite(share))
        return min(sum(self.order[each] for each in actions) / total, 1.0) if total else 0.0

    def remedy(self, actions: tuple[Action, ...]) -> Remedy:
        (after,) = self._run([actions])
        together, apart = self._gained(after), sum(max(self.gains.get(each, 0.0), 0.0) for each in actions)
        interact = len(actions) > 1 and abs(together - apart) > APART
        named = {each.node for each in actions}
        others = sorted({node for each in actions for node in each.nodes} - named)
        before = self.before.error(self.output)
        return Remedy(
            tuple(each.node for each in actions),
            len(self.order),
            before,
            after.error(self.output),
            interact,
            tuple(others),
            self._part(actions),
        )

    def losses(self, actions: tuple[Action, ...]) -> dict[Action, float]:
        """What the set no longer gains without each of them."""
        if len(actions) > PRUNED:
            return {}
        (whole,) = self._run([actions])
        less = self._run([_without(actions, each) for each in actions])
        return {each: self._gained(whole) - self._gained(run) for each, run in zip(actions, less, strict=True)}

    def _smallest(self, orders: Iterable[list[Action]], is_enough: "_Enough") -> tuple[Action, ...]:
        found = [each for each in (self._prefix(order, is_enough) for order in orders) if each]
        found = [self._pruned(each, is_enough) for each in found]
        return min(found, key=lambda each: (len(each), -self._part(each)), default=())

    def _prefix(self, order: Sequence[Action], is_enough: "_Enough") -> tuple[Action, ...]:
        """The first ones that are enough: so many that one less is not; (): all of them are not."""
        sizes = [size for size in (1, 2, 4, 8) if size < len(order)]
        tried = list(zip(sizes, self._run([order[:size] for size in sizes]), strict=True))
        high = next((size for size, each in tried if is_enough(each)), 0)
        low = max((size for size in sizes if not high or size < high), default=0)
        if not high:
            high = len(order)
            if not order or not is_enough(*self._run([order])):
                return ()
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(*self._run([order[:middle]])) else (middle, high)
        return tuple(order[:high])

    def _pruned(self, actions: tuple[Action, ...], is_enough: "_Enough") -> tuple[Action, ...]:
        """The same without those that it does not need."""
        while 1 < len(actions) <= PRUNED:
            fewer = [_without(actions, each) for each in actions]
            enough = [(each, less) for each, less in zip(self._run(fewer), fewer, strict=True) if is_enough(each)]
            if not enough:
                break
            actions = min(enough, key=lambda each: each[0].power(self.output))[1]
        return actions

    def _run(self, sets: Sequence[Sequence[Action]]) -> list[Measured]:
        new = [each for each in dict.fromkeys(map(frozenset, sets)) if each not in self._known]
        nodes = [tuple(node for action in each for node in action.nodes) for each in new]
        self._known.update(zip(new, self.bench.run(nodes, [self.output, *self.inner], _TOGETHER), strict=True))
        return [self._known[frozenset(each)] for each in sets]

    def _gained(self, found: Measured) -> float:
        return _gain(self.before.power(self.output), found.power(self.output))

    def _is_within(self, found: Measured) -> bool:
        """Whether the output is within the limit, by what is more than half of its error."""
        return self._gained(found) >= MOST and found.error(self.output) <= CLEAN and self._is_so_inside(found)

    def _is_most(self, found: Measured) -> bool:
        return self._gained(found) >= NEARLY_ALL and self._is_so_inside(found)

    def _is_so_inside(self, found: Measured) -> bool:
        """Where the output saturates, on few samples a few nodes may bring it back by chance."""
        names = self.inner
        return all(_gain(self.before.power(name), found.power(name)) >= INSIDE for name in names)


def _without(actions: Sequence[Action], one: Action) -> tuple[Action, ...]:
    return tuple(each for each in actions if each is not one)
