"""Which nodes run as one operator, and what the compiler calls it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import onnx

from tools.npu_case.source import Source, made, name_of

HEADS: Final = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})
# Folded into the weights while compiling: the operator keeps its name.
FOLDED: Final = frozenset({"BatchNormalization"})
ACTIVATIONS: Final = frozenset(
    {"Relu", "LeakyRelu", "PRelu", "Sigmoid", "Tanh", "Clip", "Elu", "HardSigmoid", "HardSwish"}
)
JOINED: Final = ACTIVATIONS | {"Add"}
# As GE calls operators; others keep the name that ONNX has for them.
TYPES: Final = {
    "Conv": "Conv2D",
    "ConvTranspose": "Conv2DTransposeD",
    "Gemm": "MatMulV2",
    "MatMul": "BatchMatMulV2",
    "BatchNormalization": "BNInfer",
    "Clip": "ClipByValueV2",
    "Div": "RealDiv",
    "Softmax": "SoftmaxV2",
    "Transpose": "TransposeD",
    "Flatten": "Reshape",
    "Concat": "ConcatD",
    "ReduceMean": "ReduceMeanD",
    "LayerNormalization": "LayerNorm",
    "MaxPool": "MaxPoolV3",
    "AveragePool": "AvgPoolV2",
    "GlobalAveragePool": "AdaptiveAvgPool2d",
}


@dataclass(frozen=True, slots=True)
class Group:
    """One operator of the compiled model; `nodes` are numbers of `Source.nodes`."""

    name: str
    op_type: str
    nodes: tuple[int, ...]
    originals: tuple[str, ...]


def groups_of(source: Source, fused: bool = True) -> tuple[Group, ...]:
    """In running order: that of the last node of each."""
    taken: set[int] = set()
    found: list[Group] = []
    for at in range(len(source.nodes)):
        if at not in taken:
            nodes = tuple(_chain(source, at, taken)) if fused else (at,)
            taken.update(nodes)
            found.append(_group(source, nodes))
    return tuple(sorted(found, key=lambda group: group.nodes[-1]))


def _chain(source: Source, at: int, taken: set[int]) -> Iterator[int]:
    """From a layer with weights along edges with one reader."""
    yield at
    if source.nodes[at].op_type not in HEADS:
        return
    allowed = FOLDED | JOINED
    while True:
        tensors = made(source.nodes[at])
        readers = source.readers.get(tensors[0], ())
        if len(tensors) != 1 or tensors[0] in source.outputs or len(readers) != 1:
            return
        at = readers[0]
        kind = source.nodes[at].op_type
        if kind not in allowed or at in taken:
            return
        yield at
        # Behind an activation nothing joins any more, and of each other kind only one does.
        allowed = frozenset() if kind in ACTIVATIONS else allowed - {kind} - FOLDED


def _group(source: Source, nodes: tuple[int, ...]) -> Group:
    protos = [source.nodes[at] for at in nodes]
    names = [name_of(node) for node in protos]
    shown = [name for at, name in enumerate(names) if at == 0 or protos[at].op_type not in FOLDED]
    return Group("".join(shown), _type(protos[0]), nodes, tuple(names))


def _type(node: onnx.NodeProto) -> str:
    groups = next((entry.i for entry in node.attribute if entry.name == "group"), 1)
    if node.op_type == "Conv" and groups > 1:
        return "DepthwiseConv2D"
    return TYPES.get(node.op_type, node.op_type)
