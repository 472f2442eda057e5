"""Who makes a tensor and who reads it, also across the border of a body of control flow."""

from dataclasses import dataclass

from errorflow.base.language import Verbatim
from errorflow.graph.model import Graph, Model
from errorflow.layout.reads import reads
from errorflow_viewer.document.state import Place
from errorflow_viewer.panels.sections import link, soft

FEW = 5


@dataclass(frozen=True, eq=False, slots=True)
class Around:
    """The graph on view, and those that it lies in, from the nearest to the outermost."""

    graph: Graph
    outer: tuple[Graph, ...] = ()

    @classmethod
    def of(cls, model: Model, place: Place) -> "Around":
        depths = range(len(place.path) - 1, -1, -1)
        outer = tuple(Place(place.path[:depth], place.function).graph(model) for depth in depths)
        return cls(place.graph(model), outer)

    def outside(self, tensor: int) -> tuple[int, int] | None:
        """Where a tensor comes from that the graph itself does not know: how many graphs further out, its number."""
        name = self.graph.tensor_names[tensor]
        for position, graph in enumerate(self.outer):
            index = graph.tensor_index(name)
            if index is not None and is_known(graph, index):
                return position + 1, index
        return None


def is_known(graph: Graph, tensor: int) -> bool:
    """Whether the graph makes the tensor, is given it or holds it."""
    return bool(graph.producers[tensor] >= 0 or tensor in graph.inputs or tensor in graph.constants)


def body_readers(graph: Graph, tensor: int) -> list[int]:
    """The nodes a body of which reads the tensor without saying so."""
    if not graph.subgraphs:
        return []
    read = reads(graph)
    hits = read.readers[read.tensors == tensor].tolist()
    return list(dict.fromkeys(hits[len(graph.consumers[tensor]) :]))  # those that say so come first


def origin_text(around: Around, tensor: int) -> str:
    """Where a tensor comes from that no node of the graph makes."""
    found = around.outside(tensor)
    if found is None:
        return soft(role(around.graph, tensor).lower())
    steps, index = found
    graph = around.outer[steps - 1]
    made = int(graph.producers[index])
    target, name = (
        (f"node:{made}", Verbatim(graph.node(made).title)) if made >= 0 else (f"tensor:{index}", "open it there")
    )
    return f"{soft('from the enclosing graph:')} {link(f'outer:{steps}:{target}', name)}"


def readers_text(graph: Graph, tensor: int, besides: int) -> str:
    """The first nodes that read a tensor, but for one of them; "" if nobody else does."""
    direct = [node for node in dict.fromkeys(graph.consumers[tensor].tolist()) if node != besides]
    inner = body_readers(graph, tensor)
    links = [node_link(graph, node) for node in direct[:FEW]]
    links += [body_link(graph, node) for node in inner[: FEW - len(links)]]
    left = len(direct) + len(inner) - len(links)
    more = f" {soft(f'and {left:,} more')}" if left > 0 else ""
    return f"{soft('to')} {', '.join(links)}{more}" if links else ""


def node_link(graph: Graph, index: int) -> str:
    return link(f"node:{index}", Verbatim(graph.node(index).title))


def body_link(graph: Graph, owner: int) -> str:
    """A node a body of which reads something."""
    return f"{node_link(graph, owner)} {soft('(a body reads it)')}"


def role(graph: Graph, index: int) -> str:
    """What a tensor is to its graph."""
    if index in graph.constants:
        return "Constant"
    if index in graph.inputs:
        return "Input of the graph"
    if index in graph.outputs:
        return "Output of the graph"
    if graph.producers[index] < 0:
        return "From an enclosing graph, or missing"
    return "Tensor" if len(graph.consumers[index]) or body_readers(graph, index) else "Read by nobody"
