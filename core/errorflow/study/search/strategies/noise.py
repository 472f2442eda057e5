"""Strategy that predicts from the noise of single parts which set is enough, evaluates that, and learns from the
result.

The power of each part's error at the outputs is simulated once. Errors of parts that have nothing to do with each
other add up as powers, so that the sum over those that stay quantized says what is left. What a measure of the user's
makes of that power is unknown beforehand: each evaluation tells, and the next prediction lies between what was good
enough and what was not. In the end parts are given back as long as that is good enough, since the ranking may err.
"""

import math
from collections.abc import Generator, Sequence
from itertools import combinations

import numpy as np

from errorflow.base.values import dataclass, field
from errorflow.study.rank.model import Doubles
from errorflow.study.search.model import NOTHING, Choice, Tried
from errorflow.study.search.space import Space
from errorflow.study.search.steps import ProposedChoice, SearchKnowledge, Steps, Strategy

# A loss so many times what is allowed is not tried: it is not a matter of a bad prediction any more.
_HOPELESS = 2.0
# Wrong guesses in a row after which powers are not believed any more, or giving back ends.
_MISSES = 2
# When parts are given back: evaluations that do not take away a good deal of the set: so many, and more of many parts.
_PATIENCE, _MUCH = 2, 0.25
# The sum of the noise is believed as far as it is off by this factor; else candidates are simulated together with what
# is chosen already, so many for each part more, and so many parts at once.
_OFF, _CANDIDATES, _PICKS = 2.0, 12, 16
# Of several evaluations at the same time each goes for so much less noise than the one before.
_FURTHER = 4.0
# A group of so many is worth a look from the other end.
_MANY = 4
# Exchanges that are simulated: for so many of the others two of so many that bring least; and runs of samples for all.
_WIDER, _PAIRED, _EXCHANGED = 12, 5, 4000
Search = Generator[Sequence[ProposedChoice], Sequence[Tried], Choice | None]


def _run(space: Space, known: SearchKnowledge) -> Steps:
    if len(space):
        yield from _Prediction(space, known).run()


