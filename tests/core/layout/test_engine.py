"""What is drawn of a graph, and where."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from drawing_quality.quality import crossings, overlaps, touched
from generate import decoder, fan, unet

from errorflow.base.progress import Cancelled
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph, Subgraph
from errorflow.layout.drawing import Drawing, Kind
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.layout.prepare import View, prepare

GraphOf = Callable[..., Graph]


def box(drawing: Drawing, label: str) -> tuple[float, float, float, float]:
    x, y, width, height = drawing.boxes[drawing.labels.index(label)].tolist()
    return x, y, width, height


def middle(drawing: Drawing, label: str) -> float:
    x, _, width, _ = box(drawing, label)
    return x + width / 2


def test_an_empty_graph_is_an_empty_drawing() -> None:
    drawing = layout(GraphBuilder().build())
    assert len(drawing) == 0
    assert len(drawing.lines) == 0


def test_a_chain_runs_straight_down(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Conv: x w -> a", "Relu: a -> b", "Softmax: b -> y"))
    order = sorted(drawing.labels, key=lambda label: box(drawing, label)[1])
    assert order == ["x", "Conv", "Relu", "Softmax", "y"]
    assert len({middle(drawing, label) for label in drawing.labels}) == 1
    assert (drawing.lines[:, 0] == drawing.lines[:, 2]).all()


def test_inputs_and_outputs_have_boxes_with_their_tensor(graph_of: GraphOf) -> None:
    graph = graph_of("Add: x1 x2 -> y")
    drawing = layout(graph)
    names = {drawing.labels[i]: graph.tensor_names[t] for i, t in enumerate(drawing.tensors.tolist()) if t >= 0}
    assert names == {"x1": "x1", "x2": "x2", "y": "y"}
    assert sorted(drawing.kinds.tolist()) == [Kind.OPERATOR, Kind.INPUT, Kind.INPUT, Kind.OUTPUT]


def test_what_depends_on_constants_only_is_folded_away(graph_of: GraphOf) -> None:
    graph = graph_of("Constant: -> c", "Neg: c -> d", "Mul: x d -> y")
    drawing = layout(graph)
    assert sorted(drawing.labels) == ["Mul", "x", "y"]
    assert drawing.box_of_node(0) is None
    assert drawing.box_of_node(2) == drawing.labels.index("Mul")


def test_constants_are_drawn_when_asked_for(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Constant: -> c", "Mul: x c w -> y"), LayoutOptions(constants=True))
    assert sorted(drawing.labels) == ["Constant", "Mul", "w", "x", "y"]
    assert drawing.kinds[drawing.labels.index("w")] == Kind.CONSTANT


def test_a_constant_that_leads_to_an_output_stays(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Constant: -> c", "Neg: c -> y1", "Relu: x -> y2"))
    assert {"Constant", "Neg"} < set(drawing.labels)


def test_without_inputs_all_but_constants_is_drawn(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Data: -> a", "Const: -> c", "Add: a c -> b", "NetOutput: b ->"))
    assert sorted(drawing.labels) == ["Add", "Data", "NetOutput"]


def test_an_output_that_an_end_node_reads_has_no_box_beside_it(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Neg: x -> y1", "Relu: x -> y2", "NetOutput: y1 ->"))
    assert sorted(drawing.labels) == ["Neg", "NetOutput", "Relu", "x", "y2"]


def test_an_output_stays_if_its_end_node_is_not_drawn(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Const: -> y1", "NetOutput: y1 ->", "Relu: x -> y2"))
    assert sorted(drawing.labels) == ["Const", "Relu", "x", "y1", "y2"]


def data_nodes(layers: int) -> Graph:
    """Every layer reads an input that a node stands for, as Ascend writes them."""
    builder = GraphBuilder()
    last = ""
    for layer in range(layers):
        name = f"past.{layer}"
        builder.node("Data", [""], [f"{name}:0"], name=name)
        builder.input(f"{name}:0")
        for op in range(3):
            builder.node("Op", [last, f"{name}:0"], [f"t{layer}.{op}"], name=f"layers.{layer}/op{op}")
            last = f"t{layer}.{op}"
    builder.node("NetOutput", [last], [], name="end")
    builder.output(last)
    return builder.build()


@pytest.mark.parametrize("constants", [False, True])
def test_a_node_that_stands_for_an_input_shares_its_box(*, constants: bool) -> None:
    drawing = layout(data_nodes(1), LayoutOptions(constants=constants))
    assert sorted(drawing.labels) == ["NetOutput", "Op", "Op", "Op", "past.0:0"]
    box = drawing.labels.index("past.0:0")
    assert drawing.kinds[box] == Kind.INPUT
    assert drawing.box_of_node(0) == box
    assert drawing.nodes_of_box(box).tolist() == [0]
    assert drawing.nodes[box] == -1


def test_a_node_that_stands_for_an_input_is_in_its_group() -> None:
    graph = data_nodes(6)
    prepared = prepare(graph)
    outline = prepared.outline
    layers = [group for group in range(len(outline)) if outline.labels[group].startswith("layers.")]
    assert outline.counts[layers].tolist() == [4, 4, 4, 4, 4, 5]  # what ends the graph is in the last one
    for layer, group in enumerate(layers):
        node = graph.node_names.index(f"past.{layer}")
        assert outline.groups_of_node(node)[-1] == group
        closed = prepared.draw(outline.everything - {group})
        assert closed.folds[closed.box_of_node(node)] == group
    assert outline.node_count == len(graph)


def test_operators_without_edges_stand_in_a_grid() -> None:
    builder = GraphBuilder()
    for number in range(30):
        builder.node("AscendQuant", (), (), name=f"quant{number}")
    drawing = layout(builder.build())
    assert len(drawing) == 30
    assert 2 < len(np.unique(drawing.boxes[:, 1])) < 15
    assert 2 < len(np.unique(drawing.boxes[:, 0])) < 15


def test_parts_that_nothing_joins_stand_side_by_side(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Conv: x1 -> y1", "Relu: x2 -> y2"))
    assert box(drawing, "x1")[1] == box(drawing, "x2")[1]
    assert middle(drawing, "Conv") != middle(drawing, "Relu")


def test_a_skip_runs_beside_the_spine(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("A: x -> a", "B: a -> b", "C: b -> c", "Add: a c -> y"))
    assert len({middle(drawing, label) for label in "ABC"} | {middle(drawing, "Add")}) == 1
    rows = drawing.lines[drawing.lines_of_tensor(1)]
    assert rows[:, [0, 2]].max() > box(drawing, "B")[0] + box(drawing, "B")[2]


def test_nested_skips_do_not_cross() -> None:
    assert crossings(layout(unet(12).graph())) == 0


def test_experts_are_crossed_by_the_router_only() -> None:
    """What all experts read fans out once; the router's shares cross them wherever they stand."""
    experts = 12
    drawing = layout(decoder(1, experts=experts).graph(), LayoutOptions(grouped=False))
    assert crossings(drawing) < experts * (experts - 1) / 2


