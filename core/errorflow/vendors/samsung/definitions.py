"""Definitions of what visq writes."""

from errorflow.compare.metrics.definitions.definition import MEAN_SQUARE, SQUARED_UNIT, Definition

VISQ: tuple[Definition, ...] = (
    Definition(
        "visq.mpeir",
        "visq",
        "MPEIR",
        "mean of max abs(c − r) / (max r − min r + 1e−6) over the samples",
        False,
        "accumulated",
        misleads="One value decides; an outlier in the reference makes the range, and so the result, look good.",
    ),
    Definition("visq.mse", "visq", "MSE", MEAN_SQUARE, False, "accumulated", misleads=SQUARED_UNIT),
)
ROWS = VISQ
