"""How graphs are drawn: what fits a window, and whose numbers are whose when not every node is drawn."""

from dataclasses import replace
from pathlib import Path

import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph, Model
from errorflow_viewer.kit.drawings import VIEWS, Drawings, Form, Unfolded, first_picture, make_draft, unfold
from viewer.models import chain


def converted() -> Graph:
    """x → Cast → Conv → Quantize → Dequantize → Relu → y."""
    builder = GraphBuilder()
    builder.input("x")
    before = "x"
    for op_type in ("Cast", "Conv", "QuantizeLinear", "DequantizeLinear", "Relu"):
        builder.node(op_type, [before], [f"{op_type}_out"], name=op_type)
        before = f"{op_type}_out"
    builder.output(before)
    return builder.build()


def all_open(graph: Graph, form: Form) -> Unfolded:
    draft = make_draft(graph, form)
    return unfold(draft, draft.outline.everything, form)


@pytest.mark.parametrize(("nodes", "columns"), [(8, False), (200, True)])
def test_only_what_is_much_taller_than_the_window_is_cut(nodes: int, columns: bool) -> None:
    assert all_open(chain(nodes), Form()).columns == columns
    assert all_open(chain(nodes), Form(across=True)).columns == columns


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("view", [view for view in VIEWS if view != "auto"])
def test_what_the_user_chooses_is_done(view: str, across: bool) -> None:
    made = all_open(chain(200), Form(view=view, across=across))  # type: ignore[arg-type]  # parametrized over the views
    width, height = made.drawing.size
    if view == "columns":
        assert 0.4 < width / height / Form().aspect < 2.5
    else:
        assert (width > 5 * height) if across else (height > 5 * width)
    assert made.drawing.across == across


@pytest.mark.parametrize(("width", "height"), [(10, 10), (800, 600), (2000, 1300), (9000, 9000)])
def test_a_larger_window_shows_more_at_first(width: int, height: int) -> None:
    small, large = Form(width=width, height=height), Form(width=2 * width, height=2 * height)
    assert 40 <= small.budget <= large.budget <= 160


def test_numbers_are_those_of_the_graph_whatever_is_drawn() -> None:
    graph = converted()
    for quiet in (False, True):
        made = all_open(graph, Form(quiet=quiet))
        for box in range(len(made.drawing)):
            node = made.node_of(box)
            if node is not None:
                assert made.drawing.labels[box] == graph.op_types[node]
                assert made.box_of(node) == box


def test_a_hidden_node_is_shown_by_the_one_its_value_comes_from() -> None:
    graph = converted()
    made = all_open(graph, Form(quiet=True))
    boxes = made.boxes_of_nodes().tolist()
    assert boxes == [made.box_of(node) for node in range(5)]
    assert boxes[2] == boxes[3] == boxes[1] != boxes[4]
    assert made.draft.real_nodes(made.draft.drawn.node_inputs.owners()).tolist() == [0, 1, 2, 3, 4]


def test_inputs_and_outputs_are_tensors() -> None:
    made = all_open(chain(3), Form())
    tensors = {made.tensor_of(box) for box in range(len(made.drawing))}
    assert tensors == {None, *made.draft.graph.inputs.tolist(), *made.draft.graph.outputs.tolist()}


def test_a_better_known_graph_is_drawn_as_before() -> None:
    graph = converted()
    better = replace(graph)
    models = [Model(Path("m"), "ONNX model", each) for each in (graph, better)]
    drawings = Drawings(Form(quiet=True))
    drawings.put(graph, all_open(graph, Form(quiet=True)))
    drawings.hand_on(*models)
    old, new = drawings.get(graph), drawings.get(better)
    assert old is not None and new is not None
    assert new.drawing is old.drawing and new.draft.graph is better and new.draft.drawn is not old.draft.drawn
    drawings.keep({better})
    assert drawings.get(graph) is None and drawings.get(better) is new


def test_another_form_keeps_the_groups_that_were_open() -> None:
    graph = chain(40)
    first = first_picture(graph, Form())
    nothing = unfold(first.draft, frozenset(), Form())
    assert len(first_picture(graph, Form(constants=True), nothing).drawing.group_ids) == 0
