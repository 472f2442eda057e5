"""The tables of Axera's Pulsar2."""

from errorflow.compare.metrics.definitions.definition import (
    CONSUMER,
    COSINE,
    MEAN_SQUARE,
    SQUARED_UNIT,
    Definition,
    same,
)

PULSAR2: tuple[Definition, ...] = (
    Definition("pulsar2.PerLayer.Cosin", "Pulsar2", "Cosin", COSINE, True, "node", "cosine", same, CONSUMER),
    Definition("pulsar2.PerLayer.MSE", "Pulsar2", "MSE", MEAN_SQUARE, False, "node", misleads=SQUARED_UNIT),
    Definition("pulsar2.EndToEnd.Cosin", "Pulsar2", "Cosin", COSINE, True, "accumulated", "cosine", same),
    Definition("pulsar2.EndToEnd.MSE", "Pulsar2", "MSE", MEAN_SQUARE, False, "accumulated", misleads=SQUARED_UNIT),
    Definition(
        "pulsar2.outliers.sparse",
        "Pulsar2",
        "Sparse channel ratio",
        "share of sparse channels; what makes a channel sparse is not published",
        None,
        "",
    ),
    Definition(
        "pulsar2.outliers.level",
        "Pulsar2",
        "level>=k ratio",
        "share of channels with log(max of the tensor / max of the channel) ≥ k; the base is not published",
        False,
        "",
        misleads="No error was measured: it says where a scale per tensor would hurt.",
    ),
)
ROWS = PULSAR2
