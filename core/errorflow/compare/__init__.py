"""Two runs, tensor by tensor: what every metric says, or a note why none can say anything."""

from errorflow.compare.measure import measure_pair
from errorflow.compare.model import Comparison, Row
from errorflow.dump import Dump
from errorflow.match.by_name import match_by_name
from errorflow.match.model import Match
from errorflow.progress import SILENT, Progress

__all__ = ["Comparison", "Row", "compare", "compare_match"]


def compare(reference: Dump, candidate: Dump, progress: Progress = SILENT) -> Comparison:
    """Pairs the tensors of both runs by their names and measures each pair."""
    return compare_match(match_by_name(reference, candidate), progress)


def compare_match(match: Match, progress: Progress = SILENT) -> Comparison:
    """Measures each pair; two tensors are in memory at a time."""
    rows = []
    for at, pair in enumerate(match.pairs):
        progress.step(at, len(match.pairs), pair.tensor)
        rows.append(measure_pair(pair))
    progress.step(len(rows), len(rows), "")
    return Comparison(tuple(rows))
