"""A case on the graph of another file, such as the one that a picture is made of."""

from dataclasses import replace

from errorflow.base.progress import SILENT, Progress
from errorflow.case.model import Case
from errorflow.compare.placed import side_of
from errorflow.explain.blame.estimate import blame
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph


def findings_on(case: Case, graph: Graph, progress: Progress = SILENT) -> Findings | None:
    """Lays findings on the graph, with the verdicts of the case if it is the same graph, else estimated; None: no
    comparison.
    """
    found = case.findings
    if found is None or found.graph is graph:
        return found
    if _is_same(found.graph, graph):
        verdicts = None if found.blame is None else replace(found.blame, graph=graph)
        return Findings.of(graph, found.comparison, verdicts, found.side)
    side = side_of(graph, found.comparison)
    return Findings.of(graph, found.comparison, blame(graph, found.comparison, side=side, progress=progress), side)


def _is_same(one: Graph, other: Graph) -> bool:
    return one.node_names == other.node_names and one.tensor_names == other.tensor_names
