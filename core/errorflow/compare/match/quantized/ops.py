"""ONNX's and ONNX Runtime's quantized operators: what they stand for, and where scales are among their inputs."""

from dataclasses import dataclass
from typing import Final

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
class Quantized:
    """`reads`: places of the inputs that are tensors, each followed by its scale and zero point; `makes`: of the
    scale and zero point of the output, None where it is in float."""

    stands_for: str
    reads: tuple[int, ...]
    makes: int | None


# To add one: a row.
QUANTIZED: Final = {
    "QGemm": Quantized("Gemm", (0, 3), 7),
    "QLinearAdd": Quantized("Add", (0, 3), 6),
    "QLinearAveragePool": Quantized("AveragePool", (0,), 3),
    "QLinearConv": Quantized("Conv", (0, 3), 6),
    "QLinearGlobalAveragePool": Quantized("GlobalAveragePool", (0,), 3),
    "QLinearLeakyRelu": Quantized("LeakyRelu", (0,), 3),
    "QLinearMatMul": Quantized("MatMul", (0, 3), 6),
    "QLinearMul": Quantized("Mul", (0, 3), 6),
    "QLinearReduceMean": Quantized("ReduceMean", (0,), 3),
    "QLinearSigmoid": Quantized("Sigmoid", (0,), 3),
    "QLinearSoftmax": Quantized("Softmax", (0,), 3),
    "QLinearWhere": Quantized("Where", (1, 4), 7),
}
# It alone has as many inputs as it likes, and its scale first.
CONCAT: Final = "QLinearConcat"


def quantized(op_type: str, inputs: int) -> Quantized | None:
    """The row of an operator with so many inputs; None for those that work on real values."""
    if op_type == CONCAT:
        return Quantized("Concat", tuple(range(2, inputs, 3)), 0)
    return QUANTIZED.get(op_type)


def base_type(op_type: str) -> str:
    """The operator of the float model that it stands for."""
    row = quantized(op_type, 0)
    return op_type if row is None else row.stands_for
