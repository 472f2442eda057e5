"""Plans as Pulsar2 makes them."""

from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import BYTES, EACH, Preset

PRESETS = (
    Preset(
        "pulsar2-u8",
        "Pulsar2 U8",
        Plan(BYTES, EACH, preset="pulsar2-u8"),
        "minmax",
        "All operators with uint8 activations, int8 weights with a scale per channel.",
        "What its front end fuses and rewrites before; operators that it keeps in more bits by itself.",
    ),
    Preset(
        "pulsar2-u16",
        "Pulsar2 U16",
        Plan(Precision("uint16"), EACH, preset="pulsar2-u16"),
        "minmax",
        "All operators with uint16 activations, weights in int8 with a scale per channel.",
        "The same; and that not every operator can be had in 16 bits.",
    ),
)
ROWS = PRESETS
