"""Blame by running the original's nodes once more where that can be done, estimated where it cannot."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress, stepwise
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, Side
from errorflow.explain.blame.by_splicing import spliced_shares
from errorflow.explain.blame.combine import combine
from errorflow.explain.blame.estimate import estimate
from errorflow.explain.blame.exact import ExactBench, NodeWork, bench, prepare
from errorflow.explain.blame.limits import ACCUSED
from errorflow.explain.blame.model import Blame, ExactParts
from errorflow.explain.blame.verdict import spared
from errorflow.graph.model import Graph, Model
from errorflow.run.model import Array
from errorflow.run.ort import can_run
from errorflow.run.replay import ReplayedNodes

_log = logging.getLogger(__name__)
# Who is named where others were acquitted is tried as well; so many nodes at most.
ROUNDS = 3
TRIALS = 10
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
            parts = ready.parts(progress)
            righted = None if candidate is None else _righted(model, candidate, found, ready, parts, progress)
            judged = _tried(found, ready, parts, progress) if righted is None else righted
    except ErrorflowError as error:
        return _estimated(found, error.message)
    return _answer(judged)


def _righted(
    model: Path, candidate: Callable[[], Model], found: Blame, ready: ExactBench, parts: ExactParts, progress: Progress
) -> Blame | None:
    """Judges by what is gone with nodes of the original in the candidate's place; None: the two do not fit so well."""
    judged = combine(found, parts, progress=progress)
    try:
        switched = spliced_shares(model, candidate, ready.plan, judged, progress=progress)
    except ErrorflowError as error:
        _log.info("the two models could not be run as one: %s", error.message)
        return None
    return combine(found, replace(parts, switched=switched), progress=progress) if switched else None


def _tried(found: Blame, ready: ExactBench, parts: ExactParts, progress: Progress) -> Blame:
    """Tries the named nodes: one that gains nothing is named no longer; so are those that are named then."""
    judged, asked = combine(found, parts, progress=progress), set[int]()
    for _ in range(ROUNDS):
        named = dict(list(accused(judged, asked).items())[: TRIALS - len(asked)])
        if not named:
            break
        asked |= named.keys()
        try:
            gains = gains_of(ready, named, progress)
        except ErrorflowError:  # what running the nodes found stays
            break
        parts = replace(parts, gains={**parts.gains, **gains})
        judged = combine(found, parts, progress=progress)
    return judged


def _answer(judged: Blame) -> tuple[Blame, str]:
    assert judged.ran is not None
    return (judged, "") if judged.ran.exact.any() else _estimated(judged, _NOTHING_TO_READ)


def _estimated(found: Blame, why: str) -> tuple[Blame, str]:
    return replace(found, why=why), why


# The accused are tried: what goes away at an output when what one node makes is made right.
#
# The original runs twice from the node's output on: from what the candidate made, and from what the original makes of
# the same inputs; what is read beside it is the candidate's, whose nodes behind are taken for the original's.
#
# gain = 1 − |made right − reference|² / |as it is − reference|²

# What the candidate has, and what is right for its inputs.
_Sides = tuple[Array, Array]


def accused(judged: Blame, asked: Collection[int]) -> dict[int, list[int]]:
    """Nodes that bring a good part of the error of a bad output as it is said, each with these outputs.

    Without those whose outputs are no evidence: they are to blame for what their readers see, or for how they read.
    """
    evidence = judged.evidence
    assert evidence is not None
    others = {*asked, *evidence.slots.readers[evidence.slots.made < 1].tolist(), *np.flatnonzero(evidence.proven)}
    found: dict[int, list[int]] = {}
    for tensor, verdict in judged.model.outputs:
        for each in verdict.top:
            if each.share >= ACCUSED and each.node not in others:
                found.setdefault(each.node, []).append(tensor)
    if judged.model.output >= 0:
        for node in spared(judged.graph, evidence) - others:
            found.setdefault(node, [judged.model.output])
    return found


def gains_of(bench: ExactBench, named: Mapping[int, Sequence[int]], progress: Progress) -> dict[int, float]:
    """Maps nodes to their largest gain at any of these outputs, without nodes that could not be tried at all of
    them.
    """
    works = [work for node in named for work in bench.plan.work_of(node) if isinstance(work, NodeWork)]
    made: dict[int, dict[str, _Sides]] = {}
    for work, result in zip(works, bench.made(works, progress), strict=True):
        if not isinstance(result, str):
            both, again = result
            if np.array_equal(
                both.mine, again, equal_nan=True
            ):  # its weights may have been read from the candidate as well
                continue
            made.setdefault(work.node, {})[work.name] = both.mine, again.astype(both.mine.dtype)
    found: dict[int, float] = {}
    for node in stepwise(made, progress, "Trying the named nodes"):
        pairs = [bench.plan.pair_of(end) for end in named[node]]
        gains = [np.nan if pair is None else _gain(bench, node, made[node], pair, progress) for pair in pairs]
        if not np.isnan(gains).any():
            found[node] = max(gains)
    return found


def _gain(bench: ExactBench, node: int, made: Mapping[str, _Sides], end: Pair, progress: Progress) -> float:
    """NaN: it cannot be tried."""
    work = bench.plan.onward(node, made.keys(), end)
    prepared = "" if work is None else prepare(work, bench.values)
    if work is None or isinstance(prepared, str):
        return np.nan
    fed, both = prepared
    if work.way is None:
        return _gained(made[work.name], both.golden)
    each = ({name: sides[at] for name, sides in made.items()} for at in (0, 1))
    runs = [ReplayedNodes(work.way.made, {**fed, **own}, (work.name,), work.types) for own in each]
    answers = bench.runner.run(runs, progress)
    ends = [answer[work.name] for answer in answers if not isinstance(answer, str)]
    return _gained(ends, both.golden) if len(ends) == len(runs) else np.nan


def _gained(ends: Sequence[Array], golden: Array) -> float:
    if any(end.size != golden.size for end in ends):
        return np.nan
    with np.errstate(all="ignore"):
        # A dump may have the output in another shape than the model.
        differences = (np.subtract(end.reshape(golden.shape), golden, dtype=np.float64) for end in ends)
        before, after = (np.square(each).sum() for each in differences)
    if not np.isfinite(before + after):
        return np.nan
    return float(1 - after / before) if before else 0.0
