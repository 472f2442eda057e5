"""Who is to blame for what `errorflow compare` found: where a file of the call holds the graph.

With --exact the nodes of the original model are run once more, and what they say replaces the estimate.
"""

from pathlib import Path

from errorflow.blame import blame, combine
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, Side
from errorflow.errors import ErrorflowError
from errorflow.findings.model import Findings
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.match.model import Match
from errorflow.match.plan import Asked
from errorflow.progress import Progress


def findings_of(
    asked: Asked, match: Match, comparison: Comparison, progress: Progress, *, exact: bool = False
) -> Findings | None:
    """The comparison on the graph, with verdicts; None where no graph is known, or nothing of it was measured."""
    graph = _graph(asked, progress)
    if graph is None:
        return None
    side = _side(graph, comparison)
    if side is None:
        return None
    found = blame(graph, comparison, side=side, progress=progress)
    if exact:
        from errorflow.blame.exact import exact_parts

        parts = exact_parts(_original(asked), graph, match, side=side, progress=progress)
        found = combine(found, parts, progress=progress)
    return Findings.of(graph, comparison, found, side)


def _original(asked: Asked) -> Path:
    """The model that can be run: `check` of the arguments has seen to it that there is one."""
    return Path(asked.reference if asked.model is None else asked.model)


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
