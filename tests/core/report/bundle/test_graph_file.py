"""A graph of any format as a file of its own."""

import json
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import FormatError
from errorflow.base.sample import SAMPLES
from errorflow.formats import FORMATS, read_model
from errorflow.graph.model import Graph
from errorflow.report.bundle.graph_file import FORMAT, model_of, plain_model
from errorflow.report.bundle.model import encoded

_FILES = Path(__file__).parents[3] / "data" / "formats"
_MODELS = [path for row in FORMATS if row.holds == "model" for path in sorted((_FILES / row.key).iterdir())]
_COLUMNS = ("op_types", "domains", "dtypes", "shapes", "layouts", "original_layouts", "original_shapes", "origins")
_ENDS = ("inputs", "outputs", "constants", "producers")


def _check(one: Graph, other: Graph) -> None:
    assert (one.name, one.node_names, one.tensor_names) == (other.name, other.node_names, other.tensor_names)
    for column in _COLUMNS:
        assert list(getattr(one, column)) == list(getattr(other, column)), column
    for ends in _ENDS:
        np.testing.assert_array_equal(getattr(one, ends), getattr(other, ends))
    assert one.node_inputs.lists() == other.node_inputs.lists()
    assert one.node_outputs.lists() == other.node_outputs.lists()
    assert dict(one.tensor_origins) == dict(other.tensor_origins)
    assert one.problems == other.problems
    assert [one.node(n).waits_for for n in range(len(one))] == [other.node(n).waits_for for n in range(len(other))]
    assert [each.info(name) for each in [one.weights] for name in each.names()] == [
        replaced for name in other.weights.names() if (replaced := other.weights.info(name))
    ]


@pytest.mark.parametrize("path", [*_MODELS, SAMPLES[0].model, SAMPLES[0].candidate_model], ids=lambda path: path.name)
def test_it_is_the_same_but_for_its_weights(path: Path) -> None:
    model = read_model(path)
    found = model_of(json.loads(encoded(plain_model(model))), path)
    assert (found.format, found.facts) == (FORMAT, model.facts)
    assert len(found.functions) == len(model.functions)
    for (way, one), (other_way, other) in zip(model.graph.walk(), found.graph.walk(), strict=True):
        assert way == other_way
        _check(other, one)


def test_scales_and_small_whole_numbers_stay_and_weights_do_not() -> None:
    graph = read_model(SAMPLES[0].candidate_model).graph
    found = plain_model(read_model(SAMPLES[0].candidate_model))["graph"]["values"]
    scales = {
        graph.tensor_names[end]
        for node in range(len(graph))
        if graph.op_types[node] == "DequantizeLinear"
        for end in graph.node_inputs[node].tolist()[1:]
    }
    assert scales <= set(found)
    large = [name for name in found if graph.weights.read(name).size > 64 and name not in scales]
    assert large == []


@pytest.mark.parametrize(
    "rows",
    [
        {},
        {"graph": {}},
        {"facts": [], "functions": [], "graph": {"name": "", "tensors": [["a"], ["a"]], "nodes": []}},
        {"facts": 7, "functions": [], "graph": None},
        {"facts": [], "functions": [], "graph": {"name": 1, "tensors": [[]], "nodes": [[]], "values": {}}},
    ],
)
def test_rubbish_is_a_sentence(rows: dict[str, object]) -> None:
    with pytest.raises(FormatError):
        model_of(rows, Path("case.zip"))


def test_numbers_that_lead_nowhere_are_refused() -> None:
    rows = plain_model(read_model(SAMPLES[0].model))
    rows["graph"]["inputs"] = [10**6]
    with pytest.raises(FormatError):
        model_of(rows, Path("case.zip"))
    rows["graph"]["inputs"] = []
    rows["graph"]["nodes"][0][3] = [10**6]
    with pytest.raises(FormatError):
        model_of(rows, Path("case.zip"))
