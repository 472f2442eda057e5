"""Choice of the nodes that matter: those that bring the error of the outputs, those where it begins, then the other bad
ones.
"""

from collections.abc import Iterator

import numpy as np

from errorflow.explain.blame.front import ends
from errorflow.explain.blame.model import Blame, Verdict

# So many are looked at closely.
MOST = 5
_BAD = (Verdict.ORIGIN, Verdict.AMPLIFIER)


def nodes_that_matter(blame: Blame, most: int = MOST) -> tuple[int, ...]:
    """The most telling ones first. Of a good model only those that it names itself: the others may be left alone."""
    if blame.model.kind in ("good", "nothing"):
        return tuple(each.node for each in blame.model.top[:most])
    return tuple(dict.fromkeys(_wanted(blame)))[:most]


def _wanted(blame: Blame) -> Iterator[int]:
    yield from (each.node for each in blame.model.top)
    yield from ends(blame).tolist()
    for verdict in _BAD:
        found = np.flatnonzero(blame.verdicts == verdict)
        sizes = np.nan_to_num(blame.introduced[found], nan=-1.0, posinf=np.inf)
        yield from found[np.argsort(-sizes, kind="stable")].tolist()
