"""The same weight in the other model: float against quantized, whichever of the two is on view."""

from functools import cached_property

import numpy as np

from errorflow.base.values import dataclass
from errorflow.compare.match.model import Pair
from errorflow.compare.match.quantized.ops import base_type
from errorflow.compare.match.quantized.places import QuantizedPlaces
from errorflow.explain.difference.model import Links, Side
from errorflow.explain.inspect.constants import SECOND, channels_of, constant_at, is_turned, place_in_float
from errorflow.explain.inspect.others import OtherWeight
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph

# Operators that compilers draw into the weights of the one before.
_NORM = "BatchNormalization"
_FOLDED = frozenset((_NORM, "Mul", "Add", "Sub", "Div"))
# Of a layout nothing is told but where the channels lie.
_CHANNELS, _OTHERS = "C", "abdefghij"


@dataclass(frozen=True, eq=False)
class OtherModel:
    """`side` is that of the model on view; `name` the other one's."""

    links: Links
    side: Side
    name: str

    def find(self, node: int, place: int) -> OtherWeight:
        here, there = self._graphs
        if not there.weights.names():
            return OtherWeight(f"{self.name} does not hold its weights.")
        at = place_in_float(here, node, place)
        mine = None if at is None else constant_at(here, node, at)
        other = self._partner(node)
        if other is None:
            return OtherWeight(f"No one node of {self.name} stands for this one.")
        theirs = None if at is None else constant_at(there, other, at)
        if mine is None or theirs is None:
            return OtherWeight(
                f"{there.title(other)} in {self.name} reads no constant there, or one that it works out."
            )
        if at == SECOND and is_turned(here, node) != is_turned(there, other):
            return OtherWeight(f"{there.title(other)} in {self.name} has it with both axes changed for each other.")
        reference, candidate = (mine, theirs) if self.side == "reference" else (theirs, mine)
        axis = channels_of(here, node, place)
        pair = Pair(
            here.tensor_names[int(here.node_inputs[node][place])],
            candidate,
            reference,
            node=there.title(other),
            op_type=there.op_types[other],
            layout=_layout(len(mine.info.shape), axis),
        )
        return OtherWeight(" ".join(self._said(node, other, theirs.info)), pair)

    @property
    def _graphs(self) -> tuple[Graph, Graph]:
        """The one on view, and the other."""
        links = self.links
        return (links.reference, links.candidate) if self.side == "reference" else (links.candidate, links.reference)

    def _partner(self, node: int) -> int | None:
        """The one partner that computes the same, with or without codes."""
        here, there = self._graphs
        kind = base_type(here.op_types[node])
        partners = self.links.partners(self.side, np.array([node], np.int32)).tolist()
        alike = [other for other in partners if base_type(there.op_types[other]) == kind]
        return alike[0] if len(alike) == 1 else self._by_place.get(node)

    @cached_property
    def _by_place(self) -> dict[int, int]:
        """Nodes by what flows through both models, where quantizing gave nodes and tensors other names."""
        links = self.links
        places = QuantizedPlaces.of(links.reference, links.candidate)
        makers = {tensor: int(links.candidate.producers[value]) for tensor, (value, _) in places.found.items()}
        found = {}
        for tensor, other in (*makers.items(), *places.inside.items()):
            node = int(links.reference.producers[tensor])
            kinds = (links.reference.op_types[node], links.candidate.op_types[other]) if min(node, other) >= 0 else ()
            if len({base_type(kind) for kind in kinds}) == 1:
                found[node] = other
        return found if self.side == "reference" else {other: node for node, other in found.items()}

    def _said(self, node: int, other: int, info: TensorInfo) -> list[str]:
        there = self._graphs[1]
        said = [f"Compared with {info.name} ({info.dtype}) of {there.title(other)} in {self.name}."]
        taken = self._taken_in(*((node, other) if self.side == "reference" else (other, node)))
        if taken:
            said.append(f"The candidate's node also stands for {taken}, so its weights may be other ones by intent.")
        return said

    def _taken_in(self, reference: int, candidate: int) -> str:
        """The reference's nodes that change weights when they are drawn into the candidate's node."""
        graph, links = self.links.reference, self.links
        partners = links.partners("candidate", np.array([candidate], np.int32)).tolist()
        behind = [reader for made in graph.node_outputs[reference][:1] for reader in graph.consumers[made].tolist()]
        if len(behind) == 1 and graph.op_types[behind[0]] == _NORM and not len(links.of_reference[behind[0]]):
            partners += behind
        return ", ".join(graph.title(node) for node in partners if graph.op_types[node] in _FOLDED)


def _layout(rank: int, axis: int | None) -> str:
    if axis is None or rank > len(_OTHERS):
        return ""
    return "".join(_CHANNELS if at == axis else _OTHERS[at] for at in range(rank))
