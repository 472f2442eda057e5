"""What running each node once more finds, in one call."""

from pathlib import Path

from errorflow.compare.match.model import Match
from errorflow.explain.blame.exact import bench
from errorflow.explain.blame.model import ExactParts
from errorflow.graph.model import Graph


def exact_parts(model: Path, graph: Graph, match: Match) -> ExactParts:
    with bench(model, graph, match) as ready:
        return ready.parts()
