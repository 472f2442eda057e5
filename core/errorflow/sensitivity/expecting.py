"""What to expect of each part before it is measured: by what its nodes do to their own outputs, on one sample."""

from collections.abc import Sequence

import numpy as np

from errorflow.graph.model import Graph
from errorflow.quant.selecting import keys_of
from errorflow.rerun.table import Table
from errorflow.sensitivity.model import Doubles, Part
from errorflow.simulate.pooled import relative_errors


def expected(parts: Sequence[Part], graph: Graph, table: Table) -> Doubles:
    """In shares of all; NaN where there is nothing to go by. `table` has the errors of each node on its own."""
    alone, whole = relative_errors(table, "node"), relative_errors(table)
    found = np.array([_power(part, graph, alone, whole) for part in parts])
    total = np.nansum(found)
    return found / total if total > 0 else found


def _power(part: Part, graph: Graph, alone: dict[str, float], whole: dict[str, float]) -> float:
    """The worst of what its nodes make; of an input what codes do to it."""
    known = keys_of(graph).nodes
    nodes = [node for name in part.nodes for node in known.get(name, ())]
    made = [graph.tensor_names[tensor] for node in nodes for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
    names, errors = (made, alone) if nodes else (list(part.tensors), whole)
    powers = [errors[name] ** 2 for name in names if name in errors and np.isfinite(errors[name])]
    return max(powers, default=float("nan"))
