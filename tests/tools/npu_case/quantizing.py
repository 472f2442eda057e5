"""int8 as AMCT and the compiler do it: an operator that quantizes, a layer that sums up codes, one that dequantizes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx

import ascend_writer
from ascend_writer import Json
from tools.npu_case.chip import Chip
from tools.npu_case.compiled import Compiler, Link, Op, Port
from tools.npu_case.fusing import FOLDED, Group
from tools.npu_case.layouts import plain_layout
from tools.npu_case.source import Array, Source, made, name_of

LOWEST, HIGHEST, STEPS = -128, 127, 255
_LAYERS = frozenset({"Conv", "Gemm", "MatMul"})
QUANT, DEQUANT = ".quant", ".dequant"


@dataclass(frozen=True, eq=False)
class Codes:
    """What a layer computes with; `sums` are of whole numbers, the bias among them, before anything is scaled."""

    scale: float
    offset: int
    scales: Array
    data: Array
    weights: Array
    # Empty: the layer has none.
    bias: Array
    sums: Array


def is_quantized(source: Source, group: Group) -> bool:
    """Whether it is a layer with constant weights; norms are folded into them before."""
    node = source.nodes[group.nodes[0]]
    folded = any(source.nodes[at].op_type in FOLDED for at in group.nodes)
    constants = [name in source.constant for name in node.input[:2]]
    return node.op_type in _LAYERS and constants == [False, True] and not folded


@dataclass(eq=False)
class Quantized(Chip):
    """A chip whose layers compute in int8; ranges are those of the original's run."""

    per_tensor: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.codes: dict[Group, Codes] = {}

    def run(self, groups: Sequence[Group]) -> Mapping[str, Array]:
        self._layers = {group.nodes[0]: group for group in groups if is_quantized(self.source, group)}
        return super().run(groups)

    def node(self, node: onnx.NodeProto, values: Mapping[str, Array]) -> dict[str, Array]:
        group = self._layers.get(self.source.nodes.index(node))
        if group is None:
            return super().node(node, values)
        codes = self._codes(node, values)
        self.codes[group] = codes
        return {made(node)[0]: _real(node, codes)}

    def _codes(self, node: onnx.NodeProto, values: Mapping[str, Array]) -> Codes:
        scale, offset = _range(self.source.values[node.input[0]])
        data = np.clip(np.rint(values[node.input[0]] / scale) + offset, LOWEST, HIGHEST)
        weights = self.source.values[node.input[1]]
        axis = _axis(node)
        scales = _scales(weights, None if self.per_tensor else axis)
        codes = np.clip(np.rint(weights / _spread(scales, axis, weights.ndim)), -HIGHEST, HIGHEST)
        summing = onnx.NodeProto.FromString(node.SerializeToString())
        del summing.input[2:]
        read = {node.input[0]: (data - offset).astype(np.float32), node.input[1]: codes.astype(np.float32)}
        sums = np.rint(super().node(summing, read)[made(node)[0]]).astype(np.int64)
        bias = np.zeros(0, np.int32)
        if len(node.input) > 2 and node.input[2]:
            bias = np.rint(values[node.input[2]] / (scale * scales)).astype(np.int32)
            sums = sums + _spread(bias, 1 if node.op_type == "Conv" else sums.ndim - 1, sums.ndim)
        return Codes(scale, offset, scales, data.astype(np.int8), codes.astype(np.int8), bias, sums.astype(np.int32))


def _real(node: onnx.NodeProto, codes: Codes) -> Array:
    rank = codes.sums.ndim
    scales = _spread(codes.scale * codes.scales, 1 if node.op_type == "Conv" else rank - 1, rank)
    return np.asarray(codes.sums * scales, np.float32)


def _spread(row: Array, axis: int, rank: int) -> Array:
    """A value per channel, in a shape that goes with the tensor."""
    return row.reshape([-1 if at == axis % rank else 1 for at in range(rank)])


def _axis(node: onnx.NodeProto) -> int:
    """Of the weights, that of the output channels."""
    turned = next((entry.i for entry in node.attribute if entry.name == "transB"), 0)
    return 0 if node.op_type == "Conv" or turned else -1


