"""Models that are quantized already, read back into a float model, a plan and the scales that they have.

To add a kind: one file with a `Kind`, one line here.
"""

from errorflow.quant.readback.horizon import HORIZON
from errorflow.quant.readback.kind import Kind
from errorflow.quant.readback.pulsar2 import PULSAR2
from errorflow.quant.readback.qdq import QDQ
from errorflow.quant.readback.qoperator import QOPERATOR

# The first whose marks a model has says how it is quantized; of all the operators are known.
KINDS: tuple[Kind, ...] = (HORIZON, PULSAR2, QOPERATOR, QDQ)
