"""Which node of a group is to be named: the one that takes most of the group's noise with it when it is in float.

A group is quantized alone as a whole, and goes by its first node. Its noise may be that of a tensor which another node
of it makes; then the first one in float changes nothing. So of groups that bring much each tensor is quantized alone.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.operators import MOVING
from errorflow.quant.plan import Plan
from errorflow.quant.units import units_of
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.noise import Noise, Source, alone
from errorflow.study.simulate.pooled import pooled_sums
from errorflow.study.simulate.uncut import uncut

# Of the noise of an output: what brings less is hardly left in float.
HEAVY = 0.05
_TEXT = "Quantizing one tensor at a time"


def pointed(engine: Engine, plan: Plan, noise: Noise, progress: Progress = SILENT) -> Noise:
    """The same with heavy groups under the name of that node, and their tensors in the order of what they bring."""
    # A Relu makes the codes of what it reads, which are no noise of their own.
    seen = uncut(engine.graph, plan, engine.assigned(plan))
    assigned = engine.assigned(seen)
    units = units_of(engine.graph)
    found = list(noise.sources)
    for number, place in _heavy(noise):
        source = found[number]
        nodes = _named(engine.graph, assigned, units.nodes[units.of[source.node]].tolist())
        if len(source.tensors) > 1 and nodes:
            powers = _powers(engine, seen, assigned, source, noise, place, progress)
            node = max(nodes, key=lambda node: _taken(engine.graph, node, powers))
            order = sorted(source.tensors, key=lambda name: -powers.get(name, 0.0))
            # Of several that take as much the one stays that stood there.
            stays = _taken(engine.graph, source.node, powers) >= _taken(engine.graph, node, powers)
            found[number] = replace(source, node=source.node if stays else node, tensors=tuple(order))
    return replace(noise, sources=tuple(found))


def _heavy(noise: Noise) -> Iterator[tuple[int, int]]:
    """Sources that bring much to an output, and to which one."""
    shares = np.array([noise.shares(place) for place in range(len(noise.outputs))])
    if shares.size:
        places = shares.argmax(axis=0)
        for number in np.flatnonzero(shares.max(axis=0) >= HEAVY).tolist():
            yield number, int(places[number])


def _powers(
    engine: Engine, plan: Plan, assigned: Assigned, source: Source, noise: Noise, place: int, progress: Progress
) -> Mapping[str, float]:
    """By tensor that is coded, the power of the error that it alone makes at the output, on one sample."""
    names = list(_own(engine.graph, assigned, source))
    plans = [alone(plan, assigned, engine.graph, replace(source, tensors=(name,))) for name in names]
    output = noise.outputs[place]
    tables = engine.run_many(plans, [output], noise.samples[:1], text=_TEXT, progress=progress)
    found = (pooled_sums(table, output) for table in tables)
    powers = (0.0 if sums is None else math.inf if sums.broken else float(sums.dd) for sums in found)
    return dict(zip(names, powers, strict=True))


def _own(graph: Graph, assigned: Assigned, source: Source) -> Iterator[str]:
    """What is coded, once: the same codes under another name bring the same error, which is none of their own."""
    for name in source.tensors:
        tensor = graph.tensor_index(name)
        if tensor is None or tensor not in assigned.coded:
            continue
        before = assigned.scale_of.get(tensor) if tensor in assigned.moved else None
        if before is None or graph.tensor_names[before] not in source.tensors:
            yield name


def _named(graph: Graph, assigned: Assigned, nodes: Sequence[int]) -> list[int]:
    """Of a group those that may stand for it: who only moves values makes no error."""
    read = [node for node in nodes if _reads(graph, assigned, node)]
    makers = [node for node in read if graph.op_types[node] not in MOVING]
    return makers if makers else read


def _reads(graph: Graph, assigned: Assigned, node: int) -> bool:
    """Who only holds or passes on a constant is none that could be left in float."""
    return bool(len(graph.node_inputs[node])) and assigned.constants.keys().isdisjoint(
        graph.node_outputs[node].tolist()
    )


def _taken(graph: Graph, node: int, powers: Mapping[str, float]) -> float:
    """What is gone with the node in float, which frees all that it reads and makes."""
    touched = {*graph.node_inputs[node].tolist(), *graph.node_outputs[node].tolist()}
    return sum(powers.get(graph.tensor_names[tensor], 0.0) for tensor in touched if tensor >= 0)
