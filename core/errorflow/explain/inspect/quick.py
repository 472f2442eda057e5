"""A match on a graph before anything was measured: all that a look at one tensor needs to find the others."""

from dataclasses import replace

from errorflow.compare.match.model import Match
from errorflow.compare.measure import unmeasured
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, behind
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph


def quick_findings(graph: Graph, match: Match) -> Findings:
    """Findings without a number. Tensors that no run holds stand for those behind, as if these were measured."""
    comparison = Comparison(tuple(unmeasured(pair) for pair in match.pairs))
    mine, golden = Placed.of(graph, comparison, "candidate"), Placed.of(graph, comparison, "reference")
    by_reference = len(golden.about) > len(mine.about)
    placed = golden if by_reference else mine
    known = {number for number, pair in enumerate(match.pairs) if pair.rule}
    tensors = [tensor for tensor, numbers in placed.about.items() if not known.isdisjoint(numbers)]
    placed = replace(placed, behind=behind(graph, tensors))
    return Findings(graph, comparison, placed, "reference" if by_reference else "candidate")


def tensor_at(findings: Findings, number: int) -> int | None:
    """The graph's tensor that a pair is about, by the pair's place in the match; None: it is about none."""
    about = findings.placed.about.items()
    return next((tensor for tensor, numbers in about if number in numbers), None)
