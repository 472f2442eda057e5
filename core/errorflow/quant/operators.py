"""Operators as quantization sees them: which inputs flow, which are weights, and which nodes only move values."""

from collections.abc import Mapping

from errorflow.base.values import dataclass
from errorflow.graph.model import Graph, Node


@dataclass(frozen=True, slots=True)
class Weighted:
    """An operator that multiplies by weights: which input they are, and the axis of their output channels."""

    weight: int
    axis: int
    bias: int | None = None
    # The attribute that turns the weights around; the axis is the other one of two then.
    turned_by: str = ""

    def axis_of(self, node: Node) -> int:
        if self.turned_by and node.attributes.get(self.turned_by, 0):
            return 1 - self.axis
        return self.axis


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRODUCTS: Mapping[str, Weighted] = {
    "Conv": Weighted(1, 0, 2),
    "ConvTranspose": Weighted(1, 1, 2),
    "Gemm": Weighted(1, 1, 2, turned_by="transB"),
    # Of a batch of matrices too, the last axis makes the columns.
    "MatMul": Weighted(1, -1),
}
# Those that scale and shift what they have made even: ONNX Runtime's tool codes their scale as weights, with one scale
# for all, and what is added as a bias.
_NORMS = ("BatchNormalization", "InstanceNormalization", "LayerNormalization")
WEIGHTED: Mapping[str, Weighted] = {**PRODUCTS, **dict.fromkeys(_NORMS, Weighted(1, 0, 2))}
# They change nothing but places: their output has the values of their first input, so that codes stay codes.
MOVING = _words(
    "Reshape Transpose Squeeze Unsqueeze Flatten Identity Dropout Slice Gather GatherElements GatherND Expand Tile "
    "Split DepthToSpace SpaceToDepth MaxPool ReverseSequence"
)
# They make new values between the lowest and the highest of their first input, and keep its scale.
KEEPING = frozenset(("AveragePool", "TopK", "Resize", "Upsample"))
# Which inputs hold values that flow; the others are sizes, places and limits. All, where nothing is said.
_FLOWING: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(MOVING | KEEPING, (0,)),
    "Clip": (0,),
    "Pad": (0,),
    "CumSum": (0,),
    "OneHot": (),
    "Range": (),
    "Where": (1, 2),
    "ScatterND": (0, 2),
    "ScatterElements": (0, 2),
    "ReduceMean": (0,),
    "ReduceSum": (0,),
    "ReduceMax": (0,),
    "ReduceMin": (0,),
    "ReduceProd": (0,),
    "ReduceL1": (0,),
    "ReduceL2": (0,),
    **dict.fromkeys(_NORMS, (0, 1)),
    "GroupNormalization": (0,),
    "PRelu": (0,),
    # An exponent that is no whole number any more makes NaN of all that is negative.
    "Pow": (0,),
}
# Nothing that they read or make is quantized: they ask for forms, make constants, or are quantizers themselves.
_OUTSIDE = _words(
    "Shape Size Constant ConstantOfShape RandomNormal RandomUniform RandomNormalLike RandomUniformLike EyeLike NonZero "
    "ArgMax ArgMin Cast CastLike QuantizeLinear DequantizeLinear DynamicQuantizeLinear If Loop Scan NonMaxSuppression "
    "IsNaN IsInf Equal Greater GreaterOrEqual Less LessOrEqual Not And Or Xor"
)


# How names of nodes begin that a step puts into a model: they make another tensor of one that then stays in float.
OWN_NAMES = "errorflow:"


def is_own(node: Node) -> bool:
    return node.name.startswith(OWN_NAMES)


def only_divided(graph: Graph) -> list[int]:
    """Tensors that only such nodes read."""
    own = {number for number, name in enumerate(graph.node_names) if name.startswith(OWN_NAMES)}
    if not own:
        return []
    outputs = set(graph.outputs.tolist())
    read = enumerate(graph.consumers.lists())
    return [tensor for tensor, nodes in read if nodes and own.issuperset(nodes) and tensor not in outputs]


def flowing(node: Node) -> tuple[int, ...]:
    """The places of the inputs whose values flow through the node."""
    if is_own(node):
        return ()
    if node.op_type in _OUTSIDE or node.domain not in ("", "ai.onnx"):
        return ()
    weighted = PRODUCTS.get(node.op_type)
    if weighted is not None:
        return tuple(place for place in range(len(node.inputs)) if place != weighted.bias)
    return _FLOWING.get(node.op_type, tuple(range(len(node.inputs))))
