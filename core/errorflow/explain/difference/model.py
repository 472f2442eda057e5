"""Links between the nodes of two graphs, as arrays over both."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.values import dataclass
from errorflow.compare.match.rules import MatchRule
from errorflow.explain.difference.operators import BORDERS
from errorflow.explain.difference.rules import LINK_RULES
from errorflow.graph.model import Graph

Side = Literal["reference", "candidate"]
Kind = Literal["merged", "split", "regrouped", "changed", "inserted", "removed"]


@dataclass(frozen=True, slots=True)
class DifferenceWords:
    """`label` is one such difference, `many` several; `why` what it is."""

    label: str
    many: str
    why: str


# In the order of what is to be seen first.
KINDS: Mapping[Kind, DifferenceWords] = {
    "merged": DifferenceWords("merged", "merged", "Several nodes of the reference are one node of the candidate."),
    "split": DifferenceWords("split", "split", "One node of the reference is several nodes of the candidate."),
    "regrouped": DifferenceWords(
        "regrouped", "regrouped", "Several nodes of the reference are several of the candidate."
    ),
    "changed": DifferenceWords("changed", "changed", "A node has its partner, and is not the same any more."),
    "inserted": DifferenceWords("inserted", "inserted", "Only the candidate has the node."),
    "removed": DifferenceWords("removed", "removed", "Only the reference has the node."),
}


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes that belong together, more than one on at least one side."""

    reference: tuple[int, ...]
    candidate: tuple[int, ...]

    @property
    def kind(self) -> Kind:
        if len(self.candidate) == 1:
            return "merged"
        return "split" if len(self.reference) == 1 else "regrouped"


@dataclass(frozen=True, eq=False)
class Links:
    """`sources[i]` of the reference belongs to `targets[i]` of the candidate by the rule `rules[i]`."""

    reference: Graph
    candidate: Graph
    sources: Ints
    targets: Ints
    rules: Ints

    @cached_property
    def of_reference(self) -> Ragged:
        """Partners of each node of the reference."""
        return Ragged.grouped(self.sources, self.targets, len(self.reference))

    @cached_property
    def of_candidate(self) -> Ragged:
        """Partners of each node of the candidate."""
        return Ragged.grouped(self.targets, self.sources, len(self.candidate))

    def partners(self, side: Side, nodes: Ints) -> Ints:
        """Finds all partners of some nodes of one side, in file order."""
        ragged = self.of_reference if side == "reference" else self.of_candidate
        found = [ragged[node] for node in nodes.tolist()]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int32)

    def unmatched(self, side: Side) -> NDArray[np.bool_]:
        """Marks the nodes of a side that lack a partner; what only stands for a border of the graph needs none."""
        ragged = self.of_reference if side == "reference" else self.of_candidate
        types = (self.reference if side == "reference" else self.candidate).op_types
        inner = np.array([value not in BORDERS for value in types.values], bool)
        alone: NDArray[np.bool_] = np.diff(ragged.starts) == 0
        return alone & inner[types.codes] if len(inner) else alone

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """Nodes that have just each other."""
        alone = (np.diff(self.of_reference.starts)[self.sources] == 1) & (
            np.diff(self.of_candidate.starts)[self.targets] == 1
        )
        return self.sources[alone], self.targets[alone]

    @cached_property
    def groups(self) -> tuple[NodeGroup, ...]:
        """Groups of all other nodes that have partners, in the order of the candidate's file."""
        ones = np.zeros(len(self.candidate), bool)
        ones[self.pairs[1]] = True
        seen = np.zeros(len(self.candidate), bool)
        found = []
        partnered = np.diff(self.of_candidate.starts) > 0
        for node in np.flatnonzero(~ones & partnered).tolist():
            if not seen[node]:
                group = self._around(node)
                seen[list(group.candidate)] = True
                found.append(group)
        return tuple(found)

    def rule(self, reference: int, candidate: int) -> MatchRule | None:
        """Finds the rule that brought two nodes together; None: nothing did."""
        keys, rules = self._rule_of
        end = reference * len(self.candidate) + candidate
        place = int(np.searchsorted(keys, end, "right")) - 1
        return LINK_RULES[int(rules[place])] if place >= 0 and keys[place] == end else None

    @cached_property
    def _rule_of(self) -> tuple[NDArray[np.int64], Ints]:
        """Ends of each link as one number, in order, and the rules that go with them."""
        keys = self.sources.astype(np.int64) * len(self.candidate) + self.targets
        order = np.argsort(keys, kind="stable")
        return keys[order], self.rules[order]

    def _around(self, node: int) -> NodeGroup:
        """Finds all that is linked with a node of the candidate, however many steps away."""
        mine, theirs, fresh = {node}, set[int](), [node]
        while fresh:
            new = {r for c in fresh for r in self.of_candidate[c].tolist()} - theirs
            theirs |= new
            fresh = list({c for r in new for c in self.of_reference[r].tolist()} - mine)
            mine.update(fresh)
        return NodeGroup(tuple(sorted(theirs)), tuple(sorted(mine)))
