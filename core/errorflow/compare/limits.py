"""Limits that a comparison has to keep: a metric's value that a tensor may just have."""

import math
from collections.abc import Sequence

from errorflow.base import UsageError, dataclass
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import Row


@dataclass(frozen=True, slots=True)
class Limit:
    """A metric, and the value that is still allowed."""

    metric: Scale
    value: float

    @property
    def text(self) -> str:
        """Text as the user writes it: `cosine ≥ 0.99`."""
        return f"{self.metric.key} {self._sign} {self.value:g}"

    @property
    def words(self) -> str:
        """Text as people say it: `cosine similarity ≥ 0.99`."""
        label = self.metric.label
        return f"{label if label.isupper() else label.lower()} {self._sign} {self.value:g}"

    @property
    def _sign(self) -> str:
        return "≥" if self.metric.higher_is_better else "≤"

    def broken_by(self, row: Row) -> bool:
        """NaN breaks every limit; what was not measured breaks none."""
        found = row.values.get(self.metric.key)
        if found is None:
            return False
        return not (found >= self.value if self.metric.higher_is_better else found <= self.value)


@dataclass(frozen=True, slots=True)
class BrokenLimit:
    """A limit, how many tensors have its metric, how many of them break it, and which is the worst."""

    limit: Limit
    asked: int
    count: int
    worst: Row | None

    @property
    def kept(self) -> bool:
        """A limit that nothing was held against is not kept."""
        return bool(self.asked) and not self.count


def parse_limit(text: str) -> Limit:
    """`cosine=0.99`: the metric's key and the value that is still allowed."""
    key, equals, number = text.partition("=")
    metric = next((metric for metric in MEASURES if metric.key == key.strip()), None)
    if metric is None or not equals:
        known = ", ".join(metric.key for metric in MEASURES)
        raise UsageError(f"{text} is no limit.", f"Write METRIC=VALUE, such as cosine=0.99. The metrics are: {known}.")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise UsageError(f"{number.strip()} in {text} is no number.", "Write the value that is still allowed.")
    return Limit(metric, value)


def held_against(limit: Limit, measured: Sequence[Row]) -> BrokenLimit:
    """Holds all that was measured against the limit."""
    rows = [row for row in measured if limit.metric.key in row.values]
    sign = 1 if limit.metric.higher_is_better else -1

    def rank(row: Row) -> float:
        value = row.values[limit.metric.key]
        return -math.inf if math.isnan(value) else sign * value

    return BrokenLimit(limit, len(rows), sum(map(limit.broken_by, rows)), min(rows, key=rank, default=None))