def _range(array: Array) -> tuple[float, int]:
    low, high = min(0.0, float(array.min())), max(0.0, float(array.max()))
    scale = (high - low) / STEPS if high > low else 1.0
    return scale, int(np.rint(-low / scale)) + LOWEST


def _scales(weights: Array, axis: int | None) -> Array:
    others = None if axis is None else tuple(at for at in range(weights.ndim) if at != axis % weights.ndim)
    largest = np.abs(weights).max(axis=others).astype(np.float64).reshape(-1)
    return np.where(largest > 0, largest, 1.0) / HIGHEST


@dataclass(eq=False)
class QuantizedCompiler(Compiler):
    """Puts three operators in the place of each layer of the chip."""

    chip: Quantized | None = None

    def group(self, group: Group) -> Op:
        assert self.chip is not None
        codes = self.chip.codes.get(group)
        return super().group(group) if codes is None else self._layer(group, codes)

    def _layer(self, group: Group, codes: Codes) -> Op:
        node, last = self.source.nodes[group.nodes[0]], self.source.nodes[group.nodes[-1]]
        name, layout = name_of(node), self.layout_of(group, self.reads(group))
        tensor = node.input[0]
        quant = self.add(
            Op(
                name + QUANT,
                "AscendQuant",
                [self.read(tensor, layout)],
                [Port(codes.data, "int8", _plain(layout, codes.data), (name + QUANT, 0))],
                (name + QUANT,),
                attributes={"scale": 1 / codes.scale, "offset": float(codes.offset), "sqrt_mode": False},
            )
        )
        constants = [self._hidden(f"{node.input[1]}_int8", codes.weights, "int8")]
        if codes.bias.size:
            constants.append(self._hidden(f"{node.input[2]}_int32", codes.bias, "int32"))
        sums = Port(codes.sums, "int32", _plain(layout, codes.sums), (name, 0))
        layer = self.add(Op(name, group.op_type, [Link(quant), *constants], [sums], (name,)))
        scales = (codes.scale * codes.scales).astype(np.float32).view(np.uint32).astype(np.uint64)
        rest = [self.read(read, layout) for read in self.reads(group) if read != tensor and read not in node.input]
        made_by = name_of(last) if len(group.nodes) > 1 else name + DEQUANT
        array = self.values[made(last)[0]]
        dequant = Op(
            name + DEQUANT + group.name.removeprefix(name),
            "AscendDequant",
            [Link(layer), self._hidden(f"{name}_scales", scales, "uint64"), *rest],
            [Port(array, "float16", _plain(layout, array), (made_by, 0))],
            (name + DEQUANT, *group.originals[1:]),
        )
        return self.add(dequant, made(last))

    def _hidden(self, name: str, array: Array, dtype: str) -> Link:
        """A constant that only the compiled model has."""
        return Link(self.add(Op(name, "Const", [], [Port(array, dtype, plain_layout(array))], is_dumped=False)))


def _plain(layout: str, array: Array) -> str:
    return layout if layout else plain_layout(array)


def quantization_json(source: Source, layers: Sequence[Group], name: str) -> Json:
    """What AMCT says of the layers that it quantized: which layers of the original each operator stands for."""
    quantized = {name_of(source.nodes[group.nodes[0]]) for group in layers}
    ops: list[Json] = [ascend_writer.op(each, "Input", outputs=0) for each in source.inputs]
    for node in source.nodes:
        layer = name_of(node)
        if layer not in quantized:
            ops.append(ascend_writer.op(layer, node.op_type, outputs=0))
            continue
        about = {"_datadump_original_op_names": (layer,)}
        origin = {
            "_datadump_origin_format": "NCHW",
            "_datadump_data_type": "DT_FLOAT",
            "_datadump_origin_output_index": 0,
            "_datadump_origin_name": layer,
        }
        ops.append(ascend_writer.op(layer + QUANT, "Quant", outputs=0, **about))
        ops.append(ascend_writer.op(layer, node.op_type, outputs=0, **about))
        entries = [ascend_writer.attr(key, value) for key, value in origin.items()]
        ops.append(ascend_writer.op(layer + DEQUANT, "DeQuant", outputs=[{"attr": entries}], **about))
    return {"name": name, "graph": [{"op": ops}]}
