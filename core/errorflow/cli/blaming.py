"""Who is to blame for what `errorflow compare` found: where a file of the call holds the graph."""

from pathlib import Path

from errorflow.blame import blame
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, Side
from errorflow.errors import ErrorflowError
from errorflow.findings.model import Findings
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.match.plan import Asked
from errorflow.progress import Progress


def findings_of(asked: Asked, comparison: Comparison, progress: Progress) -> Findings | None:
    """The comparison on the graph, with verdicts; None where no graph is known, or nothing of it was measured."""
    graph = _graph(asked, progress)
    if graph is None:
        return None
    side = _side(graph, comparison)
    if side is None:
        return None
    return Findings.of(graph, comparison, blame(graph, comparison, side=side, progress=progress), side)


def _graph(asked: Asked, progress: Progress) -> Graph | None:
    """Of the candidate as it was compiled, else of the original model, else of what was given as a run."""
    for path in (asked.fusion, asked.model, asked.quantization, asked.reference, asked.candidate):
        if path and Path(path).is_file():
            try:
                return read_model(path, progress).graph
            except ErrorflowError:  # what was enough to compare by need not be a graph
                continue
    return None


def _side(graph: Graph, comparison: Comparison) -> Side | None:
    """Whose names the graph's tensors have: the side by which more rows find their tensors."""
    sides: tuple[Side, Side] = ("candidate", "reference")
    found = {side: len(Placed.of(graph, comparison, side).rows) for side in sides}
    best = max(sides, key=lambda side: found[side])
    return best if found[best] else None
