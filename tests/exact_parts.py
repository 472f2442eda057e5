"""What running each node once more finds, in one call."""

from pathlib import Path

from errorflow.blame.exact import bench
from errorflow.blame.model import ExactParts
from errorflow.graph.model import Graph
from errorflow.match.model import Match


def exact_parts(model: Path, graph: Graph, match: Match) -> ExactParts:
    with bench(model, graph, match) as ready:
        return ready.parts()
