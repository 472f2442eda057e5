"""Runs a model with ONNX Runtime as it stands in the file: nothing fused, nothing optimised away."""

from collections.abc import Iterator

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray

from make_sample.net import Floats, Net

Tensors = dict[str, NDArray[np.generic]]


def session(proto: onnx.ModelProto, tensors: tuple[str, ...] = ()) -> ort.InferenceSession:
    """Gives the model's outputs, or `tensors` of any place."""
    if tensors:
        proto = onnx.ModelProto.FromString(proto.SerializeToString())
        known = {value.name: value for value in (*proto.graph.value_info, *proto.graph.output)}
        chosen = [known[name] for name in tensors]
        del proto.graph.output[:]
        proto.graph.output.extend(chosen)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return ort.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])


def runs(proto: onnx.ModelProto, net: Net, images: Floats, tensors: tuple[str, ...] = ()) -> Iterator[Tensors]:
    """The tensors of one image after the other, in the order asked for."""
    ready = session(proto, tensors)
    names = [value.name for value in ready.get_outputs()]
    for image in images:
        yield dict(zip(names, ready.run(names, {net.input: image[None]}), strict=True))


def all_tensors(net: Net) -> tuple[str, ...]:
    return tuple(step.output for step in net.steps)
