"""Tensors without a model, one behind the other."""

from pathlib import Path

import pytest

from errorflow.case.scenarios.chain import chain_of
from errorflow.compare.match.model import Match, Pair


@pytest.mark.parametrize("place", ["999999999", "9" * 5000, "٣٣٣٣٣٣٣٣٣"])
def test_a_place_beyond_all_measure_is_part_of_the_name(place: str) -> None:
    graph = chain_of(Match((Pair(f"conv:input:{place}", None, None),)), Path("run")).graph
    assert graph.node_names == (f"conv:input:{place}",)
    assert graph.node_inputs[0].tolist() == [-1]


def test_what_an_operator_read_leaves_its_other_inputs_empty() -> None:
    graph = chain_of(Match((Pair("conv:input:2", None, None), Pair("conv:output:0", None, None))), Path("run")).graph
    assert graph.node_names == ("conv",)
    assert graph.node_inputs[0].tolist() == [-1, -1, -1]
