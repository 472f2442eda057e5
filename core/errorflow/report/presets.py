"""Limits for tasks, each with its reason: where a vendor draws a line, and what a number of bits can hold."""

from collections.abc import Mapping

from errorflow.base.values import dataclass

# By the metric's key: good and bad.
Limits = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class LimitPreset:
    """Metrics that it does not name keep their own limits."""

    key: str
    label: str
    limits: Limits
    why: str
    source: str


# Cosine, relative error and SQNR of one preset say the same: for errors that are at right angles to the values, the
# relative error is √(2 · (1 − cosine)), and the SQNR is −20 · log₁₀ of it.
PRESETS: tuple[LimitPreset, ...] = (
    LimitPreset(
        "default",
        "Default",
        {},
        "From a loss that nobody sees to one that changes what a network says, for any kind of model.",
        "docs/metrics.md",
    ),
    LimitPreset(
        "float16",
        "Strict (float16)",
        {"cosine": (0.999998, 0.9998), "relative_l2": (0.002, 0.02), "sqnr": (54.0, 34.0)},
        "A float16 has 11 bits: rounding costs 2⁻¹¹ = 0.0005 of a value, and a chain of operators a few times that.",
        "IEEE 754, half precision",
    ),
    LimitPreset(
        "int8-classification",
        "int8 classification",
        {"cosine": (0.99, 0.8), "relative_l2": (0.15, 0.6), "sqnr": (16.0, 4.0)},
        "Only the order of scores counts: from a cosine of 0.99 on an output is normal, below 0.8 something is lost.",
        "Horizon OpenExplorer, guide to tuning accuracy",
    ),
    LimitPreset(
        "int8-detection",
        "int8 detection",
        {"cosine": (0.999, 0.98), "relative_l2": (0.05, 0.2), "sqnr": (26.0, 14.0)},
        "Boxes in pixels hide the scores beside them: where 0.8 is still the right class, 0.98 moves a box.",
        "Ascend precision tool (cosine up to 0.98 is suspicious)",
    ),
    LimitPreset(
        "ascend",
        "Vendor limits (Ascend)",
        {"cosine": (0.99, 0.9), "relative_l2": (0.05, 0.5)},
        "Beyond the good limit its analyser calls a tensor suspicious; it draws no second line, so that one is ours.",
        "Ascend msit analyser (CosineSimilarity < 0.99, RelativeEuclideanDistance > 0.05)",
    ),
)
PRESET_OF = {preset.key: preset for preset in PRESETS}
