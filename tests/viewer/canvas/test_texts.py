"""What is said about boxes."""

import pytest

from errorflow_viewer.canvas.texts import lines_below, short_names, spoken, tooltip
from viewer.canvas.made_up import diamond


@pytest.mark.parametrize(
    ("name", "op_type", "forms"),
    [
        ("/model/layers.0/self_attn/MatMul", "MatMul", ("layers.0/self_attn", "self_attn")),
        ("/model/layers.0/self_attn/MatMul_2", "MatMul", ("layers.0/self_attn · 2", "self_attn · 2")),
        ("conv1", "Conv", ("conv1",)),
        ("stage/conv1", "Conv", ("stage/conv1", "conv1")),
        ("Conv", "Conv", ("Conv",)),
        ("/", "Conv", ()),
        ("", "Conv", ()),
        ("a/C+*", "C+*", ("a",)),
    ],
)
def test_short_names_leave_out_what_is_known(name: str, op_type: str, forms: tuple[str, ...]) -> None:
    assert short_names(name, op_type) == forms


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


def test_a_selection_is_a_sentence() -> None:
    drawing, graph = diamond()
    assert spoken(drawing, graph, 1) == "Relu: /stem/Relu, Relu, gives r  float32 1×8"
    assert spoken(drawing, graph, None) == "Graph of 4 nodes, none selected."
