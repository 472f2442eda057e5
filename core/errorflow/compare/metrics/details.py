"""Details of a pair beyond METRICS, where they are known at all: not every tensor has a scale or channels."""

import math
from collections.abc import Callable

from errorflow.base.values import dataclass
from errorflow.compare.metrics.channels import Channels
from errorflow.compare.metrics.metric import Scale


@dataclass(frozen=True, slots=True)
class DetailTally:
    """Counts of the one pass over both tensors; None: it does not apply to them."""

    count: int
    # Pairs whose difference is no number.
    broken: int
    flips: int
    saturated: int | None = None
    # Those of them whose reference lies beyond the end.
    clipped: int | None = None
    # The largest and the sum of the errors, in steps.
    steps: tuple[float, float] | None = None
    channels: Channels | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail(Scale):
    """A detail. `of` gives None where the measure does not apply."""

    of: Callable[[DetailTally], float | None]


def _max_steps(tally: DetailTally) -> float | None:
    if tally.steps is None:
        return None
    return math.nan if tally.broken else tally.steps[0]


def _mean_steps(tally: DetailTally) -> float | None:
    if tally.steps is None:
        return None
    return math.nan if tally.broken else _share(tally.steps[1], tally)


def _sign_flips(tally: DetailTally) -> float | None:
    return _share(tally.flips, tally)


def _saturation(tally: DetailTally) -> float | None:
    return None if tally.saturated is None else _share(tally.saturated, tally)


def _clipping(tally: DetailTally) -> float | None:
    return None if tally.clipped is None else _share(tally.clipped, tally)


def _min_channel(tally: DetailTally) -> float | None:
    return None if tally.channels is None else tally.channels.minimum


def _median_channel(tally: DetailTally) -> float | None:
    return None if tally.channels is None else tally.channels.median


def _share(part: float, tally: DetailTally) -> float:
    return part / tally.count if tally.count else 0.0


DETAILS: tuple[Detail, ...] = (
    Detail(
        key="max_steps",
        label="Largest error in steps",
        formula="max |c − r| / scale",
        of=_max_steps,
        higher_is_better=False,
        best=0.0,
        good=2.0,
        bad=16.0,
        scale="log",
        decimals=2,
        misleads="A clipped outlier is many steps off, and that may be what makes all other values finer.",
    ),
    Detail(
        key="mean_steps",
        label="Mean error in steps",
        formula="Σ |c − r| / scale / n",
        of=_mean_steps,
        higher_is_better=False,
        best=0.0,
        good=0.5,
        bad=4.0,
        scale="log",
        decimals=3,
        misleads="A step that is much too large makes every error a small part of it.",
    ),
    Detail(
        key="sign_flips",
        label="Sign flips",
        formula="count(r · c < 0) / n",
        of=_sign_flips,
        higher_is_better=False,
        best=0.0,
        good=0.001,
        bad=0.05,
        scale="log",
        decimals=4,
        misleads="Values around zero change their sign by harmless noise.",
    ),
    Detail(
        key="saturation",
        label="Saturation",
        formula="count(c at an end of its range) / n",
        of=_saturation,
        higher_is_better=False,
        best=0.0,
        good=0.001,
        bad=0.05,
        scale="log",
        decimals=4,
        misleads="A Clip or Sigmoid of the model puts values at an end on purpose.",
    ),
    Detail(
        key="clipping",
        label="Clipped",
        formula="count(c at an end of its range, r beyond it) / n",
        of=_clipping,
        higher_is_better=False,
        best=0.0,
        good=0.001,
        bad=0.05,
        scale="log",
        decimals=4,
        misleads="Cutting off a few large values may be meant, for it makes the steps of all others finer.",
    ),
    Detail(
        key="min_channel_sqnr",
        label="Worst channel",
        formula="min over channels of 10 · log₁₀(Σ r² / Σ (c − r)²)",
        of=_min_channel,
        higher_is_better=True,
        best=math.inf,
        good=20.0,
        bad=0.0,
        scale="linear",
        decimals=2,
        unit="dB",
        misleads="A channel that is almost dead has a bad ratio and no influence.",
    ),
    Detail(
        key="median_channel_sqnr",
        label="Median channel",
        formula="median over channels of 10 · log₁₀(Σ r² / Σ (c − r)²)",
        of=_median_channel,
        higher_is_better=True,
        best=math.inf,
        good=26.0,
        bad=6.0,
        scale="linear",
        decimals=2,
        unit="dB",
        misleads="Half of the channels may be far worse.",
    ),
)
