"""Advice on OpenExplorer."""

from errorflow.explain.blame.advice import VendorAdvice
from errorflow.explain.blame.model import Advice

_ROWS = (
    Advice(
        "node error: Horizon",
        "Run the node on the CPU, or with inputs and outputs in int16; look at its distribution first.",
        "One node below 0.99 is sensitive by itself; a distribution without one clear peak says why.",
        "Horizon, precision debug of repvgg_b2_deploy: sensitivity ranking, data distribution, partial quantization",
        "few nodes bring the error of the output",
        "Horizon",
    ),
    Advice(
        "accumulated error: Horizon",
        "Compare only weights quantized with only activations quantized; then give up quantizing the most sensitive "
        "ones, one after the other, until the curve is flat.",
        "Which of the two brings the loss decides what to tune, and the curve says how many nodes are enough.",
        "Horizon, precision debug of repvgg_b2_deploy: cumulative error distribution, partially quantified performance",
        "many nodes bring the error of the output",
        "Horizon",
    ),
)
HORIZON = VendorAdvice("Horizon", _ROWS, rank=3)
ROWS = (HORIZON,)
