"""Where the rows of a table are in a model."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.results import ResultRow, ResultTable
from errorflow.compare.results.place import HOW, Place, TablePlacement, place
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph


def graph() -> Graph:
    """x → stem/conv → stem.conv_out → fused → half_left, half_right → /head/end → y; fused is made of a, b and relu."""
    builder = GraphBuilder("net")
    builder.input("x")
    builder.node("Conv", ["x"], ["stem.conv_out"], "stem/conv")
    builder.node("Conv", ["stem.conv_out"], ["half_left", "half_right"], "fused", origins=("a", "b", "relu"))
    builder.node("Add", ["half_left", "half_right"], ["y"], "/head/end")
    builder.output("y")
    return builder.build()


GRAPH = graph()


def placed(*rows: ResultRow) -> TablePlacement:
    return place(ResultTable("t", "v", "tensor", (), rows), GRAPH)


def tensors(found: Place) -> Sequence[str]:
    return [GRAPH.tensor_names[tensor] for tensor in found.tensors]


@pytest.mark.parametrize(
    ("name", "how", "expected"),
    [
        ("half_left", "tensor", ["half_left"]),
        ("x", "tensor", ["x"]),
        ("fused", "node", ["half_left", "half_right"]),
        ("fused:output:1", "index", ["half_right"]),
        ("fused:1", "index", ["half_right"]),
        ("/head/end:input:0", "input", ["half_left"]),
        ("relu", "origin", ["half_left", "half_right"]),
        ("stem_conv_out", "file", ["stem.conv_out"]),
        ("stem/conv:output:0", "index", ["stem.conv_out"]),
        ("_head_end", "file", ["y"]),
        ("stem.co…", "cut", ["stem.conv_out"]),
        ("...conv_out", "cut", ["stem.conv_out"]),
        ("/head/e…", "cut", ["y"]),
    ],
)
def test_a_row_is_found_and_it_is_said_how(name: str, how: str, expected: list[str]) -> None:
    (found,) = placed(ResultRow(name)).places

    assert (found.how, tensors(found)) == (how, expected)


@pytest.mark.parametrize(
    "name", ["", "nothing", "fused:output:2", "fused:input:7", "nothing:input:0", "…", "half_…", "a", ":output:0"]
)
def test_what_is_not_there_or_could_be_several_is_lost(name: str) -> None:
    assert placed(ResultRow("half_left"), ResultRow(name)).lost == (1,)


def test_another_exact_name_is_surer_than_a_similar_one() -> None:
    (found,) = placed(ResultRow("stem_conv_out", names=("fused",))).places

    assert (found.how, tensors(found)) == ("node", ["half_left", "half_right"])


def test_the_output_that_is_meant_is_kept_under_another_name() -> None:
    (found,) = placed(ResultRow("abrelu:output:1", names=("abrelu", "relu"))).places

    assert (found.how, tensors(found)) == ("origin", ["half_right"])


def test_inputs_of_a_fused_operator_are_not_those_of_its_last() -> None:
    assert placed(ResultRow("abrelu:input:0", names=("abrelu", "fused"))).lost == (0,)


def test_the_node_that_makes_a_tensor_is_told() -> None:
    found = placed(ResultRow("half_right"), ResultRow("x")).places

    assert [each.node for each in found] == [GRAPH.node_index("fused"), -1]


@given(st.lists(st.text(alphabet="lefstmco./_:0input…"), max_size=8))
def test_every_row_is_placed_or_lost(names: list[str]) -> None:
    found = placed(*(ResultRow(name) for name in names))

    assert sorted([*(each.row for each in found.places), *found.lost]) == list(range(len(names)))
    assert all(each.tensors and each.how in HOW for each in found.places)
