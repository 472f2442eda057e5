"""Who is to blame, by running the original's nodes once more where that can be done, estimated where it cannot."""

from dataclasses import replace
from pathlib import Path

from errorflow.blame.combine import combine
from errorflow.blame.estimate import estimate
from errorflow.blame.exact import exact_parts
from errorflow.blame.model import Blame, ExactParts
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, Side
from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph
from errorflow.match.model import Match
from errorflow.progress import SILENT, Progress
from errorflow.run.ort import can_run

_NOTHING_TO_READ = "none has all that it reads in the dumps."
_NOT_INSTALLED = "ONNX Runtime is not installed (`pip install errorflow[run]`)."


def blame_by_running(
    model: Path,
    graph: Graph,
    comparison: Comparison,
    match: Match,
    *,
    side: Side,
    known: ExactParts | None = None,
    progress: Progress = SILENT,
) -> tuple[Blame, str]:
    """The verdicts, and why all of them are estimates; "" if at least one node was run.

    `model` is the original; `graph` and `side` are as for `blame`. `known` was found by running it at another time.
    """
    found = estimate(graph, Placed.of(graph, comparison, side), comparison, progress=progress)
    if known is not None:
        return _combined(found, known, progress)
    if not can_run():
        return _estimated(found, _NOT_INSTALLED)
    try:
        parts = exact_parts(model, graph, match, side=side, progress=progress)
    except ErrorflowError as error:
        return _estimated(found, error.message)
    return _combined(found, parts, progress)


def _combined(found: Blame, parts: ExactParts, progress: Progress) -> tuple[Blame, str]:
    judged = replace(combine(found, parts, progress=progress), ran=parts)
    return (judged, "") if parts.exact.any() else _estimated(judged, _NOTHING_TO_READ)


def _estimated(found: Blame, why: str) -> tuple[Blame, str]:
    return replace(found, why=why), why
