"""How far a candidate tensor is from its reference.

To add a metric: a function of `Sums`, a row of METRICS here, and a section in docs/metrics.md.
"""

from errorflow.metrics.distance import cosine, max_absolute_error, mean_absolute_error, relative_l2, sqnr
from errorflow.metrics.metric import Metric

METRICS: tuple[Metric, ...] = (
    Metric(
        key="cosine",
        label="Cosine similarity",
        formula="Σ r·c / (√Σ r² · √Σ c²)",
        of=cosine,
        higher_is_better=True,
        best=1.0,
        good=0.999,
        bad=0.9,
        scale="log",
        decimals=6,
        misleads="A few large values hide what happens to all others, and a candidate twice as large scores 1.",
    ),
    Metric(
        key="relative_l2",
        label="Relative error",
        formula="√Σ (c − r)² / √Σ r²",
        of=relative_l2,
        higher_is_better=False,
        best=0.0,
        good=0.05,
        bad=0.5,
        scale="log",
        decimals=4,
        misleads="Where the reference is almost zero everywhere, harmless noise is larger than the values themselves.",
    ),
    Metric(
        key="sqnr",
        label="SQNR",
        formula="10 · log₁₀(Σ r² / Σ (c − r)²)",
        of=sqnr,
        higher_is_better=True,
        best=float("inf"),
        good=26.0,
        bad=6.0,
        scale="linear",
        decimals=2,
        unit="dB",
        misleads="One loud channel gives a good ratio while the quiet channels beside it are lost.",
    ),
    Metric(
        key="max_absolute_error",
        label="Largest absolute error",
        formula="max |c − r|",
        of=max_absolute_error,
        higher_is_better=False,
        best=0.0,
        good=0.001,
        bad=0.1,
        scale="log",
        decimals=6,
        misleads="It is in the unit of the tensor: 0.1 is nothing for pixels and everything for a probability.",
    ),
    Metric(
        key="mean_absolute_error",
        label="Mean absolute error",
        formula="Σ |c − r| / n",
        of=mean_absolute_error,
        higher_is_better=False,
        best=0.0,
        good=0.001,
        bad=0.1,
        scale="log",
        decimals=6,
        misleads="It is in the unit of the tensor, and many exact zeros make the mean small.",
    ),
)
