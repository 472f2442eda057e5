"""Links while they are found."""

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.explain.difference.model import Links
from errorflow.explain.difference.rules import RULE_CODE
from errorflow.graph.model import Graph


class Found:
    """Both graphs, and what is known so far of who belongs to whom."""

    def __init__(self, reference: Graph, candidate: Graph) -> None:
        self.reference = reference
        self.candidate = candidate
        # For each node its partners, in the order in which they were found.
        self.of_reference: dict[int, list[int]] = {}
        self.of_candidate: dict[int, list[int]] = {}
        self._rules: dict[tuple[int, int], int] = {}

    def add(self, reference: int, candidate: int, rule: str) -> None:
        if (reference, candidate) not in self._rules:
            self._rules[reference, candidate] = RULE_CODE[rule]
            self.of_reference.setdefault(reference, []).append(candidate)
            self.of_candidate.setdefault(candidate, []).append(reference)

    def are_free(self, reference: int, candidate: int) -> bool:
        """Whether neither has a partner."""
        return reference not in self.of_reference and candidate not in self.of_candidate

    def free_candidates(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        return _free(self.of_candidate, len(self.candidate))

    def free_references(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        return _free(self.of_reference, len(self.reference))

    def links(self) -> Links:
        ends = np.array(list(self._rules), np.int32).reshape(-1, 2)
        rules: Ints = np.array(list(self._rules.values()), np.int32)
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        return Links(self.reference, self.candidate, ends[order, 0], ends[order, 1], rules[order])


def _free(partners: dict[int, list[int]], count: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    free = np.ones(count, bool)
    free[list(partners)] = False
    return free
