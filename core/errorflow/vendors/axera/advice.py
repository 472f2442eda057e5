"""Advice on Pulsar2."""

from errorflow.explain.blame.advice import VendorAdvice
from errorflow.explain.blame.model import Advice

_ROWS = (
    Advice(
        "node error: Pulsar2",
        "Set the layer to U16 or S16 in layer_configs; if it has 16 bits already, send the ticket with the model, the "
        "data and the configuration.",
        "A layer below 99.9 % on equal inputs needs more bits; what 16 bits do not heal is the tool's to mend.",
        "Pulsar2, accuracy tuning: quantization accuracy tuning, and the ticket template",
        "few nodes bring the error of the output",
        "Pulsar2",
    ),
    Advice(
        "accumulated error: Pulsar2",
        "Try calibration_method MSE or Percentile instead of MinMax with 32 inputs; then 16 bit for the whole model.",
        "The end-to-end similarity of the last layer is what counts, and 98 % of it is taken for good.",
        "Pulsar2, accuracy tuning: quantization accuracy tuning",
        "many nodes bring the error of the output",
        "Pulsar2",
    ),
)
PULSAR2 = VendorAdvice("Pulsar2", _ROWS, rank=2)
ROWS = (PULSAR2,)
