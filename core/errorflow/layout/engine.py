"""From a graph to a drawing."""

from dataclasses import dataclass

import numpy as np

from errorflow.arrays import Ints
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind
from errorflow.layout.level import Level, Placement
from errorflow.layout.parts import arrange_level
from errorflow.layout.shown import Shown, shown
from errorflow.layout.sizes import HEIGHT, shortened, widths
from errorflow.progress import SILENT, Progress

MARGIN = 16.0  # round the whole drawing


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    constants: bool = False  # draw constants, and what is computed from them only


DEFAULT = LayoutOptions()


def layout(graph: Graph, options: LayoutOptions = DEFAULT, progress: Progress = SILENT) -> Drawing:
    """The whole graph in one level."""
    scene = _scene(graph, shown(graph, constants=options.constants))
    progress.step(0, 5, "Sorting nodes")
    return _drawing(scene, arrange_level(scene.level, progress))


@dataclass(frozen=True, eq=False)
class _Scene:
    """What a level's items and nets stand for."""

    level: Level
    kinds: Ints
    nodes: Ints
    tensors: Ints
    labels: tuple[str, ...]
    net_tensors: Ints  # -1: a control edge
    node_count: int


def _scene(graph: Graph, visible: Shown) -> _Scene:
    nodes = np.flatnonzero(visible.nodes).astype(np.int32)
    ends = (visible.inputs, visible.constants, visible.outputs)
    tensors = np.concatenate(ends)
    kinds = np.repeat([Kind.OPERATOR, Kind.INPUT, Kind.CONSTANT, Kind.OUTPUT], [len(nodes), *map(len, ends)])
    types = graph.op_types.values
    labels = [types[code] for code in graph.op_types.codes[nodes].tolist()]
    labels += [shortened(graph.tensor_names[tensor]) for tensor in tensors.tolist()]
    half = widths(labels) / 2
    sources, nets, sinks, net_tensors = _nets(graph, visible, nodes)
    level = Level(
        left=half,
        right=half,
        heights=np.full(len(labels), HEIGHT),
        sources=sources,
        nets=nets,
        sinks=sinks,
        source_ports=np.full(len(sources), np.nan),
        sink_ports=np.full(len(sinks), np.nan),
        tops=np.zeros(len(labels), bool),
        bottoms=np.zeros(len(labels), bool),
        favoured=np.zeros(len(sources), bool),
    )
    nothing = np.full(len(tensors), -1, np.int32)
    return _Scene(
        level,
        kinds,
        np.concatenate([nodes, nothing]),
        np.concatenate([np.full(len(nodes), -1, np.int32), tensors]).astype(np.int32),
        tuple(labels),
        net_tensors,
        len(graph),
    )


def _nets(graph: Graph, visible: Shown, nodes: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Sources of nets, ends of nets as net and sink, and the tensor of each net."""
    item_of = np.full(len(graph), -1, np.int32)
    item_of[nodes] = np.arange(len(nodes), dtype=np.int32)
    maker = np.full(len(graph.tensor_names), -1, np.int32)
    made = graph.producers >= 0
    maker[made] = item_of[graph.producers[made]]
    boxed = np.concatenate([visible.inputs, visible.constants])
    maker[boxed] = len(nodes) + np.arange(len(boxed), dtype=np.int32)
    outputs = len(nodes) + len(boxed) + np.arange(len(visible.outputs), dtype=np.int32)

    read, readers = graph.node_inputs.values, item_of[graph.node_inputs.owners()]
    tensors = np.concatenate([read, visible.outputs])
    sinks = np.concatenate([readers, outputs])
    keep = (tensors >= 0) & (sinks >= 0)
    tensors, sinks = tensors[keep], sinks[keep]
    keep = maker[tensors] >= 0
    pairs = np.unique(np.column_stack([tensors[keep], sinks[keep]]), axis=0)
    net_tensors, nets = np.unique(pairs[:, 0], return_inverse=True)
    waits = _control(graph, item_of)
    sources = np.concatenate([maker[net_tensors], waits[:, 0]])
    nets = np.concatenate([nets, len(net_tensors) + np.arange(len(waits))])
    return (
        sources.astype(np.int32),
        nets.astype(np.int32),
        np.concatenate([pairs[:, 1], waits[:, 1]]).astype(np.int32),
        np.concatenate([net_tensors, np.full(len(waits), -1)]).astype(np.int32),
    )


def _control(graph: Graph, item_of: Ints) -> Ints:
    """(c, 2): control edges between drawn nodes, from and to."""
    if not len(graph.waits_for):
        return np.zeros((0, 2), np.int32)
    edges = np.column_stack([item_of[graph.waits_for.values], item_of[graph.waits_for.owners()]])
    return np.unique(edges[(edges >= 0).all(axis=1)], axis=0)


def _drawing(scene: _Scene, placement: Placement) -> Drawing:
    level = scene.level
    dx, dy = placement.left + MARGIN, MARGIN
    boxes = np.column_stack([placement.x - level.left + dx, placement.y + dy, level.left + level.right, level.heights])
    tensors = scene.net_tensors[placement.line_nets]
    order = np.argsort(tensors, kind="stable")
    node_boxes = np.full(scene.node_count, -1, np.int32)
    drawn = np.flatnonzero(scene.nodes >= 0)
    node_boxes[scene.nodes[drawn]] = drawn
    none = np.full(len(boxes), -1, np.int32)
    return sealed(
        Drawing(
            boxes=boxes,
            kinds=scene.kinds.astype(np.uint8),
            nodes=scene.nodes,
            tensors=scene.tensors,
            groups=none,
            folds=none.copy(),
            labels=scene.labels,
            lines=(placement.lines + np.array([dx, dy, dx, dy]))[order],
            line_tensors=tensors[order],
            group_boxes=np.zeros((0, 4)),
            group_depths=np.zeros(0, np.uint8),
            group_ids=np.zeros(0, np.int32),
            group_labels=(),
            size=(placement.left + placement.right + 2 * MARGIN, placement.height + 2 * MARGIN),
            node_boxes=node_boxes,
        )
    )


def sealed(drawing: Drawing) -> Drawing:
    """The drawing with its arrays read-only and contiguous, so that a painter can take their addresses."""
    for name, value in vars(drawing).items():
        if isinstance(value, np.ndarray):
            array = np.ascontiguousarray(value)
            array.flags.writeable = False
            object.__setattr__(drawing, name, array)  # not seen by anyone yet
    return drawing
