"""Gains at outputs when nodes are put right: each alone, and the smallest set that was seen to work.

Whatever runs them, nodes are tried as a user would switch them: what is said of them is what was gone. What they make
alone only says whom to try first, as errors cancel and outputs saturate: two gains may add up to more than one, or to
less.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from errorflow.base.values import dataclass, field, replace
from errorflow.explain.blame.limits import CLEAN, MOST, NEARLY_ALL, NOTICEABLE, PRUNED
from errorflow.explain.blame.model import Floats, Remedy, Switched, is_few
from errorflow.graph.model import Graph
from errorflow.graph.quiet import NOISE
from errorflow.quant.switching import in_units

# Of each output, those that make most alone; and the worst outputs for which a set is looked for.
TRIED = 16
SETS = 8
# What the parts of a set may gain more or less than the whole before they are said to interact.
APART = 0.1
# Draws of samples, and how many of them go beyond a range, at either end.
DRAWS, RARELY = 200, 0.05
# Nodes behind those that only bring what they make into another form.
_PASSED = 8
# Operators whose outputs hardly change beyond some size; of what goes into them so much must be gone as well.
_SATURATING = frozenset(("Softmax", "SoftmaxV2", "Sigmoid", "LogSoftmax", "LogSoftmaxV2", "HardSigmoid"))
INSIDE = 0.75
# Groups of which so much is gained are looked at node by node; one is named that gains as much as all, but for so much.
HEAVY, SLACK = 0.05, 0.02
ALONE, TOGETHER = "Leaving one group at a time in float", "Looking for the smallest set"


@dataclass(frozen=True, slots=True)
class Action:
    """Action of a user who puts a node right: the named one, and what must go with it."""

    node: int
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RightedErrors:
    """Powers by tensor: of its error, infinite where it holds values that are no numbers, and of its reference."""

    powers: Mapping[str, tuple[float, float]]
    # Of its error, sample by sample, where there are several.
    each: Mapping[str, Floats] = field(default_factory=dict)

    def power(self, name: str) -> float:
        return self.powers[name][0] if name in self.powers else np.nan

    def error(self, name: str) -> float:
        """Relative; 0 where it was not measured."""
        error, size = self.powers.get(name, (0.0, 0.0))
        return float(np.sqrt(error / size)) if size else 0.0


class SwitchBench(Protocol):
    """Runs a model with sets of nodes put right."""

    @property
    def graph(self) -> Graph: ...

    @property
    def in_groups(self) -> bool:
        """Whether what a single node of a group would do is not known."""

    def run(self, sets: Sequence[Sequence[int]], names: Sequence[str], text: str = ALONE) -> list[RightedErrors]: ...


# What nodes make alone, as parts of what all make, the loudest first.
Order = Mapping[int, float]


def switched_by(bench: SwitchBench, outputs: Sequence[str], order_of: Callable[[str], Order]) -> dict[int, Switched]:
    """Finds what is gained at each of these outputs that is bad, by its tensor, the worst first."""
    graph = bench.graph
    (before,) = bench.run([()], [*outputs, *(each for name in outputs for each in inside(graph, name))])
    bad = sorted((name for name in outputs if before.error(name) > CLEAN), key=before.error, reverse=True)
    orders = {name: order_of(name) for name in bad}
    tried = tuple(dict.fromkeys(node for order in orders.values() for node in _worth(order)))
    actions = _Actions(bench, before, bad, tried)
    found: dict[int, Switched] = {}
    for rank, name in enumerate(bad):
        # Of what was good before it saturates nothing needs to be gone.
        known = tuple(each for each in inside(graph, name) if before.error(each) > CLEAN)
        number = graph.tensor_index(name)
        order: dict[Action, float] = {}
        for node, share in orders[name].items():
            order[actions.of(node)] = order.get(actions.of(node), 0.0) + share
        search = _Search(bench, name, before, actions.gains(name), order, known)
        if number is not None:
            switched = _switched(search, rank < SETS)
            ranges = {node: gains for node, gains in actions.ranges(name).items() if node in switched.shares}
            found[number] = replace(switched, ranges=ranges)
    return found


def inside(graph: Graph, output: str) -> tuple[str, ...]:
    """Names what an output that saturates is made of; (): it does not."""
    number = graph.tensor_index(output)
    for _ in range(_PASSED):
        maker = -1 if number is None else int(graph.producers[number])
        if maker < 0 or not len(graph.node_inputs[maker]) or graph.node_inputs[maker][0] < 0:
            break
        number = int(graph.node_inputs[maker][0])
        if graph.op_types[maker] in _SATURATING:
            return (graph.tensor_names[number],)
        if graph.op_types[maker] not in NOISE:
            break
    return ()


class _Actions:
    """Actions for groups of nodes, and what is gained by them.

    A group is switched as one, and named after the node that gains as much by itself; where none does, the others of
    the group go with the one that gains most.
    """

    def __init__(self, bench: SwitchBench, before: RightedErrors, names: Sequence[str], tried: Sequence[int]) -> None:
        self._before, self._names, self._graph = before, names, bench.graph
        self._groups = {node: in_units(bench.graph, (node,)) for node in tried}
        wholes = dict(zip(tried, bench.run(list(self._groups.values()), names), strict=True))
        several = [node for node in tried if len(self._groups[node]) > 1 and self._most(wholes[node]) >= HEAVY]
        several = [] if bench.in_groups else several
        singles = [(node, each) for node in several for each in self._groups[node]]
        runs = bench.run([(each,) for _, each in singles], names)
        self._found = {node: (Action(node, self._groups[node]), whole) for node, whole in wholes.items()}
        alone: dict[int, list[tuple[int, RightedErrors]]] = {}
        for (node, each), run in zip(singles, runs, strict=True):
            alone.setdefault(node, []).append((each, run))
        for node, members in alone.items():
            best, run = max(members, key=lambda each: (self._most(each[1]), each[0] == node))
            whole = wholes[node]
            is_enough = all(self._gain(run, name) >= self._gain(whole, name) - SLACK for name in names)
            self._found[node] = (Action(best, (best,)), run) if is_enough else (Action(best, self._groups[node]), whole)

    def of(self, node: int) -> Action:
        return self._found[node][0] if node in self._found else Action(node, in_units(self._graph, (node,)))

    def gains(self, name: str) -> dict[Action, float]:
        before = self._before.power(name)
        return {action: gain_of(before, run.power(name)) for action, run in self._found.values()}

    def ranges(self, name: str) -> dict[int, tuple[float, float]]:
        """Maps nodes to what they gain when samples are drawn anew, but for the rarest draws."""
        before = self._before.each.get(name, np.zeros(0))
        found = ((action.node, range_of(before, run.each.get(name, before))) for action, run in self._found.values())
        return {node: gains for node, gains in found if gains is not None}

    def _most(self, run: RightedErrors) -> float:
        return max(self._gain(run, name) for name in self._names)

    def _gain(self, run: RightedErrors, name: str) -> float:
        return gain_of(self._before.power(name), run.power(name))


def _worth(order: Order) -> list[int]:
    return [node for node, share in order.items() if share >= NOTICEABLE][:TRIED]


def range_of(before: Floats, after: Floats) -> tuple[float, float] | None:
    """Draws samples anew, as a bootstrap does; None: one sample tells nothing, nor do values that are no numbers."""
    if len(before) < 2 or not (np.isfinite(before).all() and np.isfinite(after).all() and before.any()):
        return None
    times = np.random.default_rng(0).multinomial(len(before), np.full(len(before), 1 / len(before)), DRAWS)
    with np.errstate(all="ignore"):
        gains = (1 - (times @ after) / (times @ before))[times @ before > 0]
    low, high = np.quantile(gains, (RARELY, 1 - RARELY)).tolist()
    return max(low, 0.0), min(max(high, 0.0), 1.0)


def gain_of(before: float, after: float) -> float:
    if np.isposinf(before):
        return float(np.isfinite(after))
    return 1 - after / before if before else 0.0


def _switched(search: "_Search", is_searched: bool) -> Switched:
    """Puts together what was gained; nodes that were not tried make too little alone to be named."""
    shares = {action.node: gain for action, gain in search.gains.items() if action in search.order}
    found = search.found() if is_searched else ()
    remedy = search.remedy(found) if found else None
    if remedy is not None and remedy.interact:
        for action, loss in search.losses(found).items():
            shares[action.node] = max(shares.get(action.node, 0.0), loss)
    return Switched({node: min(share, 1.0) for node, share in shares.items() if share > 0}, remedy)


# Whether a run is good enough.
_Enough = Callable[[RightedErrors], bool]


@dataclass
class _Search:
    """Search for the smallest set of nodes which, in float, bring one output back."""

    bench: SwitchBench
    output: str
    before: RightedErrors
    gains: dict[Action, float]
    # With what each makes alone, the loudest first.
    order: dict[Action, float]
    # What the output is made of, where it saturates.
    inner: tuple[str, ...] = ()
    _known: dict[frozenset[Action], RightedErrors] = field(default_factory=dict)

    def found(self) -> tuple[Action, ...]:
        """The smallest set within the limit; if that is long, or has nodes that hardly gain anything in it, one that
        takes nearly all, where that is short.

        Of two as short the one that makes more alone: what several read is healed by each of its readers as well. ():
        not even all of them together are enough.
        """
        by_gain = sorted(self.order, key=lambda each: (-round(self.gains.get(each, 0.0), 1), -self.order[each]))
        orders = by_gain, list(self.order)
        sets = [self._smallest(orders, is_enough) for is_enough in (self._is_within, self._is_most)]
        short = [each for each in sets if each and self._is_telling(each)]
        alike = [each for each in short if len(each) == len(short[0])]
        return min(alike, key=self._rank) if alike else next((each for each in sets if each), ())

    def _rank(self, actions: tuple[Action, ...]) -> tuple[float, ...]:
        """The shorter, then what gains clearly more, then what makes more alone."""
        (after,) = self._run([actions])
        return len(actions), -round(self._gained(after), 1), -self._part(actions)

    def _is_telling(self, actions: tuple[Action, ...]) -> bool:
        """Whether they are few, and none of them could be left out for next to nothing."""
        (after,) = self._run([actions])
        few = is_few(len(actions), len(self.order), self._part(actions), self._gained(after))
        return few and all(loss >= NOTICEABLE for loss in self.losses(actions).values())

    def _part(self, actions: Iterable[Action]) -> float:
        """Computes what these make alone, as a part of what all do."""
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
        """Measures what the set no longer gains without each of them."""
        if len(actions) > PRUNED:
            return {}
        (whole,) = self._run([actions])
        less = self._run([_without(actions, each) for each in actions])
        return {each: self._gained(whole) - self._gained(run) for each, run in zip(actions, less, strict=True)}

    def _smallest(self, orders: Iterable[list[Action]], is_enough: "_Enough") -> tuple[Action, ...]:
        found = [each for each in (self._prefix(order, is_enough) for order in orders) if each]
        found = [self._pruned(each, is_enough) for each in found]
        return min(found, key=self._rank, default=())

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

    def _run(self, sets: Sequence[Sequence[Action]]) -> list[RightedErrors]:
        new = [each for each in dict.fromkeys(map(frozenset, sets)) if each not in self._known]
        nodes = [tuple(node for action in each for node in action.nodes) for each in new]
        self._known.update(zip(new, self.bench.run(nodes, [self.output, *self.inner], TOGETHER), strict=True))
        return [self._known[frozenset(each)] for each in sets]

    def _gained(self, found: RightedErrors) -> float:
        return gain_of(self.before.power(self.output), found.power(self.output))

    def _is_within(self, found: RightedErrors) -> bool:
        """Whether the output is within the limit, by what is more than half of its error."""
        return self._gained(found) >= MOST and found.error(self.output) <= CLEAN and self._is_so_inside(found)

    def _is_most(self, found: RightedErrors) -> bool:
        return self._gained(found) >= NEARLY_ALL and self._is_so_inside(found)

    def _is_so_inside(self, found: RightedErrors) -> bool:
        """Looks at what saturates as well: there, on few samples, a few nodes may bring an output back by chance."""
        names = self.inner
        return all(gain_of(self.before.power(name), found.power(name)) >= INSIDE for name in names)


def _without(actions: Sequence[Action], one: Action) -> tuple[Action, ...]:
    return tuple(each for each in actions if each is not one)
