"""ONNX's and ONNX Runtime's quantized operators: what they stand for, and where scales are among their inputs."""

from typing import Final

from errorflow.base.values import dataclass

QUANTIZE: Final = "QuantizeLinear"
DEQUANTIZE: Final = "DequantizeLinear"
# They pass on what they read, at most rounded to codes and back.
PASSING: Final = frozenset((QUANTIZE, DEQUANTIZE, "Identity"))
# They move codes and make none: the scale stays.
MOVING: Final = frozenset(
    ("Expand", "Flatten", "Gather", "MaxPool", "Reshape", "Slice", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze")
)
# What quantizers and compilers draw into the operator before.
FUSABLE: Final = frozenset(("BatchNormalization", "Clip", "LeakyRelu", "PRelu", "Relu", "Relu6"))


@dataclass(frozen=True, slots=True)
class QuantizedOperator:
    """`reads`: places of the inputs that are tensors, each followed by its scale and zero point; `makes`: of the
    scale and zero point of the output, None where it is in float."""

    stands_for: str
    reads: tuple[int, ...]
    makes: int | None


# To add one: a row.
QUANTIZED: Final = {
    "QGemm": QuantizedOperator("Gemm", (0, 3), 7),
    "QLinearAdd": QuantizedOperator("Add", (0, 3), 6),
    "QLinearAveragePool": QuantizedOperator("AveragePool", (0,), 3),
    "QLinearConv": QuantizedOperator("Conv", (0, 3), 6),
    "QLinearGlobalAveragePool": QuantizedOperator("GlobalAveragePool", (0,), 3),
    "QLinearLeakyRelu": QuantizedOperator("LeakyRelu", (0,), 3),
    "QLinearMatMul": QuantizedOperator("MatMul", (0, 3), 6),
    "QLinearMul": QuantizedOperator("Mul", (0, 3), 6),
    "QLinearReduceMean": QuantizedOperator("ReduceMean", (0,), 3),
    "QLinearSigmoid": QuantizedOperator("Sigmoid", (0,), 3),
    "QLinearSoftmax": QuantizedOperator("Softmax", (0,), 3),
    "QLinearWhere": QuantizedOperator("Where", (1, 4), 7),
}
# It alone has as many inputs as it likes, and its scale first.
CONCAT: Final = "QLinearConcat"


def quantized(op_type: str, inputs: int) -> QuantizedOperator | None:
    """The row of an operator with so many inputs; None for those that work on real values."""
    if op_type == CONCAT:
        return QuantizedOperator("Concat", tuple(range(2, inputs, 3)), 0)
    return QUANTIZED.get(op_type)


def base_type(op_type: str) -> str:
    """The operator of the float model that it stands for."""
    row = quantized(op_type, 0)
    return op_type if row is None else row.stands_for