def test_lines_from_an_open_stack_run_side_by_side() -> None:
    assert crossings(layout(fan(100).graph())) == 0


def test_two_tensors_between_the_same_nodes_are_two_lines(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Split: x -> a b", "Concat: a b -> y"))
    first, second = (drawing.lines[drawing.lines_of_tensor(tensor)] for tensor in (1, 2))
    assert len(first) == len(second) == 1
    assert first[0, 0] != second[0, 0]


def test_a_line_against_the_flow_leaves_below_and_enters_above(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Merge: x back -> a", "Switch: a -> back y"))
    tensor = 1  # back
    lines = drawing.lines[drawing.lines_of_tensor(tensor)]
    assert lines[:, [1, 3]].max() > box(drawing, "Switch")[1] + box(drawing, "Switch")[3]
    assert lines[:, [1, 3]].min() < box(drawing, "Merge")[1]


def test_control_edges_are_lines_without_a_tensor() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("A", ["x"], ["a"], name="a")
    builder.node("B", ["x"], ["b"], name="b", waits_for=["a"])
    drawing = layout(builder.build())
    assert drawing.box_of_node(0) is not None
    assert -1 in drawing.line_tensors
    assert box(drawing, "A")[1] < box(drawing, "B")[1]


def test_wide_rows_are_broken() -> None:
    drawing = layout(fan(400).graph())
    assert drawing.size[0] < 60_000
    assert len(np.unique(drawing.boxes[:, 1])) > 8


def test_arrays_cannot_be_written_to(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Relu: x -> y"))
    with pytest.raises(ValueError, match="read-only"):
        drawing.boxes[0, 0] = 1.0


def test_a_cancel_strikes(graph_of: GraphOf) -> None:
    class Impatient:
        def step(self, done: int, total: int, text: str) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        layout(graph_of("Relu: x -> y"), progress=Impatient())


DIGEST = """
import hashlib
from generate import decoder
from errorflow.layout.engine import LayoutOptions, layout
seen = hashlib.sha256()
for sketch in (decoder(2, experts=9), decoder(2, scoped=False)):
    for view in ("down", "columns", "right", "rows"):
        drawing = layout(sketch.graph(), LayoutOptions(view=view))
        for column in (drawing.boxes, drawing.lines, drawing.line_tensors, drawing.group_boxes, drawing.marks):
            seen.update(column.tobytes())
        seen.update(repr((drawing.labels, drawing.group_labels, drawing.size)).encode())
print(seen.hexdigest())
"""


def test_the_same_graph_gives_the_same_bytes_in_every_process() -> None:
    def digest(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert digest("1") == digest("2") == digest("3")


def test_names_of_any_length_are_drawn() -> None:
    builder = GraphBuilder()
    builder.input("x" * 10_000)
    builder.node("Op" * 5_000, ["x" * 10_000], ["层" * 3_000], name="s" * 9_000 + "/" + "n" * 9_000)
    builder.node("", ["层" * 3_000], ["y"], name="s" * 9_000 + "/m")
    builder.output("y")
    drawing = layout(builder.build())
    assert drawing.boxes[:, 2].max() < 500
    assert drawing.size[0] < 1_000


@pytest.mark.parametrize("inputs", [1, 3])
def test_inputs_that_nothing_reads_are_drawn(inputs: int) -> None:
    builder = GraphBuilder()
    for number in range(inputs):
        builder.input(f"x{number}")
    drawing = layout(builder.build())
    assert len(drawing) == inputs


def test_an_input_that_is_an_output_is_joined_to_it() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.output("x")
    drawing = layout(builder.build())
    assert sorted(drawing.kinds.tolist()) == [Kind.INPUT, Kind.OUTPUT]
    assert len(drawing.lines) == 1


def test_what_lies_at_a_point_is_found(graph_of: GraphOf) -> None:
    drawing = layout(graph_of("Conv: x -> a", "Relu: a -> y"))
    x, y, width, height = box(drawing, "Conv")
    assert width > height
    assert drawing.group_at(x, y) is None
    assert drawing.nodes_of_box(drawing.labels.index("Relu")).tolist() == [1]
    assert drawing.box_of_node(5) is None
    assert drawing.lines_of_tensor(99) == slice(0, 0)


def test_the_innermost_group_at_a_point_is_found() -> None:
    drawing = layout(decoder(1).graph())
    label = drawing.labels.index("Softmax")
    x, y, *_ = drawing.boxes[label].tolist()
    assert drawing.group_at(x, y) == drawing.groups[label]


def test_what_a_body_reads_from_outside_is_joined_to_its_node() -> None:
    body = GraphBuilder(name="then")
    body.seen_from_outside(["a"])
    body.node("Neg", ["a"], ["r"])
    body.output("r")
    builder = GraphBuilder()
    builder.input("x")
    builder.input("choice")
    builder.node("Relu", ["x"], ["a"])
    builder.node("If", ["choice"], ["y"])
    builder.output("y")
    builder.subgraphs.append(Subgraph(1, "then_branch", body.build()))
    graph = builder.build()
    drawing = layout(graph)
    tensor = graph.tensor_index("a")
    assert tensor is not None
    lines = drawing.lines[drawing.lines_of_tensor(tensor)]
    assert lines[:, 3].max() == box(drawing, "If")[1]


def test_a_tensor_that_very_many_read_gets_stubs(graph_of: GraphOf) -> None:
    drawing = layout(graph_of(*[f"Op{i}: x -> y{i}" for i in range(200)]), LayoutOptions(grouped=False))
    lines = drawing.lines[drawing.lines_of_tensor(0)]
    assert len(lines) == 201
    lengths = np.sort(lines[:, 3] - lines[:, 1])
    assert lengths[-2] < 20
    assert lengths[-1] >= 20  # along the spine the line is whole
    assert drawing.size[0] < 3_000


@pytest.mark.parametrize("view", get_args(View))
def test_a_drawing_says_where_its_stubs_end(graph_of: GraphOf, view: View) -> None:
    options = LayoutOptions(grouped=False, view=view)
    drawing = layout(graph_of(*[f"Op{i}: x -> y{i}" for i in range(200)]), options)
    assert drawing.stub_tensors.tolist() == [0] * 200
    assert sorted(drawing.stub_ends.tolist()) == [0] * 199 + [1]
    lines = drawing.lines[drawing.lines_of_tensor(0)].tolist()
    for end, leaving in zip(drawing.stubs.tolist(), drawing.stub_ends.tolist(), strict=True):
        assert [line[2:] if leaving else line[:2] for line in lines].count(end) == 1


def test_all_lines_of_a_tensor_are_drawn_when_asked_for(graph_of: GraphOf) -> None:
    graph = graph_of(*[f"Op{i}: x -> y{i}" for i in range(200)])
    prepared = prepare(graph, grouped=False)
    short, full = prepared.draw(), prepared.draw(show_all=frozenset([0]))
    assert not len(full.stubs)
    assert_reached(full, 0, full.labels.index("x"), [i for i, label in enumerate(full.labels) if label[:2] == "Op"])
    again = prepared.draw()
    assert np.array_equal(again.lines, short.lines)


def test_the_lines_into_a_stack_are_drawn_when_asked_for() -> None:
    graph = fan(100).graph()
    drawing = layout(graph, LayoutOptions(show_all=frozenset(graph.inputs.tolist())))
    (tensor,) = graph.inputs.tolist()
    readers = [drawing.box_of_node(node) for node in graph.consumers[tensor].tolist()]
    assert_reached(drawing, tensor, drawing.labels.index("x"), readers)
    assert tensor not in drawing.stub_tensors
    assert len(drawing.stubs)


def assert_reached(drawing: Drawing, tensor: int, maker: int, readers: list[int | None]) -> None:
    """The tensor's lines hang together, begin at its maker and end at each reader."""
    points = drawing.lines[drawing.lines_of_tensor(tensor)].reshape(-1, 2)
    assert points[:, 1].min() == drawing.boxes[maker, 1] + drawing.boxes[maker, 3]
    for reader in readers:
        assert reader is not None
        x, y, width, _ = drawing.boxes[reader].tolist()
        ends = points[points[:, 1] == y, 0]
        assert ((ends >= x) & (ends <= x + width)).any()


def test_to_the_right_boxes_stay_upright() -> None:
    graph = decoder(2).graph()
    down, right = layout(graph), layout(graph, LayoutOptions(view="right"))
    assert right.across and not down.across
    assert right.size[0] > 10 * right.size[1]
    assert sized(down) == sized(right)


def sized(drawing: Drawing) -> dict[str, tuple[float, float]]:
    return {label: (w, h) for label, (_, _, w, h) in zip(drawing.labels, drawing.boxes.tolist(), strict=True)}


def test_to_the_right_lines_meet_boxes_from_the_side() -> None:
    """The piece of a curve that meets a box is much flatter than the one beside it, however far the curve goes."""
    drawing = layout(decoder(2).graph(), LayoutOptions(view="right"))
    x1, y1, x2, y2 = drawing.lines.T
    steepness = np.abs(y2 - y1) / np.abs(x2 - x1)
    before, after = np.roll(steepness, 1), np.roll(steepness, -1)
    for x, y, width, height in drawing.boxes.tolist():
        entering = (x2 == x) & (y <= y2) & (y2 <= y + height)
        leaving = (x1 == x + width) & (y <= y1) & (y1 <= y + height)
        assert (entering | leaving).any()
        assert (5 * steepness[entering] <= before[entering]).all()
        assert (5 * steepness[leaving] <= after[leaving]).all()


def test_to_the_right_groups_have_room_for_their_names() -> None:
    drawing = layout(decoder(2).graph(), LayoutOptions(view="right"))
    for (x, y, width, _), label in zip(drawing.group_boxes.tolist(), drawing.group_labels, strict=True):
        name = np.array([[x, y, 8 + 7.0 * len(label), 18.0]])
        assert width >= name[0, 2]
        assert not len(touched(drawing.lines, name))
        assert overlaps(np.concatenate([name, drawing.boxes])) == 0
