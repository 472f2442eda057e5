"""Plans as hb_mapper makes them."""

from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import EACH, EVEN, Preset

_LEFT_OUT = (
    "Operators that run on the CPU stay in float there and are quantized here; the toolchain's choice of the threshold "
    "by layer, and what its compiler fuses."
)
PRESETS = (
    Preset(
        "horizon-int8",
        "Horizon int8",
        Plan(EVEN, EACH, outputs=False, preset="horizon-int8"),
        "entropy",
        "Symmetric int8 for what is read, weights with a scale per channel, as HzCalibration nodes stand in the model.",
        _LEFT_OUT,
    ),
    Preset(
        "horizon-int16",
        "Horizon int16",
        Plan(Precision("int16", symmetric=True), EACH, outputs=False, preset="horizon-int16"),
        "entropy",
        "The same with int16 for what is read.",
        _LEFT_OUT,
    ),
)
ROWS = PRESETS
