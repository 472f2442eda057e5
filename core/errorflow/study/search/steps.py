"""Strategy: it proposes choices to be evaluated, and gets their results."""

from collections.abc import Callable, Generator, Sequence

from errorflow.base.values import dataclass
from errorflow.study.search.model import Choice, Tried
from errorflow.study.search.space import Space


@dataclass(frozen=True, slots=True)
class ProposedChoice:
    """A choice, and why it is of interest, in words."""

    choice: Choice
    why: str


# Choices that may be evaluated at the same time; what is sent back stands in their order.
Steps = Generator[Sequence[ProposedChoice], Sequence[Tried], None]


@dataclass(frozen=True, slots=True)
class SearchKnowledge:
    """Facts that are known before a strategy begins."""

    # The plan as it is, which is not good enough.
    whole: Tried
    # Of what `lost` gives, the most that is good enough; NaN: nobody knows.
    allowed: float
    # How bad a choice is, as a number that is 0 for the original and grows with the noise; NaN: there is none.
    lost: Callable[[Tried], float] = lambda tried: tried.loss
    # It probably grows as this power of the noise's power; or it is that power.
    growth: float = 0.5
    is_power: bool = False


@dataclass(frozen=True, slots=True)
class Strategy:
    """A row of STRATEGIES."""

    key: str
    label: str
    # What it does, and what it takes for granted.
    text: str
    run: Callable[[Space, SearchKnowledge], Steps]


def one(choice: Choice, why: str) -> Generator[Sequence[ProposedChoice], Sequence[Tried], Tried]:
    """Asks for one choice and gives what came of it."""
    (tried,) = yield (ProposedChoice(choice, why),)
    return tried


def bisect(
    space: Space, low: int, high: int, make: Callable[[int], ProposedChoice]
) -> Generator[Sequence[ProposedChoice], Sequence[Tried], int]:
    """The smallest number above `low` up to `high` whose choice is good, if all above it are good too.

    `low` is known to be bad, `high` to be good. Where choices can be evaluated side by side, several are at once.
    """
    while high - low > 1:
        count = min(space.together, high - low - 1)
        places = sorted({low + (high - low) * step // (count + 1) for step in range(1, count + 1)} - {low})
        tried = yield [make(place) for place in places]
        good = [place for place, each in zip(places, tried, strict=True) if each.good]
        high = min(good, default=high)
        low = max(
            (place for place, each in zip(places, tried, strict=True) if not each.good and place < high), default=low
        )
    return high
