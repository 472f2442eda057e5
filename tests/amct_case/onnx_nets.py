"""The same net as ONNX: in float, and quantized with a QuantizeLinear and a DequantizeLinear per layer."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper

from amct_case.layers import CLASSES, EPSILON, Array, Layer, Net
from amct_case.quantizing import Record
from onnx_models import graph, model, value, weight

_TYPES = {"ReLU": "Relu", "Eltwise": "Add", "Softmax": "Softmax"}
Parts = tuple[list[onnx.NodeProto], list[onnx.TensorProto]]


def float_net(net: Net) -> onnx.ModelProto:
    """The norm and its Scale are one BatchNormalization, called as the norm."""
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []
    for layer in net.layers:
        made, more = _float(net, layer)
        nodes += made
        weights += more
    return _whole(net, nodes, weights, "ResNetSmall")


def quantized_net(net: Net, records: Mapping[str, Record]) -> onnx.ModelProto:
    """The norm is folded into its convolution, which makes what the norm made."""
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []
    for layer in net.layers:
        if layer.kind in ("BatchNorm", "Scale"):
            continue
        made, more = _coded(net, layer, records[layer.name]) if layer.name in records else _float(net, layer)
        nodes += made
        weights += more
    return _whole(net, nodes, weights, "ResNetSmall")


def named(net: Net, values: Mapping[str, Array]) -> dict[str, Array]:
    """Tensors by their names in the float model, of a run of Caffe's layers or of AMCT's or the NPU's."""
    names = {
        tensor_of(net, layer.name): layer for layer in net.layers if layer.kind not in ("Convolution", "BatchNorm")
    }
    found = {"data": np.asarray(net.image)}
    for tensor, layer in names.items():
        at = f"{layer.top if layer.kind == 'Scale' else layer.name}_dequant_layer"
        found[tensor] = values[at if at in values else layer.name]
    return found


def tensor_of(net: Net, layer: str) -> str:
    return layer.replace("scale", "bn") if layer in net.by_name and net.by_name[layer].kind == "Scale" else layer


def _whole(net: Net, nodes: list[onnx.NodeProto], weights: list[onnx.TensorProto], name: str) -> onnx.ModelProto:
    ends = {"inputs": [value("data", net.image.shape)], "outputs": [value("prob", (1, CLASSES))]}
    return model(graph(*nodes, **ends, weights=weights, name=name), ir_version=10)


def _float(net: Net, layer: Layer) -> Parts:
    read, name = [tensor_of(net, each) for each in layer.bottoms], layer.name
    if layer.kind == "Convolution":
        node = helper.make_node("Conv", [*read, f"{name}.weight"], [name], name, **_window(layer))
        return [node], [weight(f"{name}.weight", net.weights[name][0])]
    if layer.kind == "BatchNorm":
        return [], []
    if layer.kind == "Scale":
        return _norm(net, layer)
    if layer.kind == "InnerProduct":
        return _product(read[0], name, net.weights[name])
    if layer.kind == "Pooling":
        window: dict[str, Any] = {"kernel_shape": [layer.kernel] * 2, "strides": [layer.stride] * 2}
        return [helper.make_node("AveragePool" if layer.average else "MaxPool", read, [name], name, **window)], []
    return [helper.make_node(_TYPES[layer.kind], read, [name], name)], []


def _norm(net: Net, scale: Layer) -> Parts:
    norm = net.by_name[scale.bottoms[0]]
    numbers = (*net.weights[scale.name], *net.weights[norm.name])
    names = [f"{norm.name}.{part}" for part in ("weight", "bias", "mean", "var")]
    node = helper.make_node("BatchNormalization", [norm.bottoms[0], *names], [norm.name], norm.name, epsilon=EPSILON)
    return [node], [weight(name, each) for name, each in zip(names, numbers, strict=True)]


def _product(read: str, name: str, weights: tuple[Array, ...]) -> Parts:
    nodes = [
        helper.make_node("Flatten", [read], [f"{name}_flat"], f"{name}_flat"),
        helper.make_node("Gemm", [f"{name}_flat", f"{name}.weight", f"{name}.bias"], [name], name, transB=1),
    ]
    return nodes, [weight(f"{name}.weight", weights[0]), weight(f"{name}.bias", weights[1])]


def _window(layer: Layer) -> dict[str, Any]:
    return {"kernel_shape": [layer.kernel] * 2, "strides": [layer.stride] * 2, "pads": [layer.pad] * 4}


def _coded(net: Net, layer: Layer, record: Record) -> Parts:
    name, read = layer.name, tensor_of(net, layer.bottoms[0])
    numbers = dict(_numbers(name, record))
    point = [f"{name}_input_scale", f"{name}_input_zero"]
    coded, back = f"{read}_for_{name}_codes", f"{read}_for_{name}"
    nodes = [
        helper.make_node("QuantizeLinear", [read, *point], [coded], f"{name}_quantize"),
        helper.make_node("DequantizeLinear", [coded, *point], [back], f"{name}_dequantize"),
        helper.make_node(
            "DequantizeLinear",
            [f"{name}.weight_codes", f"{name}.weight_scales", f"{name}.weight_zeros"],
            [f"{name}.weight"],
            f"{name}_weights",
            axis=0,
        ),
    ]
    if layer.kind == "Convolution":
        inputs, output = [back, f"{name}.weight", f"{name}.bias"], tensor_of(net, net.unit(name)[-1])
        nodes.append(helper.make_node("Conv", inputs, [output], name, **_window(layer)))
    else:
        product, _ = _product(back, name, (record.weights, record.bias))
        nodes += product
    return nodes, [weight(key, each) for key, each in numbers.items()]


def _numbers(name: str, record: Record) -> Iterator[tuple[str, Array]]:
    yield f"{name}_input_scale", np.asarray(record.scale, np.float32)
    yield f"{name}_input_zero", np.asarray(record.offset, np.int8)
    yield f"{name}.weight_codes", record.weight_codes
    yield f"{name}.weight_scales", record.scales.astype(np.float32)
    yield f"{name}.weight_zeros", np.zeros(len(record.scales), np.int8)
    yield f"{name}.bias", (record.bias_codes * record.scale * record.scales).astype(np.float32)
