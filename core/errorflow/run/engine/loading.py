"""A model in the worker: nodes without weights, and the weights as arrays that sessions share. Runs in a process of
its own."""

from collections.abc import MutableMapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from errorflow.base.values import dataclass
from errorflow.formats.onnx.external import beside
from errorflow.quant.protos import OWN, opset_of
from errorflow.run.model import Array
from errorflow.run.parts import Parts, reads

if TYPE_CHECKING:
    import onnx

_EXTERNAL = 1
_OLDEST_IR = 4
_VALUES = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}


@dataclass(frozen=True)
class LoadedConstants:
    """Constants of types that numpy has are in `weights`; all others stay in `parts`. Plans may add some of theirs."""

    parts: Parts
    weights: MutableMapping[str, Array]

    @classmethod
    def of(cls, path: Path) -> "LoadedConstants":
        import onnx

        whole = Parts.load(path)
        whole.check_operators()
        weights: dict[str, Array] = {}
        # Older ones want each constant to be an input too.
        model = onnx.ModelProto(ir_version=max(whole.model.ir_version, _OLDEST_IR))
        model.opset_import.extend(whole.model.opset_import)
        model.functions.extend(whole.model.functions)
        graph, old = model.graph, whole.model.graph
        graph.name = old.name
        for tensor in old.initializer:
            array = _values(tensor, path)
            if array is None:
                graph.initializer.append(tensor)
            else:
                weights[tensor.name] = array
        graph.sparse_initializer.extend(old.sparse_initializer)
        for node in whole.nodes:
            array = _constant(node, path)
            if array is None:
                graph.node.append(node)
            else:
                weights[node.output[0]] = array
        graph.input.extend(value for value in old.input if value.name not in whole.constants)
        graph.output.extend(old.output)
        if OWN not in {entry.domain for entry in model.opset_import}:
            model.opset_import.add(domain=OWN, version=1)
        # A model of its own, so that the memory of the old one is free: its weights are in the arrays now.
        return cls(Parts(model, path), weights)

    @cached_property
    def nodes(self) -> "Sequence[onnx.NodeProto]":
        return list(self.parts.model.graph.node)

    @cached_property
    def reads(self) -> list[list[str]]:
        return [reads(node) for node in self.nodes]

    @property
    def opset(self) -> int:
        return opset_of(self.parts.model)

    @cached_property
    def prefix(self) -> str:
        """No tensor's name begins so."""
        taken = [name for node in self.nodes for name in (*node.input, *node.output)]
        prefix = "errorflow:"
        while any(name.startswith(prefix) for name in taken):
            prefix += ":"
        return prefix

    @property
    def inputs(self) -> list[str]:
        return [value.name for value in self.parts.model.graph.input]

    @property
    def outputs(self) -> list[str]:
        return [value.name for value in self.parts.model.graph.output]


def _constant(node: "onnx.NodeProto", path: Path) -> Array | None:
    """Reads what a Constant node makes, if it is a plain tensor."""
    from onnx import helper

    if node.op_type != "Constant" or node.domain not in ("", "ai.onnx") or len(node.attribute) != 1:
        return None
    attribute = node.attribute[0]
    if attribute.name == "value":
        return _values(attribute.t, path)
    if attribute.name in _VALUES:
        return np.asarray(helper.get_attribute_value(attribute), _VALUES[attribute.name])
    return None


def _values(tensor: "onnx.TensorProto", path: Path) -> Array | None:
    import onnx

    numpy_type = numpy_type_of(tensor.data_type)
    if numpy_type is None:
        return None
    if tensor.data_location != _EXTERNAL:
        array: Array = onnx.numpy_helper.to_array(tensor)
        return array
    entries = {entry.key: entry.value for entry in tensor.external_data}
    offset = int(entries.get("offset", "0"))
    shape = tuple(tensor.dims)
    if 0 in shape:
        return np.zeros(shape, numpy_type)
    # Not read before it is needed, and given back to the system when memory is short.
    return np.memmap(beside(path, entries["location"]), numpy_type, "r", offset, shape)


def numpy_type_of(data_type: int) -> "np.dtype[np.generic] | None":
    """numpy's type for the one that ONNX has that number for; None where numpy lacks it."""
    from onnx import TensorProto

    name = TensorProto.DataType.Name(data_type).lower()
    plain = {"float": "float32", "double": "float64", "bool": "bool"}
    try:
        return None if name in ("string", "undefined") else np.dtype(plain.get(name, name))
    except TypeError:
        return None
