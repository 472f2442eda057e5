"""The original model as the made-up compiler sees it: nodes in running order, and all tensors of one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

Array = NDArray[Any]
# They only say something about sizes, which are known when a model is compiled.
SIZES = frozenset({"Shape", "Size", "ConstantOfShape"})


@dataclass(frozen=True, eq=False)
class Source:
    """`values` holds every tensor of the run of the original, in its own precision, constants included."""

    model: onnx.ModelProto
    inputs: Mapping[str, Array]
    values: Mapping[str, Array]
    # Tensors that no input of the model has a say in.
    constant: frozenset[str]

    @cached_property
    def nodes(self) -> Sequence[onnx.NodeProto]:
        """Those that are left when everything constant is computed beforehand."""
        return [node for node in self.model.graph.node if not all(name in self.constant for name in made(node))]

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        return tuple(value.name for value in self.model.graph.output)

    @cached_property
    def readers(self) -> Mapping[str, list[int]]:
        """By tensor the numbers of the nodes that read it, once for each time."""
        found: dict[str, list[int]] = {}
        for at, node in enumerate(self.nodes):
            for name in node.input:
                found.setdefault(name, []).append(at)
        return found


def made(node: onnx.NodeProto) -> list[str]:
    return [name for name in node.output if name]


def name_of(node: onnx.NodeProto) -> str:
    """A node without a name is called as what it makes."""
    return node.name if node.name else made(node)[0]


def source_of(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> Source:
    """Runs the model once with all tensors exposed."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    initial = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    constant = set(initial)
    for node in model.graph.node:
        if node.op_type in SIZES or all(name in constant for name in node.input if name):
            constant.update(made(node))
    return Source(model, dict(inputs), {**initial, **inputs, **_all_tensors(model, inputs)}, frozenset(constant))


def _all_tensors(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> dict[str, Array]:
    wide = onnx.ModelProto.FromString(model.SerializeToString())
    names = [name for node in wide.graph.node for name in made(node)]
    known = {value.name for value in wide.graph.output}
    wide.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    return dict(zip(names, _session(wide).run(names, dict(inputs)), strict=True))


def _session(model: onnx.ModelProto) -> Any:
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


@dataclass(eq=False)
class OneNode:
    """Runs single nodes on any values; a node that was built once is kept."""

    source: Source
    _built: dict[tuple[bytes, tuple[str, ...]], Any] = field(default_factory=dict)

    def run(self, node: onnx.NodeProto, values: Mapping[str, Array]) -> dict[str, Array]:
        names = list(dict.fromkeys(name for name in node.input if name))
        types = tuple(f"{name}:{values[name].dtype}:{values[name].ndim}" for name in names)
        key = (node.SerializeToString(), types)
        if key not in self._built:
            self._built[key] = _session(self._alone(node, {name: values[name] for name in names}))
        results = self._built[key].run(made(node), {name: values[name] for name in names})
        return dict(zip(made(node), results, strict=True))

    def _alone(self, node: onnx.NodeProto, values: Mapping[str, Array]) -> onnx.ModelProto:
        inputs = [
            onnx.helper.make_tensor_value_info(
                name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), [None] * array.ndim
            )
            for name, array in values.items()
        ]
        graph = onnx.helper.make_graph([node], "node", inputs, [onnx.ValueInfoProto(name=name) for name in made(node)])
        model = onnx.helper.make_model(graph, opset_imports=list(self.source.model.opset_import))
        model.ir_version = self.source.model.ir_version
        return model


def floats(array: Array) -> bool:
    return bool(np.issubdtype(array.dtype, np.floating))
