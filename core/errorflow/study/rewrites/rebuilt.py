"""The model with other constants and a few nodes more: as a graph whose numbers stay, and as a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Column, Ragged, frozen
from errorflow.base.progress import SILENT, Progress
from errorflow.graph.model import Graph, Weight, Weights
from errorflow.quant.insert import Inserted, write
from errorflow.run.parts import Parts
from errorflow.study.rewrites.smoothing import Divider

if TYPE_CHECKING:
    import onnx

Arrays = Mapping[str, NDArray[np.float32]]
_FACTORS = "_factors"


@dataclass(frozen=True, eq=False)
class _Changed:
    """Constants of which some have other values."""

    before: Weights
    arrays: Arrays

    def names(self) -> Sequence[str]:
        known = self.before.names()
        return (*known, *(name for name in self.arrays if name not in set(known)))

    def info(self, name: str) -> Weight:
        if name not in self.arrays:
            return self.before.info(name)
        array = self.arrays[name]
        return Weight(name, str(array.dtype), array.shape, array.nbytes)

    def read(self, name: str) -> NDArray[np.generic]:
        return self.arrays[name] if name in self.arrays else self.before.read(name)


def factor_arrays(dividers: Sequence[Divider]) -> dict[str, NDArray[np.float32]]:
    """What tensors are multiplied by, in a form that lies over them."""
    return {f"{each.output}{_FACTORS}": _form(each) for each in dividers}


def rebuilt(graph: Graph, arrays: Arrays, dividers: Sequence[Divider]) -> Graph:
    """All nodes and tensors keep their numbers; those of the dividers follow."""
    weights = _Changed(graph.weights, arrays)
    if not dividers:
        return replace(graph, weights=weights)
    nodes, tensors = len(graph), len(graph.tensor_names)
    outputs = range(tensors, tensors + len(dividers))
    factors = range(tensors + len(dividers), tensors + 2 * len(dividers))
    names = {name: number for number, name in enumerate(graph.tensor_names)}
    inputs = [list(row) for row in graph.node_inputs.lists()]
    for each, output in zip(dividers, outputs, strict=True):
        for reader in each.readers:
            inputs[reader] = [output if tensor == names[each.tensor] else tensor for tensor in inputs[reader]]
    inputs += [[names[each.tensor], factor] for each, factor in zip(dividers, factors, strict=True)]
    shapes = [graph.shapes[names[each.tensor]] for each in dividers]
    shapes += [arrays[f"{each.output}{_FACTORS}"].shape for each in dividers]
    more = 2 * len(dividers)
    return replace(
        graph,
        node_names=(*graph.node_names, *(each.node for each in dividers)),
        op_types=Column.of((*graph.op_types, *("Mul" for _ in dividers))),
        domains=Column.of((*graph.domains, *("" for _ in dividers))),
        node_inputs=Ragged.of(inputs),
        node_outputs=Ragged.of([*graph.node_outputs.lists(), *([output] for output in outputs)]),
        tensor_names=(
            *graph.tensor_names,
            *(each.output for each in dividers),
            *(f"{each.output}{_FACTORS}" for each in dividers),
        ),
        dtypes=Column.of((*graph.dtypes, *("float32" for _ in range(more)))),
        shapes=Column.of((*graph.shapes, *shapes)),
        producers=frozen([*graph.producers.tolist(), *range(nodes, nodes + len(dividers)), *(-1 for _ in dividers)]),
        constants=frozen([*graph.constants.tolist(), *factors]),
        origins=Column.of((*graph.origins, *(None for _ in dividers))),
        layouts=Column.of((*graph.layouts, *("" for _ in range(more)))),
        original_layouts=Column.of((*graph.original_layouts, *("" for _ in range(more)))),
        original_shapes=Column.of((*graph.original_shapes, *(None for _ in range(more)))),
        waits_for=graph.waits_for
        if not len(graph.waits_for)
        else Ragged.of([*graph.waits_for.lists(), *([] for _ in dividers)]),
        attributes=lambda node: graph.attributes(node) if node < nodes else {},
        weights=weights,
    )


def write_rebuilt(
    model: Path, graph: Graph, arrays: Arrays, dividers: Sequence[Divider], target: Path, progress: Progress = SILENT
) -> None:
    """`graph`: the rebuilt one."""
    proto = Parts.load(model).model
    for tensor in _tensors(proto.graph):
        if tensor.name in arrays:
            _set(tensor, arrays[tensor.name])
    for node in proto.graph.node:
        if node.op_type == "Constant" and node.output[0] in arrays:
            _set_constant(node, arrays[node.output[0]])
    _insert(proto.graph, dividers, arrays)
    write(Inserted(proto, {}), graph.weights.read, target, progress)


def _tensors(graph: "onnx.GraphProto") -> "Iterator[onnx.TensorProto]":
    yield from graph.initializer


def _set(tensor: "onnx.TensorProto", array: NDArray[Any]) -> None:
    from onnx import numpy_helper

    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))


def _set_constant(node: "onnx.NodeProto", array: NDArray[Any]) -> None:
    from onnx import helper, numpy_helper

    del node.attribute[:]
    node.attribute.append(helper.make_attribute("value", numpy_helper.from_array(np.ascontiguousarray(array))))


def _insert(graph: "onnx.GraphProto", dividers: Sequence[Divider], arrays: Arrays) -> None:
    """Each divider right behind the node that makes what it divides."""
    import onnx
    from onnx import helper, numpy_helper

    if not dividers:
        return
    by_tensor = {each.tensor: each for each in dividers}
    readers = {(reader, each.tensor): each.output for each in dividers for reader in each.readers}
    nodes = []
    for number, node in enumerate(graph.node):
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        for place, name in enumerate(copy.input):
            copy.input[place] = readers.get((number, name), name)
        nodes.append(copy)
        for name in copy.output:
            if name in by_tensor:
                each = by_tensor[name]
                nodes.append(helper.make_node("Mul", [name, f"{each.output}{_FACTORS}"], [each.output], each.node))
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(
        numpy_helper.from_array(arrays[f"{e.output}{_FACTORS}"], f"{e.output}{_FACTORS}") for e in dividers
    )


def _form(each: Divider) -> NDArray[np.float32]:
    factors = (1 / each.factors).astype(np.float32)
    behind = each.axis.from_end
    return factors if behind == -1 or behind is None else factors.reshape([-1] + [1] * (-behind - 1))
