"""Tools of which only a number or two is known, and no file."""

from errorflow.compare.metrics.definitions.definition import MEAN_SQUARE, OUTPUT, SQUARED_UNIT, Definition, root

OTHERS: tuple[Definition, ...] = (
    Definition(
        "nncf.nmse",
        "NNCF",
        "nmse",
        "Σ (c − r)² / Σ r²",
        False,
        "recovery",
        "relative_l2",
        root,
        "Of the model's output with a whole group of quantizers taken out.",
    ),
    Definition(
        "aimet.quant_enabled",
        "AIMET",
        "per_layer_quant_enabled",
        "the user's own score with this layer alone quantized",
        True,
        "impact",
        misleads=OUTPUT,
    ),
    Definition(
        "aimet.quant_disabled",
        "AIMET",
        "per_layer_quant_disabled",
        "the user's own score with all but this layer quantized",
        True,
        "recovery",
        misleads=OUTPUT,
    ),
    Definition("aimet.mse", "AIMET", "per_layer_mse_loss", MEAN_SQUARE, False, "accumulated", misleads=SQUARED_UNIT),
    Definition(
        "tt-explorer.accumulated",
        "Tenstorrent",
        "ACCUMULATED",
        "PCC − required PCC",
        True,
        "accumulated",
        misleads="A margin, not a correlation: 0 has just passed.",
    ),
    Definition(
        "tt-explorer.isolated",
        "Tenstorrent",
        "ISOLATED",
        "PCC − required PCC",
        True,
        "node",
        misleads="A margin, not a correlation: 0 has just passed.",
    ),
)
