"""Who is to blame, by running the original's nodes once more where that can be done, estimated where it cannot."""

from dataclasses import replace
from pathlib import Path

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress
from errorflow.compare.match.model import Match
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, Side
from errorflow.explain.blame.combine import combine
from errorflow.explain.blame.estimate import estimate
from errorflow.explain.blame.exact import Bench, bench
from errorflow.explain.blame.model import Blame, ExactParts
from errorflow.explain.blame.tried import accused, gains_of
from errorflow.graph.model import Graph
from errorflow.run.ort import can_run

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
    known: ExactParts | None = None,
    progress: Progress = SILENT,
) -> tuple[Blame, str]:
    """The verdicts, and why all of them are estimates; "" if at least one node was run.

    `model` is the original; `graph` and `side` are as for `blame`. `known` was found by running it at another time.
    """
    found = estimate(graph, Placed.of(graph, comparison, side), comparison, progress=progress)
    if known is not None:
        return _answer(combine(found, known, progress=progress))
    if not can_run():
        return _estimated(found, _NOT_INSTALLED)
    try:
        with bench(model, graph, match, side=side, progress=progress) as ready:
            judged = _tried(found, ready, ready.parts(progress), progress)
    except ErrorflowError as error:
        return _estimated(found, error.message)
    return _answer(judged)


def _tried(found: Blame, ready: Bench, parts: ExactParts, progress: Progress) -> Blame:
    """Whoever is named is tried, and named no longer where that gains nothing; so are those who are named then."""
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
