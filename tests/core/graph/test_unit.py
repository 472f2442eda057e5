"""Nodes by the names of the layers that they belong to."""

import numpy as np
import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.graph.unit import is_quantizer_of_layer, per_unit, unit, unit_title


def of(name: str, op_type: str = "Conv2D", origins: tuple[str, ...] | None = None) -> Graph:
    builder = GraphBuilder("g")
    builder.node(op_type, ["x"], [f"{name}:0"], name=name, origins=origins)
    return builder.build()


@pytest.mark.parametrize(
    ("name", "origins", "layer"),
    [
        ("conv1", None, "conv1"),
        ("conv1_quant_layer", None, "conv1"),
        ("conv1_dequant_layer", ("conv1_dequant_layer",), "conv1"),
        ("conv1.quant", None, "conv1"),
        ("scope/conv1/AscendDequant", None, "scope/conv1"),
        ("conv1conv1_dequant_layerrelu1", ("conv1", "conv1_dequant_layer", "relu1"), "conv1"),
        ("quant_layer", None, "quant_layer"),
        ("trans_0", (), "trans_0"),
    ],
)
def test_a_node_has_the_name_of_its_layer(name: str, origins: tuple[str, ...] | None, layer: str) -> None:
    graph = of(name, origins=origins)
    assert unit(graph, 0) == layer
    assert unit_title(graph, 0) == (name if name == layer else f"{layer} ({name})")


def folded() -> Graph:
    builder = GraphBuilder("g")
    builder.node("Convolution", ["x"], ["a"], name="conv")
    builder.node("BatchNorm", ["a"], ["b"], name="bn")
    builder.node("Scale", ["b"], ["c"], name="scale")
    builder.node("ReLU", ["c"], ["d"], name="relu")
    builder.node("Scale", ["d"], ["e"], name="own")
    return builder.build()


def test_what_is_folded_into_a_layer_bears_its_name() -> None:
    graph = folded()
    assert [unit(graph, node) for node in range(len(graph))] == ["conv", "conv", "conv", "relu", "own"]


def test_the_parts_of_a_layer_bring_what_they_bring_together() -> None:
    found = per_unit(folded(), np.array([0.1, 0.0, 0.4, 0.3, 0.2]))
    assert found.tolist() == pytest.approx([0.0, 0.0, 0.5, 0.3, 0.2])


def test_nodes_without_a_name_are_themselves() -> None:
    builder = GraphBuilder("g")
    builder.node("Relu", ["x"], ["a"])
    builder.node("Relu", ["a"], ["b"])
    graph = builder.build()
    assert per_unit(graph, np.array([0.5, 0.5])).tolist() == [0.5, 0.5]
    assert unit_title(graph, 0) == "Relu → a"


def test_a_scale_belongs_to_the_layer_that_reads_with_it() -> None:
    assert is_quantizer_of_layer(of("conv1_quant_layer", "AscendQuant"), 0)
    assert not is_quantizer_of_layer(of("q", "QuantizeLinear"), 0)
