"""Blame by running the original's nodes once more where that can be done, estimated where it cannot."""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress
from errorflow.compare.match.model import Match
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, Side
from errorflow.explain.blame.by_rebuilding import rebuilt_shares
from errorflow.explain.blame.by_splicing import bad_ends, spliced_shares
from errorflow.explain.blame.combine import combine
from errorflow.explain.blame.estimate import estimate
from errorflow.explain.blame.exact import ExactBench, NodeWork, bench
from errorflow.explain.blame.limits import CLEAN
from errorflow.explain.blame.model import Blame, ExactParts, ModelVerdict, Switched
from errorflow.graph.model import Graph, Model
from errorflow.run.ort import can_run

_log = logging.getLogger(__name__)
# So many of the named nodes are computed in float64, of so many bytes; onnx's own definitions of some are loops.
JUDGED, LARGEST = 3, 16 << 20
SLOW = frozenset(("Conv", "ConvTranspose", "LSTM", "GRU", "RNN", "MaxPool", "AveragePool", "Resize"))
_NOTHING_TO_READ = "none has all that it reads in the dumps."
_NOT_INSTALLED = "ONNX Runtime is not installed (`pip install errorflow[run]`)."


def blame_by_running(
    model: Path,
    graph: Graph,
    comparison: Comparison,
    match: Match,
    *,
    side: Side,
    candidate: Callable[[], Model] | None = None,
    known: ExactParts | None = None,
    progress: Progress = SILENT,
) -> tuple[Blame, str]:
    """The verdicts, and why all of them are estimates; "" if at least one node was run.

    `model` is the original; `graph` and `side` are as for `blame`. `candidate` reads the other model, where that can be
    run as well. `known` was found by running it at another time.
    """
    found = estimate(graph, Placed.of(graph, comparison, side), comparison, progress=progress)
    if known is not None:
        return _answer(combine(found, known, progress=progress))
    if not can_run():
        return _estimated(found, _NOT_INSTALLED)
    try:
        with bench(model, graph, match, side=side, progress=progress) as ready:
            judged = _judged(model, candidate, found, ready, progress)
    except ErrorflowError as error:
        return _estimated(found, error.message)
    return _answer(judged)


def _judged(
    model: Path, candidate: Callable[[], Model] | None, found: Blame, ready: ExactBench, progress: Progress
) -> Blame:
    """Judges by what is gone when nodes are put right: in the candidate where that can be run, else in what is rebuilt
    of its dumps; where neither is the case, by following the error back.
    """
    parts = ready.parts(progress)
    judged = combine(found, parts, progress=progress)
    if not bad_ends(judged):
        return judged
    ways = [lambda: rebuilt_shares(model, ready, judged, progress)]
    if candidate is not None:
        ways.insert(0, lambda: spliced_shares(model, candidate, ready.plan, judged, progress))
    for way in ways:
        if switched := _switched(way):
            parts = replace(parts, switched=switched)
            judged = combine(found, parts, progress=progress)
            break
    off = _of_original(judged.model, ready, progress)
    return combine(found, replace(parts, off=off), progress=progress) if off else judged


def _of_original(verdict: ModelVerdict, ready: ExactBench, progress: Progress) -> dict[int, tuple[float, float]]:
    """Computes in float64 what is said to be wrong: the reference's kernel may be the one that is."""
    named = verdict.remedy.nodes if verdict.remedy is not None else [each.node for each in verdict.top[:1]]
    found: dict[int, tuple[float, float]] = {}
    for work in (work for node in named[:JUDGED] for work in ready.plan.work_of(node) if isinstance(work, NodeWork)):
        types = frozenset[str]() if work.way is None else ready.plan.original.types_of(work.way.made)
        if types.isdisjoint(SLOW) and work.size <= LARGEST:
            errors = ready.errors(work, progress)
            if errors is not None and errors[0] > max(CLEAN, errors[1]):
                found[work.node] = errors
    return found


def _switched(find: Callable[[], dict[int, Switched]]) -> dict[int, Switched]:
    """Finds what is gained; nothing where nodes of the two do not fit together."""
    try:
        return find()
    except ErrorflowError as error:
        _log.info("no node could be put right: %s", error.message)
        return {}


def _answer(judged: Blame) -> tuple[Blame, str]:
    assert judged.ran is not None
    return (judged, "") if judged.ran.exact.any() else _estimated(judged, _NOTHING_TO_READ)


def _estimated(found: Blame, why: str) -> tuple[Blame, str]:
    return replace(found, why=why), why
