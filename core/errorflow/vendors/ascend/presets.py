"""The plan that AMCT makes."""

from errorflow.quant.plan import Plan
from errorflow.quant.presets import EACH, SIGNED, Preset

AMCT_TYPES = ("Conv", "ConvTranspose", "Gemm", "MatMul", "AveragePool")
PRESETS = (
    Preset(
        "amct",
        "Ascend AMCT",
        Plan(SIGNED, EACH, outputs=False, types=AMCT_TYPES, preset="amct"),
        "mse",
        "What AMCT quantizes by default: what goes into convolutions, matrix products and average pools, in int8 with "
        "an offset, and their weights in int8 with a scale per channel.",
        "Its search of the activations' range (IFMR), in place of which stands the smallest squared error; fusion "
        "with BatchNorm before weights are quantized; what ATC makes of the model afterwards.",
    ),
)
ROWS = PRESETS
