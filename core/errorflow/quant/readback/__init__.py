"""Models that are quantized already, read back into a float model, a plan and the scales that they have."""

from errorflow.base.vendor import Rows
from errorflow.quant.readback.kind import ReadbackKind

# The first whose marks a model has says how it is quantized; of all the operators are known.
KINDS = Rows(ReadbackKind, "readback")
