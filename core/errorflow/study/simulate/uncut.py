"""Tensors that only Relu or Clip read, seen before they are cut off.

ONNX Runtime's tool codes what a layer makes with the range of what Relu or Clip make of it, so that all they would cut
off is gone where it is coded. Measured there, half of such a tensor is wrong, and nothing of that is an error: each
layer would be an origin, and each Relu would heal it. Left in float up to the Relu, whose codes are the very same, it
shows what the layer itself did.
"""

from collections.abc import Iterator
from dataclasses import replace

from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.fitting import LIMITING
from errorflow.quant.operators import MOVING
from errorflow.quant.plan import FLOAT, Plan


def uncut(graph: Graph, plan: Plan, assigned: Assigned) -> Plan:
    """The plan by which errors are measured: all other tensors hold the same bits under it."""
    if not plan.fitted:
        return plan
    tensors = dict(plan.tensors)
    for source, target in _cut(graph, plan, assigned):
        tensors[graph.tensor_names[source]] = FLOAT
        # Of a Relu that is left in float itself the codes are those of what it reads: they go behind it.
        tensors[graph.tensor_names[target]] = assigned.activations[source]
    return replace(plan, tensors=tuple(sorted(tensors.items())))


def _cut(graph: Graph, plan: Plan, assigned: Assigned) -> Iterator[tuple[int, int]]:
    """Yields what Relu or Clip read, and what they make. What is moved only is left out: what it was before would go
    too.
    """
    outputs = frozenset(graph.outputs.tolist())
    for node, kind in enumerate(graph.op_types):
        if kind not in LIMITING or not (plan.types is None or kind in plan.types):
            continue
        source, target = int(graph.node_inputs[node][0]), int(graph.node_outputs[node][0])
        maker = int(graph.producers[source]) if source >= 0 else -1
        if maker < 0 or target < 0 or source in outputs or graph.op_types[maker] in MOVING:
            continue
        wished = assigned.activations.get(source)
        if len(graph.consumers[source]) != 1 or wished is None:
            continue
        behind = assigned.activations.get(target)
        if behind == wished or (behind is None and target not in outputs and _is_free(graph, assigned, target)):
            yield source, target


def _is_free(graph: Graph, assigned: Assigned, tensor: int) -> bool:
    """Whether all that is read beside it is in float: else a bias behind it would become codes too."""
    read = (graph.node_inputs[node].tolist() for node in graph.consumers[tensor].tolist())
    return all(assigned.constants.keys().isdisjoint(inputs) for inputs in read)
