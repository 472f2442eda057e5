"""Advice on RKNN-Toolkit2."""

from errorflow.explain.blame.advice import VendorAdvice
from errorflow.explain.blame.model import Advice

_ROWS = (
    Advice(
        "node error: RKNN",
        "Put the node on the list of layers in float16 of hybrid quantization; let its proposal name the producer too.",
        "A measure with equal inputs blames the reader of a badly scaled tensor; giving float to the reader alone "
        "brings back little.",
        "RKNN-Toolkit2, hybrid quantization: step 1 with proposal",
        "few nodes bring the error of the output",
        "RKNN",
    ),
    Advice(
        "accumulated error: RKNN",
        "Change the quantization algorithm from normal to mmse or kl_divergence, and check the calibration data.",
        "All layers share the algorithm, so that a better one helps all of them.",
        "RKNN-Toolkit2, accuracy analysis and quantization parameters",
        "many nodes bring the error of the output",
        "RKNN",
    ),
)
RKNN = VendorAdvice("RKNN", _ROWS, rank=1)
ROWS = (RKNN,)
