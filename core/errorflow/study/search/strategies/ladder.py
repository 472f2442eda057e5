"""Strategy from what is planned to 16 bits, and from there to float where that is not enough: what costs less comes
first.
"""

from collections.abc import Sequence

from errorflow.study.search.model import Choice, Tried
from errorflow.study.search.space import Space
from errorflow.study.search.steps import ProposedChoice, SearchKnowledge, Steps, Strategy, bisect, one


def _run(space: Space, known: SearchKnowledge) -> Steps:  # noqa: ARG001 - as every strategy is called
    count = len(space)
    if not count:
        return
    wide = yield from one(_choice(count, 0, count), "all in 16 bits")
    if wide.good:
        yield from bisect(
            space, 0, count, lambda k: ProposedChoice(_choice(count, 0, k), f"the {k:,} worst in 16 bits")
        )
        return
    if space.to != "float":
        return
    everything = yield from one(space.choice(range(count), "float"), "all in float")
    if not everything.good:
        return
    floats = yield from bisect(
        space,
        0,
        count,
        lambda k: ProposedChoice(_choice(count, k, count), f"the {k:,} worst in float, all others in 16 bits"),
    )
    yield from _lowered(space, count, floats)


def _lowered(space: Space, count: int, floats: int) -> Steps:
    """Searches with so many in float, as few as possible of the others in 16 bits."""
    found: Sequence[Tried] = yield (ProposedChoice(_choice(count, floats, floats), f"the {floats:,} worst in float"),)
    if not found[0].good:
        yield from bisect(
            space,
            floats,
            count,
            lambda k: ProposedChoice(
                _choice(count, floats, k), f"the {floats:,} worst in float, the next {k - floats:,} in 16 bits"
            ),
        )


def _choice(count: int, floats: int, wide: int) -> Choice:
    """Chooses so many of the ranking in float, and from there up to so many in 16 bits."""
    assert floats <= wide <= count
    return Choice.of({part: "float" if part < floats else 16 for part in range(wide)})


LADDER = Strategy(
    "ladder",
    "Ladder of precisions",
    "16 bits before float: first whether 16 bits are enough, then how few parts need float beside them, then how many "
    "of the others can stay as planned. Each step halves the ranking and takes for granted that more is never worse.",
    _run,
)
