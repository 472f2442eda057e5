"""Who is connected to whom, and by which lines."""

from dataclasses import replace

import numpy as np
import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.layout.drawing import Floats, Kind
from errorflow.layout.prepare import prepare
from errorflow_viewer.canvas.highlights import lines_of
from errorflow_viewer.canvas.links import Links
from errorflow_viewer.canvas.walk import Walk, Way
from viewer.canvas.made_up import diamond, empty, grid
from viewer.models import crowd

CONV, RELU, SIGMOID, ADD, INPUT, OUTPUT = range(6)


@pytest.mark.parametrize(
    ("box", "producers", "consumers"),
    [
        (CONV, [INPUT], [RELU, SIGMOID, ADD]),
        (RELU, [CONV], [ADD]),
        (SIGMOID, [CONV], []),
        (ADD, [RELU, CONV], [OUTPUT]),
        (INPUT, [], [CONV]),
        (OUTPUT, [ADD], []),
    ],
)
def test_neighbours_are_boxes(box: int, producers: list[int], consumers: list[int]) -> None:
    links = Links(*diamond())
    assert links.producers(box) == producers
    assert links.consumers(box) == consumers


def test_an_incoming_tensor_is_lit_only_on_its_way_here() -> None:
    drawing, graph = diamond()
    lit = lines_of(drawing, Links(drawing, graph), ADD).tolist()
    assert [200, 150, 260, 170] not in lit  # the branch to Sigmoid
    assert [90, 84, 200, 100] in lit
    assert [200, 100, 200, 200] in lit


def test_a_way_is_cut_where_it_leaves_the_trunk() -> None:
    drawing, graph = diamond()
    lit = lines_of(drawing, Links(drawing, graph), SIGMOID).tolist()
    assert [200, 100, 200, 150] in lit
    assert [200, 200, 90, 240] not in lit


def test_an_outgoing_tensor_is_lit_to_all_its_readers() -> None:
    drawing, graph = diamond()
    lit = lines_of(drawing, Links(drawing, graph), CONV).tolist()
    assert all(line in lit for line in drawing.lines[drawing.lines_of_tensor(int(graph.node_outputs[0][0]))].tolist())


def test_what_a_fold_makes_and_reads_itself_has_no_lines() -> None:
    drawing, graph = diamond()
    inner = drawing.line_tensors == graph.tensor_names.index("r")
    folded = replace(
        drawing,
        nodes=np.array([-1, -1, 2, 3, -1, -1], np.int32),
        node_boxes=np.array([0, 0, 2, 3], np.int32),
        lines=drawing.lines[~inner],
        line_tensors=drawing.line_tensors[~inner],
    )
    links = Links(folded, graph)
    names = [graph.tensor_names[tensor] for tensor in links.tensors_out_of(0).tolist()]
    assert names == ["c", "r"]
    assert [graph.tensor_names[t] for t in links.drawn(links.tensors_out_of(0)).tolist()] == ["c"]


def test_lines_that_do_not_meet_are_lit_whole() -> None:
    drawing, graph = grid(6, columns=2)
    drawing.lines[3, :2] += 1000  # a column ends between two boxes
    assert len(lines_of(drawing, Links(drawing, graph), 4)) == 2


@pytest.mark.parametrize(
    ("start", "way", "goal"),
    [
        (CONV, Way.DOWN, RELU),  # straight below
        (ADD, Way.UP, RELU),
        (RELU, Way.RIGHT, SIGMOID),
        (SIGMOID, Way.LEFT, RELU),
        (RELU, Way.LEFT, None),
        (OUTPUT, Way.DOWN, None),
        (INPUT, Way.UP, None),
    ],
)
def test_arrows_lead_along_edges_and_to_siblings(start: int, way: Way, goal: int | None) -> None:
    drawing, graph = diamond()
    assert Walk(drawing, Links(drawing, graph)).step(start, way) == goal


def test_the_opposite_arrow_leads_back() -> None:
    drawing, graph = diamond()
    walk = Walk(drawing, Links(drawing, graph))
    assert walk.step(SIGMOID, Way.UP) == CONV
    assert walk.step(CONV, Way.DOWN) == SIGMOID


def test_first_and_last_are_input_and_output() -> None:
    drawing, graph = diamond()
    walk = Walk(drawing, Links(drawing, graph))
    assert (walk.first(), walk.last()) == (INPUT, OUTPUT)


def test_nothing_has_no_first() -> None:
    drawing, graph = empty()
    assert Walk(drawing, Links(drawing, graph)).first() is None


def test_the_way_goes_on_across_columns() -> None:
    """Of a tensor with readers in several columns only the way to the box in question is lit."""
    builder = GraphBuilder()
    builder.input("x")
    before = "x"
    for number in range(60):
        builder.node("Add", [before, "x"], [f"t{number}"], name=f"n{number}")
        before = f"t{number}"
    builder.output(before)
    graph = builder.build()
    drawing = prepare(graph, grouped=False).draw(None, "columns", 1.6)
    assert len(drawing.marks) > 2
    links = Links(drawing, graph)
    x = graph.tensor_index("x")
    assert x is not None
    lit = {number: lines_of(drawing, links, int(drawing.node_boxes[number])) for number in (1, 59)}
    everything = len(links.lines_of(x))
    assert len(lit[1]) < 30
    assert len(lit[1]) < len(lit[59]) < everything
    assert _meets(lit[59], drawing.boxes[int(drawing.node_boxes[59])])
    source = int(np.flatnonzero(drawing.kinds == Kind.INPUT)[0])
    assert _meets(lit[59], drawing.boxes[source])


def test_of_a_line_without_a_middle_its_two_ends_are_lit() -> None:
    graph = crowd()
    drawing = prepare(graph).draw(None)
    tensor, node = graph.tensor_index("all"), graph.node_index("/moe/expert.7/mul")
    assert tensor is not None and node is not None and tensor in drawing.stub_tensors
    lit = lines_of(drawing, Links(drawing, graph), int(drawing.node_boxes[node]))
    assert 0 < len(lit) < 30 < len(Links(drawing, graph).lines_of(tensor))
    assert _meets(lit, drawing.boxes[int(drawing.node_boxes[0])])


def _meets(lines: Floats, box: Floats) -> bool:
    ends = lines.reshape(-1, 2)
    return bool(np.any(np.all((ends >= box[:2] - 1) & (ends <= box[:2] + box[2:] + 1), axis=1)))
