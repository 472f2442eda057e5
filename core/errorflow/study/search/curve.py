"""What a measure of the user's makes of noise: nobody knows beforehand, and each evaluation tells."""

import math
from dataclasses import dataclass, field

# Between these a loss grows with the power of the error: as a power of it.
_LEAST, _MOST = 0.1, 4.0
# Two powers that differ by less tell nothing of how the loss grows.
_APART = 0.05
# The first guess goes for so much less noise at most, and all later ones: a measure that hardly moved before may drop.
_FIRST, _STEP = 64.0, 8.0
# Good and bad are so near that what lies between is not worth an evaluation.
_NEAR = 2.0


@dataclass
class Curve:
    """Losses at powers of the noise. The original has neither; `allowed` is the largest loss, NaN if nobody knows."""

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
        """Through the two points that are next to what is allowed, and how steep it is."""
        if not self.points:
            return None, self.growth
        reach = self.allowed if self.allowed > 0 else self.points[-1][1]
        anchor, *others = sorted(self.points, key=lambda point: abs(math.log(point[1] / reach)))
        other = next((point for point in others if abs(math.log(point[0] / anchor[0])) > _APART), None)
        if other is None:
            return anchor, self.growth
        growth = math.log(other[1] / anchor[1]) / math.log(other[0] / anchor[0])
        return anchor, min(max(growth, _LEAST), _MOST) if growth > 0 else self.growth
