"""The plan that Acme's compiler makes."""

from errorflow.quant.plan import Plan
from errorflow.quant.presets import BYTES, EVEN, Preset

PRESETS = (
    Preset(
        "acme",
        "Acme",
        Plan(BYTES, EVEN, preset="acme"),
        "minmax",
        "All operators with uint8 activations and one int8 scale per weight.",
        "What its compiler fuses.",
    ),
)
ROWS = PRESETS
