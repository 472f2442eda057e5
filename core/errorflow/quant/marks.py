"""Whether a model is quantized already, told by its operators alone: asked for whenever one is opened, so without
loading what reads it back. A test keeps this up with `readback`.
"""

from errorflow.graph.model import Graph

# The marks of all kinds.
OPERATORS = frozenset(
    (
        "AxDequantizeLinear", "AxFullyConnected", "AxQuantizeLinear", "AxQuantizedAdd", "AxQuantizedConv",
        "DequantizeLinear", "HzCalibration", "QGemm", "QLinearAdd", "QLinearAveragePool", "QLinearConcat",
        "QLinearConv", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMatMul", "QLinearMul",
        "QLinearSigmoid", "QLinearSoftmax", "QLinearWhere", "QuantizeLinear",
    )
)  # fmt: skip
# Operators whose type begins so, with a capital behind, are marks too.
PREFIXES = ("Ax",)


def is_quantized(graph: Graph) -> bool:
    """Whether it is quantized in a way that is known."""
    counts = graph.op_types.counts()
    return any(count and (name in OPERATORS or _begins(name)) for name, count in counts.items())


def _begins(name: str) -> bool:
    return any(name.startswith(prefix) and name[len(prefix) :][:1].isupper() for prefix in PREFIXES)
