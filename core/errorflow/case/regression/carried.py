"""Findings of another session on the graph on view: by names, and where these differ by place."""

from collections.abc import Mapping

import numpy as np

from errorflow.base import SILENT, Progress, dataclass, field, replace
from errorflow.base.arrays import Ints, frozen
from errorflow.case.scenarios.chain import is_chain
from errorflow.compare.model import Comparison, Row
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph


@dataclass(frozen=True, eq=False)
class Gone:
    """A tensor that was measured before, and that the model has no more."""

    name: str
    # Of the other graph; -1: no node makes it.
    node: int
    row: Row


@dataclass(frozen=True, eq=False)
class Carried(Findings):
    """`Findings` whose rows were found on another graph. Verdicts stay there: they are asked for by `was`."""

    home: Findings | None = None
    # For each node of this graph the one of the other; -1: it has none.
    nodes: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    # By tensor of this graph, what it was called there.
    renamed: Mapping[int, str] = field(default_factory=dict)
    gone: tuple[Gone, ...] = ()
    # Tensors that were measured in another form only, behind nodes that convert: they are painted, not listed.
    forms: frozenset[int] = frozenset()

    def was(self, node: int) -> str:
        """The verdict on a node there; "": there was none."""
        blame = None if self.home is None else self.home.blame
        other = int(self.nodes[node]) if 0 <= node < len(self.nodes) else -1
        return "" if blame is None or other < 0 else blame.word(other)


def carried(before: Findings, graph: Graph, progress: Progress = SILENT) -> Carried:
    """The same findings on another graph of the same model."""
    tensors = _tensors(before, graph, progress)
    rows, gone = [], []
    for tensor in _told(before):
        number = before.row(tensor)
        if number is None:
            continue
        row, other = before.comparison.rows[number], int(tensors[tensor])
        name = before.graph.tensor_names[tensor]
        if other >= 0:
            rows.append(replace(row, tensor=graph.tensor_names[other]))
        elif row.values and tensor in before.placed.about:
            gone.append(Gone(name, int(before.graph.producers[tensor]), row))
    comparison = Comparison(tuple(rows), before.comparison.measure, before.comparison.scales)
    plain = Findings.of(graph, comparison)
    there = np.flatnonzero(tensors >= 0).tolist()
    names = {int(tensors[each]): before.graph.tensor_names[each] for each in there}
    renamed = {other: name for other, name in names.items() if graph.tensor_names[other] != name}
    return Carried(
        graph,
        comparison,
        plain.placed,
        plain.side,
        name=before.name,
        home=before,
        nodes=_nodes(before.graph, graph, tensors),
        renamed=renamed,
        gone=tuple(gone),
        forms=frozenset(int(tensors[each]) for each in before.placed.behind if tensors[each] >= 0),
    )


def _told(before: Findings) -> list[int]:
    """The tensors of which something is known, or why nothing is."""
    return sorted({*before.placed.about, *before.placed.behind})


def _tensors(before: Findings, graph: Graph, progress: Progress) -> Ints:
    """Maps each tensor of the other graph to the one of this graph; -1: none."""
    names = before.graph.tensor_names
    same = [graph.tensor_index(name) if name else None for name in names]
    found = np.array([-1 if tensor is None else tensor for tensor in same], np.int32)
    lost = [tensor for tensor in _told(before) if found[tensor] < 0]
    if lost and not is_chain(graph) and not is_chain(before.graph):
        _link(before.graph, graph, found, progress)
    return frozen(found)


def _link(before: Graph, graph: Graph, found: Ints, progress: Progress) -> None:
    """Fills in what nodes make that belong together under other names."""
    from errorflow.explain.difference.link import (
        link,  # the window lists changes, and is not to wait for it at its start
    )

    taken = np.zeros(len(graph.tensor_names), bool)
    taken[found[found >= 0]] = True
    links = link(before, graph, progress=progress)
    for old, new in zip(*(ends.tolist() for ends in links.pairs), strict=True):
        ours, others = before.node_outputs[old].tolist(), graph.node_outputs[new].tolist()
        if len(ours) != len(others):
            continue
        for tensor, other in zip(ours, others, strict=True):
            if tensor >= 0 and other >= 0 and found[tensor] < 0 and not taken[other]:
                found[tensor], taken[other] = other, True


def _nodes(before: Graph, graph: Graph, tensors: Ints) -> Ints:
    """Nodes belong together that make the same tensors."""
    found = np.full(len(graph), -1, np.int32)
    there = np.flatnonzero(tensors >= 0)
    old, new = before.producers[there], graph.producers[tensors[there]]
    made = (old >= 0) & (new >= 0)
    found[new[made][::-1]] = old[made][::-1]  # of several tensors the first counts
    return frozen(found)
