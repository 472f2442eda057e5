"""Where an error is born: what each node adds, what it only passes on, and what that says of the model."""

from errorflow.blame.combine import combine
from errorflow.blame.estimate import estimate
from errorflow.blame.model import Blame, ExactParts
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, Side
from errorflow.graph.model import Graph
from errorflow.progress import SILENT, Progress

__all__ = ["Blame", "ExactParts", "blame", "combine"]


def blame(graph: Graph, comparison: Comparison, *, side: Side = "candidate", progress: Progress = SILENT) -> Blame:
    """Who is to blame, estimated from the comparison alone; nothing is run.

    Whoever can run nodes hands what came of it to `combine(blame(…), parts)`, which replaces the estimate for the nodes
    that were run. `side` says whose names the tensors of the graph have.
    """
    return estimate(graph, Placed.of(graph, comparison, side), comparison, progress=progress)
