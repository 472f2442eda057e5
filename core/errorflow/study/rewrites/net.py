"""A graph as steps see it: who makes and reads what, which constants there are, and what must not be touched."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.graph.model import Graph, Model, Node, Shape
from errorflow.graph.order import run_order

Array = NDArray[np.generic]


class Net:
    def __init__(self, graph: Graph, shapes: dict[str, Shape] | None = None) -> None:
        self.graph = graph
        self.nodes: tuple[Node, ...] = tuple(graph.nodes())
        self.order: list[int] = run_order(graph).tolist()
        self._shapes = {} if shapes is None else shapes
        names = graph.tensor_names
        self.inputs = frozenset(names[tensor] for tensor in graph.inputs.tolist())
        self.outputs = frozenset(names[tensor] for tensor in graph.outputs.tolist())
        self.makers = {name: node.index for node in self.nodes for name in node.outputs if name}
        self.readers: dict[str, list[int]] = {}
        for node in self.nodes:
            for name in dict.fromkeys(node.inputs):
                if name:
                    self.readers.setdefault(name, []).append(node.index)
        # What bodies of If, Loop and Scan read of it goes by the same name there.
        self.captured = frozenset(name for path, body in graph.walk() if path for name in body.tensor_names)
        self._source: dict[str, str] = dict(self._constants())

    @classmethod
    def of(cls, model: Model, progress: Progress = SILENT) -> "Net":
        """Opens the model with the shapes that ONNX infers, where the file does not say them."""
        shaped = model.graph if model.infer_shapes is None else model.infer_shapes(progress).graph
        return cls(model.graph, dict(zip(shaped.tensor_names, shaped.shapes, strict=True)))

    def shape(self, tensor: str) -> Shape:
        return self._shapes.get(tensor)

    def source(self, name: str) -> str | None:
        """The constant that goes by that name; None: it is none."""
        return self._source.get(name)

    def read(self, name: str) -> Array:
        """The values of a constant."""
        return self.graph.weights.read(self._source[name])

    def readers_of_constant(self, source: str) -> frozenset[int]:
        """The nodes that read it under any of its names; those that only pass it on are none."""
        return frozenset(
            reader
            for name in self._names[source]
            for reader in self.readers.get(name, ())
            if self._source.get(next(iter(self.nodes[reader].outputs), "")) != source
        )

    def is_free(self, source: str) -> bool:
        """Whether only nodes of the graph can see it."""
        return not (self.captured | self.outputs).intersection(self._names[source])

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, source in self._source.items():
            found.setdefault(source, []).append(name)
        return found

    def _constants(self) -> Iterator[tuple[str, str]]:
        known: dict[str, str] = {}
        for tensor in self.graph.constants.tolist():
            known[self.graph.tensor_names[tensor]] = self.graph.tensor_names[tensor]
        for number in self.order:
            node = self.nodes[number]
            if node.op_type == "Constant":
                known |= {name: name for name in node.outputs}
            elif node.op_type == "Identity" and node.inputs[0] in known:
                known |= dict.fromkeys(node.outputs, known[node.inputs[0]])
        yield from known.items()

    def title(self, node: int) -> str:
        return self.graph.title(node)
