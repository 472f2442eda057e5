"""What is said about boxes."""

from dataclasses import replace

import numpy as np
import pytest

from errorflow.layout.drawing import Kind
from errorflow_viewer.canvas.texts import (
    abbreviations,
    group_tooltip,
    lines_below,
    readable,
    short_names,
    spoken,
    tooltip,
)
from viewer.canvas.made_up import diamond, grid


@pytest.mark.parametrize(
    ("name", "op_type", "forms"),
    [
        (
            "/model/layers.0/self_attn/MatMul",
            "MatMul",
            ("layers.0/self_attn", "laye.0/self_attn", "lay.0/sel_att", "self_attn"),
        ),
        (
            "/model/layers.0/self_attn/MatMul_2",
            "MatMul",
            ("layers.0/self_attn · 2", "laye.0/self_attn · 2", "lay.0/sel_att · 2", "self_attn · 2"),
        ),
        ("/block3/expand/conv/Conv", "Conv", ("block3/expand", "bloc3/expa", "blo3/exp", "expand")),
        ("conv1", "Conv", ("conv1",)),
        ("stage/conv1", "Conv", ("stage/conv1", "stag/conv1", "sta/con1", "conv1")),
        ("Conv", "Conv", ()),  # the label says it already
        ("/Identity", "Identity", ()),
        ("Conv_1", "Conv", ("Conv_1",)),
        ("/", "Conv", ()),
        ("", "Conv", ()),
        ("a/C+*", "C+*", ("a",)),
    ],
)
def test_short_names_leave_out_what_is_known(name: str, op_type: str, forms: tuple[str, ...]) -> None:
    assert short_names(name, op_type) == forms


@pytest.mark.parametrize(
    ("text", "longest", "shortest"),
    [
        ("BatchNormalization", "BatchNormalizatio", "BatNo"),
        ("QLinearConv", "QLineaConv", "QLinCo"),
        ("Softmax", "Softma", "Soft"),
        ("LSTM", "LST", "LST"),
        ("GRU", "GRU", "GRU"),
        ("MatMul", "MatMu", "MatMu"),
        ("MaxPool", "MaxPoo", "MaxPo"),
        ("TopK", "TopK", "TopK"),
        ("GatherND", "GatheND", "GatND"),
        ("BatchNorm2d", "BatcNorm2d", "BatNor2d"),
    ],
)
def test_types_are_abbreviated_word_by_word(text: str, longest: str, shortest: str) -> None:
    found = [text, *abbreviations(text)]
    assert found[min(1, len(found) - 1)] == longest and found[-1] == shortest


@pytest.mark.parametrize("length", [10, 400, 100_000])
def test_of_a_name_without_end_no_more_is_said_than_one_can_read(length: int) -> None:
    drawing, graph = diamond()
    name = "begin/" + "x" * length
    graph = replace(graph, node_names=(name,) * len(graph))
    said = readable(tooltip(drawing, graph, 0)).split("\n")[0]
    assert said == name if len(name) <= 400 else len(said) == 400 and said.startswith("begin/")
    assert len(spoken(drawing, graph, 0)) < 1000
    assert all(len(form) <= 400 for form in short_names(name, "Conv"))


def test_below_an_operator_stand_name_and_type() -> None:
    drawing, graph = diamond()
    assert lines_below(drawing, graph, 3) == (("stem · 1",), ("float32 1×8", "1×8"))


def test_below_an_input_stands_its_type() -> None:
    drawing, graph = diamond()
    assert lines_below(drawing, graph, 4) == (("float32 1×8", "1×8"),)


def test_a_tooltip_tells_name_type_and_outputs() -> None:
    drawing, graph = diamond()
    assert tooltip(drawing, graph, 0) == "/stem/Conv\nConv\n→ c  float32 1×8"
    assert tooltip(drawing, graph, 5) == "y\nOutput  float32 1×8"


def test_what_is_the_same_is_said_once() -> None:
    drawing, graph = diamond()
    graph = replace(graph, node_names=("Conv", *graph.node_names[1:]))
    assert tooltip(drawing, graph, 0) == "Conv\n→ c  float32 1×8"


def test_a_closed_group_tells_where_it_is_how_many_nodes_it_holds_and_which() -> None:
    drawing, graph = grid(30, columns=2)
    folds, kinds, nodes = drawing.folds.copy(), drawing.kinds.copy(), drawing.nodes.copy()
    folds[5], kinds[5], nodes[5] = 7, Kind.FOLD, -1
    boxes = drawing.node_boxes.copy()
    boxes[4:12] = 5
    labels = (*drawing.labels[:5], "layers.3 (8)", *drawing.labels[6:])
    closed = replace(drawing, folds=folds, kinds=kinds, nodes=nodes, node_boxes=boxes, labels=labels)
    assert tooltip(closed, graph, 5).splitlines() == [
        "block.0 › layers.3",
        "8 nodes",
        "1 Conv · 1 BatchNormalization · 1 Relu · 1 MaxPool · 4 more",
    ]


def test_an_open_group_tells_the_same_of_all_that_lies_in_it() -> None:
    drawing, graph = grid(30, columns=2)
    nested = replace(
        drawing,
        group_boxes=np.concatenate([drawing.group_boxes, drawing.group_boxes[:1] + np.array([4.0, 40.0, -8.0, -80.0])]),
        group_depths=np.array([0, 0, 1], np.uint8),
        group_ids=np.array([0, 1, 2], np.int32),
        group_labels=("model", "head", "layers.0"),
    )
    name, count, types = group_tooltip(nested, graph, 2).splitlines()
    assert name == "model › layers.0"
    assert count == "14 nodes"
    assert types == "2 Conv · 2 BatchNormalization · 2 Relu · 2 Add · 6 more"
    assert group_tooltip(nested, graph, 0).splitlines()[1] == "15 nodes"


def test_a_selection_is_a_sentence() -> None:
    drawing, graph = diamond()
    assert spoken(drawing, graph, 1) == "Relu: /stem/Relu, Relu, gives r  float32 1×8"
    assert spoken(drawing, graph, None) == "Graph of 4 nodes, none selected."
