"""A model taken apart."""

from pathlib import Path

from errorflow.run.parts import Parts
from onnx_models import graph, model, relu, value


def test_nodes_that_stand_the_wrong_way_round_are_ordered_at_once() -> None:
    """Going over all of them again for each one that fits would take an hour."""
    count = 30_000
    nodes = [relu(f"t{place}", f"t{place + 1}") for place in range(count)]
    made = model(graph(*reversed(nodes), inputs=[value("t0")], outputs=[value(f"t{count}")]))
    ordered = Parts(made, Path("m.onnx")).nodes
    assert [node.input[0] for node in ordered] == [f"t{place}" for place in range(count)]


def test_nodes_keep_the_order_of_the_file_where_that_is_one() -> None:
    nodes = [relu("x", "b"), relu("x", "a"), relu("b", "c"), relu("a", "d")]
    made = model(graph(*nodes, inputs=[value("x")], outputs=[value("c"), value("d")]))
    assert [node.output[0] for node in Parts(made, Path("m.onnx")).nodes] == ["b", "a", "c", "d"]
