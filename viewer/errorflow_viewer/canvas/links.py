"""Who is connected to whom, box by box."""

import numpy as np

from errorflow.arrays import Ints, Ragged
from errorflow.layout.drawing import Floats, Kind
from errorflow_viewer.canvas.scene import Scene


def tensors_into(scene: Scene, box: int) -> Ints:
    """Tensors that the box reads."""
    drawing, graph = scene.drawing, scene.graph
    if drawing.kinds[box] == Kind.OUTPUT:
        return drawing.tensors[box : box + 1]
    return _tensors(graph.node_inputs, drawing.nodes_of_box(box))


def tensors_out_of(scene: Scene, box: int) -> Ints:
    """Tensors that the box makes."""
    drawing, graph = scene.drawing, scene.graph
    if drawing.kinds[box] in (Kind.INPUT, Kind.CONSTANT):
        return drawing.tensors[box : box + 1]
    return _tensors(graph.node_outputs, drawing.nodes_of_box(box))


def edge_lines(scene: Scene, box: int) -> Floats:
    """The lines of everything that flows into or out of the box."""
    drawing = scene.drawing
    tensors = np.concatenate([tensors_into(scene, box), tensors_out_of(scene, box)])
    parts = [drawing.lines[drawing.lines_of_tensor(tensor)] for tensor in np.unique(tensors).tolist()]
    return np.concatenate(parts) if parts else np.zeros((0, 4))


def _tensors(of_nodes: Ragged, nodes: Ints) -> Ints:
    rows = [of_nodes[node] for node in nodes.tolist()]
    if not rows:
        return np.zeros(0, np.int32)
    found = np.concatenate(rows)
    return found[found >= 0]
