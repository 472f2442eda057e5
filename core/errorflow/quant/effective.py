"""Effective precisions: what was wished of nodes and what they compute in, in words; and what a switch does to
tensors.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned, Vote
from errorflow.quant.operators import MOVING
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.switching import Kept, Pair, SwitchFacts, facts_of, kept_of, overrides, units

# So many tensors or nodes are named in a sentence.
NAMED = 3
_NOTHING = "nothing of it can be quantized"


@dataclass(frozen=True, slots=True)
class NodeState:
    """Wish for a node, and what it computes in."""

    requested: str
    effective: str
    # Why these are not the same, and what else is to be known.
    why: tuple[str, ...] = ()
    # Whether somebody switched it away from what is planned.
    switched: bool = False


@dataclass(frozen=True, eq=False)
class PlannedPrecisions:
    """Precisions of all nodes of a graph under a plan."""

    graph: Graph
    plan: Plan
    assigned: Assigned

    def state(self, node: int) -> NodeState:
        pair = self.switches.get(node)
        asked = self._asked(node)
        if not self._facts.flows[node] and pair is None:
            return NodeState(asked, self.text(node), ())
        why = tuple(dict.fromkeys((*self._reasons(node), *self._more(node))))
        return NodeState(asked, self.text(node), why, pair is not None)

    @cached_property
    def _facts(self) -> SwitchFacts:
        return facts_of(self.graph)

    @cached_property
    def switches(self) -> dict[int, Pair]:
        """The nodes that were switched away from what is planned."""
        return dict(overrides(self.graph, self.plan))

    @cached_property
    def kept(self) -> NDArray[np.uint8]:
        """A `Kept` by node, 0 where it is as planned."""
        found = np.zeros(len(self.graph), np.uint8)
        for node, pair in self.switches.items():
            found[node] = kept_of(pair) or 0
        for node in self._freed:
            found[node] = Kept.FLOAT
        return found

    @cached_property
    def _freed(self) -> list[int]:
        """The nodes that compute in float and that single tensors were put to float for, though no rule names them."""
        graph = self.graph
        single = {graph.tensor_index(name) for name, wish in self.plan.tensors if wish == FLOAT} - {None}
        if not single:
            return []
        return [
            node
            for node, text in enumerate(self.texts)
            if text == FLOAT and node not in self.switches and not single.isdisjoint(self._facts.tensors(node))
        ]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Texts on what each node computes in; "": nothing of it can be quantized."""
        return tuple(self._text(node) for node in range(len(self.graph)))

    def told(self, node: int) -> str:
        """Writes for a tooltip what the node computes in, and the wish where that is something else; "": nothing."""
        text = self.texts[node]
        if not text:
            return ""
        asked = self._asked(node)
        return f"{text} – asked for: {asked}" if asked.split(",")[0].split(" ")[0] != text.split(",")[0] else text

    def text(self, node: int) -> str:
        found = self._text(node)
        return found if found else _NOTHING

    def _text(self, node: int) -> str:
        """Such as `int8`, `int8 → float`, `uint8, weights int16`."""
        if not self._facts.flows[node]:
            return ""
        read, made = (_types(self.assigned, tensors) for tensors in (self._facts.read[node], self._facts.made[node]))
        if not read and not made:
            return ""
        flows = read if not made or read == made else made if not read else f"{read} → {made}"
        weight = self._facts.weights[node]
        if weight is None:
            return flows
        coded = self.assigned.constants.get(weight)
        of_weights = FLOAT if coded is None else coded.precision.dtype
        return flows if _bits(of_weights) == _bits(flows) else f"{flows}, weights {of_weights}"

    def _asked(self, node: int) -> str:
        pair, (activations, weights) = self.switches.get(node), self.assigned.wishes[node]
        if pair is None and self._moves(node):
            return "as those that read it"
        if activations is None and weights is None:
            return "float: the plan leaves it out" if self._facts.flows[node] else _NOTHING
        text = _asked_text(activations)
        if self._facts.weights[node] is not None and _asked_text(weights) != text:
            text += f", weights {_asked_text(weights)}"
        return text + (" (switched)" if pair is not None else "")

    def _reasons(self, node: int) -> Iterator[str]:
        """Yields why the tensors of a node are not as was wished."""
        activations, weights = self.assigned.wishes[node]
        if self._moves(node) and node not in self.switches:
            yield "It only moves values, and does as those that read them."
            return
        for tensor in (*self._facts.read[node], *self._facts.made[node]):
            found = self.assigned.activations.get(tensor)
            if not _alike(activations, found):
                yield self._why(node, tensor, activations, found)
        weight = self._facts.weights[node]
        if weight is not None:
            coded = self.assigned.constants.get(weight)
            found = None if coded is None else coded.precision
            if not _alike(weights, found):
                yield self._why(node, weight, weights, found)

    def _why(self, node: int, tensor: int, asked: Vote, found: Precision | None) -> str:
        name = self.graph.tensor_names[tensor]
        if name in self._single:
            return f"The plan sets {name} apart."
        others = self._who_wants(node, tensor, found)
        if others:
            wish = FLOAT if found is None else found.dtype
            verb = "wants" if len(others) == 1 else "want"
            return f"{self._named(others)} {verb} {wish}, and {name} is theirs too."
        if found is None and asked is not None:
            return f"{name} has no real numbers, or nobody who reads it is quantized."
        return f"{name} stays as it was quantized." if self.plan.coded is not None else f"{name} is shared."

    def _who_wants(self, node: int, tensor: int, found: Precision | None) -> list[int]:
        """The other nodes of the tensor that ask for what it is."""
        maker = int(self.graph.producers[tensor])
        around = [maker] if maker >= 0 else []
        around += self.graph.consumers[tensor].tolist()
        place = 1 if tensor == self._facts.weights[node] else 0
        wishes = ((other, self.assigned.wishes[other][place]) for other in dict.fromkeys(around) if other != node)
        return [other for other, wish in wishes if wish is not None and _alike(wish, found)]

    def _more(self, node: int) -> Iterator[str]:
        bias = self.assigned.biases.get(node)
        if bias is not None:
            yield f"Its bias {self.graph.tensor_names[bias.bias]} has codes of 32 bits."
        found = units(self.graph)
        others = [other for other in found.nodes[int(found.of[node])].tolist() if other != node]
        if others:
            yield f"It is switched together with {self._named(others)}."

    def _named(self, nodes: Sequence[int]) -> str:
        return listed([self.graph.title(node) for node in nodes], "nodes")

    @cached_property
    def _single(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.plan.tensors)

    def _moves(self, node: int) -> bool:
        return self.graph.op_types[node] in MOVING


