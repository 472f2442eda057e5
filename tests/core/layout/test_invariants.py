"""What holds for every drawing of every graph."""

from collections import Counter

import numpy as np
import pytest
from drawing_quality.quality import overlaps, pierced, touched
from generate import Sketch, chain, decoder, fan, unet

from core.layout.conftest import REAL, random_graph, real_graph, some_groups
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.layout.outline import Outline
from errorflow.layout.prepare import View, prepare

GENERATED = {
    "decoder": decoder(3),
    "decoder, quantized": decoder(3, qdq=True),
    "decoder, mixture": decoder(2, experts=5),
    "decoder, nameless": decoder(2, scoped=False),
    "unet": unet(30),
    "fan": fan(100),
    "wide fan": fan(300),
    "chain": chain(500),
}
FLOWS: tuple[View, ...] = ("down", "right")
CUT: tuple[View, ...] = ("columns", "rows")
SEEDS = 600
PER_TEST = 50


def assert_sound(drawing: Drawing, graph: Graph) -> None:
    assert overlaps(drawing.boxes) == 0
    assert pierced(drawing) == 0
    columns = (drawing.kinds, drawing.nodes, drawing.tensors, drawing.groups, drawing.folds, drawing.labels)
    assert {len(column) for column in columns} == {len(drawing.boxes)}
    assert len(drawing.lines) == len(drawing.line_tensors)
    width, height = drawing.size
    corners = [drawing.boxes[:, :2], drawing.boxes[:, :2] + drawing.boxes[:, 2:], drawing.lines.reshape(-1, 2)]
    points = np.concatenate(corners)
    assert np.isfinite(points).all()
    assert (points >= 0).all()
    assert (points <= (width, height)).all()
    runs = np.flatnonzero(np.diff(drawing.line_tensors)) + 1
    assert len(np.unique(drawing.line_tensors)) == len(runs) + (1 if len(drawing.lines) else 0)
    own = drawing.nodes[drawing.nodes >= 0]
    assert len(np.unique(own)) == len(own)
    assert len(drawing.node_boxes) == len(graph)


def assert_nested(drawing: Drawing, outline: Outline, graph: Graph) -> None:
    """Groups hold their members, siblings keep apart, and only lines that have to do with a group enter it."""
    place = {group: i for i, group in enumerate(drawing.group_ids.tolist())}
    assert len(place) == len(drawing.group_ids)
    frames = drawing.group_boxes
    for group, members in members_of(drawing, outline).items():
        assert overlaps(members) == 0
        if group >= 0:
            x, y, width, height = frames[place[group]]
            assert (members[:, :2] >= (x, y)).all()
            assert (members[:, :2] + members[:, 2:] <= (x + width, y + height)).all()
    for line, frame in touched(drawing.lines, frames):
        tensor = int(drawing.line_tensors[line])
        if tensor >= 0:
            assert int(drawing.group_ids[frame]) in groups_of_tensor(tensor, drawing, outline, graph)


def members_of(drawing: Drawing, outline: Outline) -> dict[int, np.ndarray]:
    """Boxes and frames directly in each open group, -1 for those in none."""
    groups = np.concatenate([drawing.groups, outline.parents[drawing.group_ids]])
    boxes = np.concatenate([drawing.boxes, drawing.group_boxes])
    return {int(group): boxes[groups == group] for group in np.unique(groups)}


def groups_of_tensor(tensor: int, drawing: Drawing, outline: Outline, graph: Graph) -> set[int]:
    nodes = [*graph.consumers[tensor].tolist(), int(graph.producers[tensor])]
    boxes = [box for node in nodes if (box := drawing.box_of_node(node)) is not None]
    boxes += np.flatnonzero(drawing.tensors == tensor).tolist()
    return {group for box in boxes for group in outline.path(int(drawing.groups[box]))}


@pytest.mark.parametrize("view", FLOWS)
@pytest.mark.parametrize("name", REAL)
def test_real_models_are_drawn_soundly(name: str, view: View) -> None:
    graph = real_graph(name)
    assert_sound(layout(graph, LayoutOptions(view=view)), graph)


@pytest.mark.parametrize("view", FLOWS)
@pytest.mark.parametrize("sketch", GENERATED.values(), ids=GENERATED.keys())
def test_generated_models_are_drawn_soundly(sketch: Sketch, view: View) -> None:
    graph = sketch.graph()
    assert_sound(layout(graph, LayoutOptions(view=view)), graph)


@pytest.mark.parametrize("view", FLOWS)
@pytest.mark.parametrize("sketch", GENERATED.values(), ids=GENERATED.keys())
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_open_and_closed_groups_are_drawn_soundly(sketch: Sketch, seed: int | None, view: View) -> None:
    graph = sketch.graph()
    prepared = prepare(graph)
    outline = prepared.outline
    drawing = prepared.draw(outline.at_first() if seed is None else some_groups(outline, seed), view)
    assert_sound(drawing, graph)
    assert_nested(drawing, outline, graph)


@pytest.mark.parametrize("sketch", GENERATED.values(), ids=GENERATED.keys())
def test_tensors_with_all_their_lines_are_drawn_soundly(sketch: Sketch) -> None:
    graph = sketch.graph()
    every = frozenset(range(len(graph.tensor_names)))
    drawing = layout(graph, LayoutOptions(show_all=every))
    assert_sound(drawing, graph)
    assert not len(drawing.stubs)


