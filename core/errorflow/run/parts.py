"""A ModelProto taken apart: what each node reads, and models of some of its nodes. Runs in a process of its own."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.values import dataclass
from errorflow.formats.onnx.external import beside, is_there
from errorflow.run.model import RunError
from errorflow.run.refusals import unknown_operator

if TYPE_CHECKING:
    import onnx

# The domains whose operators ONNX Runtime has.
KNOWN_DOMAINS = frozenset(
    ("", "ai.onnx", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training", "com.microsoft")
)
_EXTERNAL = 1
# The newest form of the file that ONNX Runtime 1.20 takes; later ones differ in what no runtime needs.
NEWEST_IR = 10


@dataclass(frozen=True)
class Parts:
    """The main graph's nodes so that each comes after those whose tensors it reads."""

    model: "onnx.ModelProto"
    path: Path

    @classmethod
    def load(cls, path: Path) -> "Parts":
        """The model without the values beside it, which are read where they lie."""
        import onnx
        from google.protobuf.message import DecodeError

        try:
            model = onnx.load(path, load_external_data=False)
        except (DecodeError, ValueError) as error:
            raise RunError(
                f"{path.name} could not be loaded as a binary ONNX model.", "Save it with onnx.save."
            ) from error
        parts = cls(model, path)
        parts._check_files()
        return parts

    @cached_property
    def constants(self) -> "Mapping[str, onnx.TensorProto]":
        return {tensor.name: tensor for tensor in self.model.graph.initializer}

    @cached_property
    def sparse(self) -> "Mapping[str, onnx.SparseTensorProto]":
        return {tensor.values.name: tensor for tensor in self.model.graph.sparse_initializer}

    @cached_property
    def nodes(self) -> "Sequence[onnx.NodeProto]":
        """Nodes in an order in which they can run; mostly that of the file."""
        nodes = list(self.model.graph.node)
        makers = {name: place for place, node in reversed(list(enumerate(nodes))) for name in node.output if name}
        for name in self._from_outside:
            makers.pop(name, None)
        before = [{makers[name] for name in reads(node) if name in makers} for node in nodes]
        behind: list[list[int]] = [[] for _ in nodes]
        for place, needed in enumerate(before):
            for maker in needed:
                behind[maker].append(place)
        ready = [place for place, needed in enumerate(before) if not needed]
        ordered: list[int] = []
        while ready:
            place = heappop(ready)
            ordered.append(place)
            for reader in behind[place]:
                before[reader].remove(place)
                if not before[reader]:
                    heappush(ready, reader)
        if len(ordered) < len(nodes):
            raise RunError(
                f"The nodes of {self.path.name} read each other's results in a circle.", "Export the model again."
            )
        return [nodes[place] for place in ordered]

    @cached_property
    def _from_outside(self) -> frozenset[str]:
        return frozenset((*(value.name for value in self.model.graph.input), *self.constants, *self.sparse))

    def build(
        self,
        nodes: "Iterable[onnx.NodeProto]",
        inputs: "Iterable[onnx.ValueInfoProto]",
        outputs: Iterable[str],
        constants: Collection[str],
    ) -> "onnx.ModelProto":
        """A model of these nodes, with the constants of these names; types of outputs are worked out by who runs it."""
        import onnx

        model = onnx.ModelProto()
        model.ir_version = min(self.model.ir_version, NEWEST_IR)
        model.opset_import.extend(self.model.opset_import)
        model.functions.extend(self.model.functions)
        model.graph.name = self.model.graph.name if self.model.graph.name else "graph"
        model.graph.node.extend(nodes)
        model.graph.input.extend(inputs)
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs)
        model.graph.initializer.extend(self.constants[name] for name in constants if name in self.constants)
        model.graph.sparse_initializer.extend(self.sparse[name] for name in constants if name in self.sparse)
        return model

    def check_operators(self) -> None:
        """Checks before anything runs that all operators are of known families."""
        own = {function.domain for function in self.model.functions}
        strange = [node for node in self.model.graph.node if node.domain not in KNOWN_DOMAINS | own]
        if strange:
            node = strange[0]
            name = node.name if node.name else next(iter(node.output), "")
            raise unknown_operator(f"{node.domain}:{node.op_type}", name)

    def _check_files(self) -> None:
        """Checks that all values are there, in the model's own folder."""
        functions = (node for function in self.model.functions for node in function.node)
        for tensor in (*_tensors(self.model.graph), *_tensors_of(functions)):
            if tensor.data_location == _EXTERNAL:
                place = next((entry.value for entry in tensor.external_data if entry.key == "location"), "")
                file = beside(self.path, place)
                if not is_there(file):
                    raise RunError(
                        f"The values of {tensor.name} are in {place}, which is missing.",
                        f"Copy it into the folder of {self.path.name}.",
                    )


def _tensors(graph: "onnx.GraphProto") -> "Iterator[onnx.TensorProto]":
    """Yields all constants of a graph, at whatever depth."""
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    yield from _tensors_of(graph.node)


def _tensors_of(nodes: "Iterable[onnx.NodeProto]") -> "Iterator[onnx.TensorProto]":
    for node in nodes:
        for attribute in node.attribute:
            yield from (attribute.t, *attribute.tensors)
            for sparse in (attribute.sparse_tensor, *attribute.sparse_tensors):
                yield from (sparse.values, sparse.indices)
            for graph in (attribute.g, *attribute.graphs):
                yield from _tensors(graph)


def reads(node: "onnx.NodeProto") -> list[str]:
    """The tensors that a node needs, those included that its branches and bodies take from around them."""
    found = [name for name in node.input if name]
    for attribute in node.attribute:
        for graph in (*((attribute.g,) if attribute.HasField("g") else ()), *attribute.graphs):
            found += _free(graph)
    return list(dict.fromkeys(found))


def _free(graph: "onnx.GraphProto") -> list[str]:
    """The tensors of the graph around it that it reads."""
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    own |= {tensor.values.name for tensor in graph.sparse_initializer}
    own |= {name for node in graph.node for name in node.output}
    found = [name for node in graph.node for name in reads(node)]
    return [name for name in (*found, *(value.name for value in graph.output)) if name not in own]
