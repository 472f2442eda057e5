"""Origin of values that are no numbers: at which node, and whether with a constant of it."""

from collections.abc import Iterator

import numpy as np

from errorflow.graph.model import Graph


def origin(graph: Graph, tensor: str) -> str:
    """Names the maker of a tensor, as the end of a sentence, such as `: conv (Conv) makes it`; "" for inputs of the
    model.
    """
    number = graph.tensor_index(tensor)
    node = -1 if number is None else int(graph.producers[number])
    if node < 0:
        return ""
    constants = ", ".join(_broken(graph, node))
    blamed = f", whose {constants} holds such values itself" if constants else ""
    return f": {graph.title(node)} ({graph.op_types[node]}) makes it{blamed}"


def _broken(graph: Graph, node: int) -> Iterator[str]:
    """Constants that the node reads."""
    known = frozenset(graph.weights.names())
    for tensor in graph.node_inputs[node].tolist():
        name = graph.tensor_names[tensor] if tensor >= 0 else ""
        if name in known:
            values = graph.weights.read(name)
            if values.dtype.kind == "f" and not np.isfinite(values).all():
                yield name
