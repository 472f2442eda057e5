"""Values of the user's own measure for each part, those first that matter most by the metrics."""

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np

from errorflow.base.progress import Progress
from errorflow.study.rank.model import Own
from errorflow.study.rank.partial_ranking import Board
from errorflow.study.rank.scoring import Scorer, floating
from errorflow.study.rank.switching import Switching

_TEXT = "Measuring by your own measure"


def score(
    board: Board,
    scorer: Scorer,
    switching: Switching,
    order: Callable[[], Sequence[int]],
    give: Callable[[], None],
    progress: Progress,
) -> None:
    """Asks the scorer once for each part and measure that is not known yet."""
    own = board.own
    if own is None or not _fits(own, board, scorer):
        own = _begun(board, scorer)
        board.put_own(own)
        give()
    total = sum(done.size for done in own.done.values())
    for measure in board.question.measures:
        for part in order():
            if not own.done[measure][part]:
                progress.step(sum(int(done.sum()) for done in own.done.values()), total, _TEXT)
                plan = switching.plan(measure, [board.parts[part]], board.question.to)
                own.values[measure][part] = scorer.score(plan)
                own.done[measure][part] = True
                give()


def _fits(own: Own, board: Board, scorer: Scorer) -> bool:
    """Whether what is known is of this scorer, and of all that is asked."""
    same = (own.label, own.higher_is_better, own.digest) == (scorer.label, scorer.higher_is_better, _digest(scorer))
    return same and set(board.question.measures) <= set(own.done)


def _begun(board: Board, scorer: Scorer) -> Own:
    count, measures = len(board.parts), board.question.measures
    return Own(
        scorer.label,
        scorer.higher_is_better,
        {measure: np.full(count, np.nan) for measure in measures},
        {measure: np.zeros(count, bool) for measure in measures},
        scorer.score(board.plan),
        scorer.score(floating(board.plan)),
        _digest(scorer),
    )


def _digest(scorer: Scorer) -> str:
    return blake2b(scorer.identity.encode(), digest_size=16).hexdigest()