@pytest.mark.parametrize("first", range(0, SEEDS, PER_TEST))
def test_random_graphs_with_random_groups_open_are_drawn_soundly(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        graph = random_graph(seed)
        prepared = prepare(graph)
        drawing = prepared.draw(some_groups(prepared.outline, seed), FLOWS[seed % 2])
        assert_sound(drawing, graph)
        assert_nested(drawing, prepared.outline, graph)


@pytest.mark.parametrize("first", range(0, SEEDS, PER_TEST))
def test_random_graphs_without_groups_are_drawn_soundly(first: int) -> None:
    for seed in range(first, first + PER_TEST, 3):
        graph = random_graph(seed)
        drawing = layout(graph, LayoutOptions(constants=True, grouped=False, view=FLOWS[seed % 2]))
        assert_sound(drawing, graph)
        assert np.count_nonzero(drawing.kinds == Kind.OPERATOR) == len(graph)


@pytest.mark.parametrize("first", range(0, SEEDS, PER_TEST))
def test_random_graphs_in_columns_are_drawn_soundly(first: int) -> None:
    for seed in range(first, first + PER_TEST, 3):
        graph = random_graph(seed)
        assert_sound(layout(graph, LayoutOptions(view=CUT[seed % 2])), graph)


@pytest.mark.parametrize("view", CUT)
@pytest.mark.parametrize("sketch", GENERATED.values(), ids=GENERATED.keys())
def test_generated_models_in_columns_are_drawn_soundly(sketch: Sketch, view: View) -> None:
    graph = sketch.graph()
    assert_sound(layout(graph, LayoutOptions(view=view)), graph)


def middles_of(drawing: Drawing) -> np.ndarray:
    """How far aside of the flow the middle of each box is."""
    aside = 1 if drawing.across else 0
    return drawing.boxes[:, aside] + drawing.boxes[:, aside + 2] / 2


@pytest.mark.parametrize("view", FLOWS)
@pytest.mark.parametrize("name", REAL)
def test_spine_is_straight(name: str, view: View) -> None:
    """The longest chain of boxes behind each other has one and the same middle."""
    graph = real_graph(name)
    drawing = layout(graph, LayoutOptions(grouped=False, view=view))
    middles = middles_of(drawing)
    values, counts = np.unique(middles, return_counts=True)
    assert counts.max() == longest_path(graph, drawing)
    assert len(values) >= 1


@pytest.mark.parametrize("view", FLOWS)
def test_spine_is_straight_through_all_open_groups(view: View) -> None:
    """The main path of a decoder, from its input to its output, has one and the same middle at every depth."""
    sketch = decoder(3)
    graph = sketch.graph()
    drawing = layout(graph, LayoutOptions(view=view))
    middles = middles_of(drawing)
    spine = middles[drawing.labels.index("logits")]
    for name in (
        "input_layernorm/Mul_1",
        "k_proj/MatMul",
        "Softmax",
        "o_proj/MatMul",
        "mlp/gate_proj/MatMul",
        "mlp/down_proj/MatMul",
    ):
        nodes = [i for i, node in enumerate(graph.node_names) if node.endswith(name) and "layers" in node]
        assert len(nodes) == 3
        assert {middles[drawing.box_of_node(node)] for node in nodes} == {spine}, name


@pytest.mark.parametrize("view", FLOWS)
@pytest.mark.parametrize("grouped", [True, False])
def test_spine_is_straight_through_a_stack_and_where_only_ends_of_lines_are_drawn(grouped: bool, view: View) -> None:
    """One of the copies stands on the spine, the others on both sides of it."""
    drawing = layout(fan(200).graph(), LayoutOptions(grouped=grouped, view=view))
    middles = middles_of(drawing)
    spine = middles[drawing.labels.index("y")]
    on_spine = Counter(label for label, middle in zip(drawing.labels, middles, strict=True) if middle == spine)
    assert on_spine["x"] == on_spine["Concat"] == 1
    assert on_spine["Sigmoid"] == on_spine["Relu"] == 1
    assert len(drawing.stubs)


@pytest.mark.parametrize("view", FLOWS)
def test_spine_is_straight_through_experts(view: View) -> None:
    drawing = layout(decoder(2, experts=12).graph(), LayoutOptions(view=view))
    middles = middles_of(drawing)
    spine = middles[drawing.labels.index("logits")]
    on_spine = Counter(label for label, middle in zip(drawing.labels, middles, strict=True) if middle == spine)
    assert on_spine["Sum"] == on_spine["Sigmoid"] == 2
    aside = [middle < spine for label, middle in zip(drawing.labels, middles, strict=True) if label == "Sigmoid"]
    assert 4 <= sum(aside) <= 20


def longest_path(graph: Graph, drawing: Drawing) -> int:
    """Boxes on the longest path, inputs and outputs included."""
    start, end, _ = graph.edges
    shown = drawing.node_boxes >= 0
    length = np.where(shown, 1, 0)
    for tensor in drawing.tensors[drawing.kinds == Kind.INPUT].tolist():
        length[graph.consumers[tensor]] = 2
    for a, b in sorted(zip(start.tolist(), end.tolist(), strict=True)):
        if shown[a] and shown[b]:
            length[b] = max(length[b], length[a] + 1)
    ends = graph.producers[drawing.tensors[drawing.kinds == Kind.OUTPUT]]
    return int(max(length.max(), length[ends].max() + 1))