class _Prediction:
    """One search under way."""

    def __init__(self, space: Space, known: SearchKnowledge) -> None:
        self._space, self._known = space, known
        whole = space.powers([NOTHING])[0]
        # Where nobody knows which output counts, all count the same.
        self._weights = np.ones(len(whole)) if space.outputs_known else 1 / np.where(whole > 0, whole, np.inf)
        self._curve = NoiseCurve(known.allowed, known.growth, is_exact=known.is_power)
        # The parts of each choice that was not good enough.
        self._bad: list[frozenset[int]] = []
        self._learn(NOTHING, known.whole)
        self._order = self._by_gain()
        self._misses = 0

    def run(self) -> Steps:
        found = yield from self._growing()
        if found is not None:
            found = yield from self._giving_back(found)
            if self._curve.is_exact and len(found) > 1:
                yield from self._exchanging(found)

    def _growing(self) -> Search:
        """Grows by as many of the worst as are needed."""
        low, high = 0, None
        while True:
            target = self._curve.target
            most = len(self._order) if high is None else high
            if low == most or (high is not None and high - low == 1):
                break
            count = self._count(target, low, most, is_open=high is None)
            if high is not None and count >= high:
                break
            counts = self._beside(count, target, most)
            tried = yield [ProposedChoice(self._first(each), self._why(each)) for each in counts]
            for each, one in zip(counts, tried, strict=True):
                self._learn(self._first(each), one)
                if one.good:
                    high = each if high is None else min(high, each)
                elif high is None or each < high:
                    self._misses += self._power(self._first(each)) <= target
                    low = max(low, each)
        return None if high is None else self._first(high)

    def _count(self, target: float, low: int, most: int, *, is_open: bool) -> int:
        """The fewest of the worst that leave no more than the target, as simulated."""
        if self._misses >= _MISSES:
            return min(most, max(2 * low, low + 1)) if is_open else (low + most) // 2
        if self._is_off(low):
            return self._picked(target, low, most)
        left = self._predicted()
        enough = np.flatnonzero(left[low + 1 : most + 1] <= target)
        count = low + 1 + int(enough[0]) if enough.size else most
        while count > low + 1 and self._power(self._first(count - 1)) <= target:
            count -= 1
        step = 1
        while count < most and self._power(self._first(count)) > target:
            count, step = min(most, count + step), 2 * step
        return count

    def _is_off(self, count: int) -> bool:
        """Whether parts work together, so that what each does alone does not tell what they do."""
        known = float(self._space.ledger.left(self._first(count)) @ self._weights)
        return not 1 / _OFF <= (known / power if (power := self._power(self._first(count))) else 1.0) <= _OFF

    def _picked(self, target: float, low: int, most: int) -> int:
        """The same, with the order of those that come next found by simulating them beside the ones before."""
        count = low
        while count < most and (count == low or self._power(self._first(count)) > target):
            if count - low < _PICKS:
                candidates = self._order[count : min(most, count + _CANDIDATES)]
                before = self._order[:count]
                choices = self._simulated([self._space.choice((*before, part)) for part in candidates])
                gains = self._power(self._first(count)) - np.array([self._power(choice) for choice in choices])
                sizes = np.array([self._raised(choice.parts) for choice in choices]) - self._raised(before)
                best = candidates[int(np.argmax(gains / np.maximum(sizes, 1)))]
                self._order.remove(best)
                self._order.insert(count, best)
                count += 1
            else:
                count = min(most, low + 2 * (count - low))
        return count

    def _beside(self, count: int, target: float, most: int) -> list[int]:
        """Chooses what is evaluated at the same time in case the prediction is too bold."""
        counts = {count}
        for further in range(1, self._space.together):
            counts.add(self._count(target / _FURTHER**further, count, most, is_open=True) if count < most else count)
        return sorted(counts)

    def _giving_back(self, found: Choice) -> Generator[Sequence[ProposedChoice], Sequence[Tried], Choice]:
        """Parts as planned again, those first that bring least, together as long as that is predicted to be enough."""
        needed: set[int] = set()
        misses, most, least = 0, len(found), 1
        # A part that brings little noise may be what the measure looks at: then those that bring most are not needed.
        turned = False
        # Where noise tells nothing it is halving, which ends at some time.
        patience = _PATIENCE + len(self._order).bit_length() // 2
        while patience > 0:
            options = [part for part in found.parts if part not in needed and not self._is_known_bad(found, part)]
            group = (self._loudest if turned else self._group)(found, options, least)[:most]
            if not group:
                break
            choice = _without(found, group)
            (tried,) = yield (ProposedChoice(choice, self._back(group)),)
            self._learn(choice, tried)
            if not tried.good or len(group) < _MUCH * len(found):
                patience -= 1
            if tried.good:
                # What went well is dared twice as boldly.
                found, misses, most, turned = choice, 0, len(choice), False
                least = max(1, min(2 * len(group), len(choice) // 2))
            elif len(group) >= _MANY and not turned and not self._curve.is_exact:
                most = least = len(group)
                turned = True
            elif len(group) > 1:
                most = least = len(group) // 2
                turned = False
            else:
                needed.update(group)
                misses, most, least, turned = misses + 1, len(found), 1, False
                if misses >= _MISSES and not self._is_lost:
                    break
        return found

    def _exchanging(self, found: Choice) -> Steps:
        """Two of them for another one, again and again, as long as simulation says that it is enough: it is exact."""
        best, better = found, self._smaller(found)
        end = self._space.simulated + _EXCHANGED // self._space.measured_on
        while better is not None:
            best = better
            better = self._smaller(best) if len(best) > 1 and self._space.simulated < end else None
        if best is not found:
            yield (ProposedChoice(best, "two given back for another one, again and again"),)

    def _smaller(self, found: Choice) -> Choice | None:
        """Less that is enough: one part is given back, or two are for another one."""
        for choice in self._best([_without(found, [part]) for part in found.parts])[:1]:
            if self._is_less(choice, found):
                return choice
        others = [part for part in self._order if part not in found.parts][:_CANDIDATES]
        for wider in self._best([self._space.choice((*found.parts, part)) for part in others])[:_WIDER]:
            least = self._best([_without(wider, [part]) for part in found.parts])[:_PAIRED]
            kept = [frozenset(choice.parts) for choice in least]
            for choice in self._best([self._space.choice(sorted(a & b)) for a, b in combinations(kept, 2)])[:1]:
                if self._is_less(choice, found):
                    return choice
        return None

    def _is_less(self, choice: Choice, found: Choice) -> bool:
        """Whether it is enough, and less than was found: one part may hold many others."""
        sizes = [(self._raised(each.parts), len(each)) for each in (choice, found)]
        return self._power(choice) <= self._known.allowed and sizes[0] < sizes[1]

    def _best(self, choices: Sequence[Choice]) -> list[Choice]:
        """Sorts those with the least power first."""
        return sorted(self._simulated(choices), key=self._power)

    def _group(self, found: Choice, options: Sequence[int], least: int) -> list[int]:
        """Chooses those that can probably go together; one at least, unless it is hopeless."""
        if not options:
            return []
        if self._is_lost:
            # Halves, as bugs are narrowed down: nothing says which part it is.
            return list(options)[len(options) // 2 :]
        here = self._power(found)
        without = [self._power(each) for each in self._simulated([_without(found, [part]) for part in options])]
        order = np.argsort(without, kind="stable").tolist()
        target, left = max(self._curve.target, self._curve.good), here
        group: list[int] = []
        for place in order:
            left += max(0.0, without[place] - here)
            if left > target:
                break
            group.append(options[place])
        while len(group) > 1 and self._power(_without(found, group)) > target:
            group.pop()
        if len(group) >= least or (group and self._curve.is_exact):
            return group
        if not group and self._is_hopeless(without[order[0]]):
            return []
        return [options[place] for place in order[:least]]

    def _loudest(self, found: Choice, options: Sequence[int], least: int) -> list[int]:
        """Chooses those without which most noise is there."""
        without = [self._power(each) for each in self._simulated([_without(found, [part]) for part in options])]
        return [options[place] for place in np.argsort(without, kind="stable")[::-1][:least].tolist()]

    def _is_hopeless(self, power: float) -> bool:
        allowed = self._known.allowed
        if self._curve.is_exact:
            return power > allowed
        if not self._curve.is_sure:
            return False
        if allowed > 0 and self._curve.loss_at(power) > _HOPELESS * allowed:
            return True
        return not allowed > 0 and power >= self._curve.bad

    @property
    def _is_lost(self) -> bool:
        """Powers say nothing of the measure."""
        return self._misses >= _MISSES or self._curve.is_broken

    def _is_known_bad(self, found: Choice, part: int) -> bool:
        """Whether it was not enough to raise all others of them, or more. Powers that say it exactly need no guess."""
        others = frozenset(found.parts) - {part}
        return not self._curve.is_exact and any(others <= bad for bad in self._bad)

    def _learn(self, choice: Choice, tried: Tried) -> None:
        if not tried.good:
            self._bad.append(frozenset(choice.parts))
        self._curve.add(self._power(choice), self._known.lost(tried), tried.good)

    def _simulated(self, choices: Sequence[Choice]) -> Sequence[Choice]:
        """Simulates all choices at once, which is faster than one after the other."""
        self._space.powers(choices)
        return choices

    def _power(self, choice: Choice) -> float:
        return float(self._space.powers([choice])[0] @ self._weights)

    def _by_gain(self) -> list[int]:
        """Parts by what they take away beside those before them, for each part that is raised with them."""
        ledger = self._space.ledger
        power: Doubles = ledger.powers @ self._weights
        owners, within = ledger.owners.copy(), ledger.within.copy()
        order: list[int] = []
        left = set(range(len(owners)))
        gains, sizes = owners.astype(float) @ power, within.sum(axis=1)
        while left:
            worth = gains / np.maximum(sizes, 1)
            best = max(left, key=lambda part: (worth[part], -part))
            order.append(best)
            left.remove(best)
            taken, raised = owners[best].copy(), within[best].copy()
            gains -= owners[:, taken].astype(float) @ power[taken]
            sizes -= within[:, raised].sum(axis=1)
            owners[:, taken], within[:, raised] = False, False
        return order

    def _raised(self, parts: Sequence[int]) -> int:
        """Counts the parts that are raised, with those that lie within these."""
        return int(self._space.ledger.within[list(parts)].any(axis=0).sum())

    def _predicted(self) -> Doubles:
        """Predicts the power that is left, by how many of the worst are raised."""
        ledger = self._space.ledger
        left = [float(ledger.left(self._first(count)) @ self._weights) for count in range(len(self._order) + 1)]
        return np.array(left)

    def _first(self, count: int) -> Choice:
        """Chooses the first parts without those that lie within another one of them."""
        first = self._order[:count]
        within = self._space.ledger.within[np.ix_(first, first)]
        # Of those that are the same the first one stays.
        twins = np.triu(within & within.T, 1)
        is_inside = np.asarray((within & ~within.T).any(axis=0) | twins.any(axis=0))
        return self._space.choice(first[place] for place in np.flatnonzero(~is_inside).tolist())

    def _why(self, count: int) -> str:
        return f"predicted: the {count:,} that bring most" if count > 1 else "predicted: the one that brings most"

    def _back(self, group: Sequence[int]) -> str:
        names = self._space.parts[group[0]].name if len(group) == 1 else f"{len(group):,} parts"
        return f"giving back {names}"


def _without(choice: Choice, parts: Sequence[int]) -> Choice:
    return Choice(tuple(pair for pair in choice.raised if pair[0] not in parts))


NOISE = Strategy(
    "noise",
    "Noise prediction",
    "Simulates each part alone, predicts from the sum of their noise the smallest set that is enough, corrects itself "
    "by what was evaluated, and gives back what is not needed. It takes few evaluations; where noise says nothing of "
    "the measure, it falls back to halving.",
    _run,
)


# Between these a loss grows with the power of the error: as a power of it.
_LEAST, _MOST = 0.1, 4.0
# Two powers that differ by less tell nothing of how the loss grows.
_APART = 0.05
# The first guess goes for so much less noise at most, and all later ones: a measure that hardly moved before may drop.
_FIRST, _STEP = 64.0, 8.0
# Good and bad are so near that what lies between is not worth an evaluation.
_NEAR = 2.0


@dataclass
class NoiseCurve:
    """Losses at powers of the noise. The original has neither; `allowed` is the largest loss, NaN where it is
    unknown.
    """

    allowed: float
    # How the loss grows until two evaluations tell.
    growth: float
    # Of the choices that were good enough the largest power; of the others the smallest.
    good: float = 0.0
    bad: float = math.inf
    points: list[tuple[float, float]] = field(default_factory=list)
    # The loss is the power itself.
    is_exact: bool = False
    _bads: int = 0

    def add(self, power: float, loss: float, good: bool) -> None:
        if good:
            self.good = max(self.good, power)
        else:
            self.bad = min(self.bad, power)
            self._bads += 1
        if 0 < loss < math.inf and 0 < power < math.inf:
            self.points.append((power, loss))

    @property
    def is_broken(self) -> bool:
        """Less noise was worse: it says nothing of the measure."""
        return self.bad < self.good

    @property
    def target(self) -> float:
        """The largest power that is probably good enough."""
        found = self._by_loss()
        low, high = self.good, self.bad
        if not math.isfinite(high):
            return math.inf
        least = high / (_FIRST if self._bads == 1 else _STEP)
        if low < found < high:
            return found if self.is_exact else max(found, low, least)
        return math.sqrt(low * high) if 0 < low < high else least

    @property
    def is_sure(self) -> bool:
        """Whether it is worth believing that something will be too bad."""
        return self.is_exact or (0 < self.bad <= _NEAR * self.good)

    def loss_at(self, power: float) -> float:
        """NaN: nothing is known yet."""
        anchor, growth = self._line()
        return math.nan if anchor is None else anchor[1] * math.pow(power / anchor[0], growth)

    def _by_loss(self) -> float:
        anchor, growth = self._line()
        if anchor is None or not self.allowed > 0:
            return math.nan
        return anchor[0] * math.pow(self.allowed / anchor[1], 1 / growth)

    def _line(self) -> tuple[tuple[float, float] | None, float]:
        """Draws a line through the two points next to what is allowed, and measures how steep it is."""
        if not self.points:
            return None, self.growth
        reach = self.allowed if self.allowed > 0 else self.points[-1][1]
        anchor, *others = sorted(self.points, key=lambda point: abs(math.log(point[1] / reach)))
        other = next((point for point in others if abs(math.log(point[0] / anchor[0])) > _APART), None)
        if other is None:
            return anchor, self.growth
        growth = math.log(other[1] / anchor[1]) / math.log(other[0] / anchor[0])
        return anchor, min(max(growth, _LEAST), _MOST) if growth > 0 else self.growth
