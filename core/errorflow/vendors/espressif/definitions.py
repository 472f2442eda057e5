"""Definitions of what PPQ prints."""

from errorflow.compare.metrics.definitions.definition import Definition, decibels_of_ratio

PPQ: tuple[Definition, ...] = (
    Definition(
        "ppq.graphwise.snr",
        "PPQ",
        "NOISE:SIGNAL POWER RATIO",
        "Σ (c − r)² / Σ r²",
        False,
        "accumulated",
        "sqnr",
        decibels_of_ratio,
        "Called snr and is its inverse: less is better.",
    ),
    Definition(
        "ppq.layerwise.snr",
        "PPQ",
        "NOISE:SIGNAL POWER RATIO",
        "Σ (c − r)² / Σ r²",
        False,
        "impact",
        "sqnr",
        decibels_of_ratio,
        "Called snr and is its inverse: less is better.",
    ),
)
ROWS = PPQ
