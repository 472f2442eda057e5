"""Strategy of one part more at a time, the worst of the ranking first; where that fails, what is left is ranked
anew.
"""

import math
from collections.abc import Collection

import numpy as np

from errorflow.study.search.model import Tried
from errorflow.study.search.space import Space
from errorflow.study.search.steps import ProposedChoice, SearchKnowledge, Steps, Strategy


def _run(space: Space, known: SearchKnowledge) -> Steps:
    chosen: list[int] = []
    left = list(range(len(space)))
    loss, is_fresh = _loss(known.whole), False
    while left:
        together = left[: space.together]
        tried = yield [
            ProposedChoice(space.choice((*chosen, part)), f"with {space.parts[part].name}") for part in together
        ]
        best = min(range(len(together)), key=lambda at: (not tried[at].good, _loss(tried[at])))
        if tried[best].good:
            return
        # Right after a ranking it is the best there is, even where the measure does not see that.
        if _loss(tried[best]) <= loss or is_fresh:
            chosen.append(together[best])
            left.remove(together[best])
            loss, is_fresh = _loss(tried[best]), False
        else:
            left, is_fresh = _ranked(space, chosen, left), True


def _loss(tried: Tried) -> float:
    return math.inf if math.isnan(tried.loss) else tried.loss


def _ranked(space: Space, chosen: Collection[int], left: list[int]) -> list[int]:
    """Ranks those first that take most away from what is left of the errors."""
    powers = space.powers([space.choice((*chosen, part)) for part in left])
    order = np.argsort(powers.sum(axis=1), kind="stable")
    return [left[place] for place in order.tolist()]


GREEDY = Strategy(
    "greedy",
    "Greedy, with re-ranking",
    "Takes the worst part, evaluates, and goes on with the next; a part that makes it worse is given back, and what is "
    "left is ranked anew beside what was taken. It needs one evaluation per part of the set at least.",
    _run,
)