def frees(graph: Graph, before: Assigned, after: Assigned) -> str:
    """A sentence on the tensors that another plan leaves in float, codes, or codes in another type."""
    parts = []
    for verb, tensors in (
        ("frees", before.coded - after.coded),
        ("codes", after.coded - before.coded),
        ("changes", {t for t in before.coded & after.coded if _how(before, t) != _how(after, t)}),
    ):
        flows = sorted(tensor for tensor in tensors if tensor in before.activations or tensor in after.activations)
        constants = len(tensors) - len(flows)
        said = [_tensors_text(graph, flows)] if flows else []
        said += [f"{constants:,} {'weight' if constants == 1 else 'weights'}"] if constants else []
        if said:
            parts.append(f"{verb} {'; '.join(said)}")
    if not parts:
        return "Changes nothing: no tensor is coded in another way."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def listed(names: Sequence[str], kind: str) -> str:
    """The first of them by name, and how many more there are."""
    shown = [short(name) for name in names[:NAMED]]
    if len(names) <= NAMED:
        return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{', '.join(shown)} and {len(names) - NAMED:,} other {kind}"


def short(name: str) -> str:
    """Shortens a very long name to its end, which tells it from others."""
    return name if len(name) <= 48 else f"…{name[-47:]}"


def _tensors_text(graph: Graph, tensors: Sequence[int]) -> str:
    count = "1 tensor" if len(tensors) == 1 else f"{len(tensors):,} tensors"
    return f"{count}: {listed([graph.tensor_names[tensor] for tensor in tensors], 'tensors')}"


def _how(assigned: Assigned, tensor: int) -> object:
    found = assigned.activations.get(tensor)
    return assigned.constants.get(tensor) if found is None else found


def _types(assigned: Assigned, tensors: Iterable[int]) -> str:
    found = (assigned.activations.get(tensor) for tensor in tensors)
    return "/".join(dict.fromkeys(FLOAT if how is None else how.dtype for how in found))


def _bits(text: str) -> str:
    return text.removeprefix("u")


def _asked_text(wish: Vote) -> str:
    return wish.text if isinstance(wish, Precision) else FLOAT


def _alike(asked: Vote, found: Precision | None) -> bool:
    if not isinstance(asked, Precision):
        return found is None
    return found is not None and asked.bits == found.bits
