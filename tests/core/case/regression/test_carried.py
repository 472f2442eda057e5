"""What another session found, on the graph of this one."""

import numpy as np

from errorflow.case.regression.carried import carried
from since_cases import chain, run


def test_tensors_of_the_same_name_belong_together() -> None:
    before = run(chain("a", "b", "c"), {"a": 0.9, "c": 0.8})
    graph = chain("c", "b", "a")
    found = carried(before, graph)
    assert [row.tensor for row in found.comparison.rows] == ["a", "c"]
    assert found.row(graph.tensor_names.index("c")) == 1
    assert found.nodes.tolist() == [2, 1, 0] and not found.renamed and not found.gone


def test_renamed_tensors_are_found_by_where_they_stand() -> None:
    before = run(chain("a", "b", "c", prefix="/old/"), {"a": 0.9, "b": 0.7, "c": 0.8})
    graph = chain("a", "b_new", "c", prefix="/new/")
    found = carried(before, graph)
    tensor = graph.tensor_names.index("b_new")
    assert found.renamed == {tensor: "b"} and not found.gone
    number = found.row(tensor)
    assert number is not None and found.comparison.rows[number].value("cosine") == 0.7
    assert found.nodes.tolist() == [0, 1, 2]


def test_what_the_model_has_no_more_is_gone() -> None:
    before = run(chain("a", "b", "extra"), {"a": 0.9, "extra": 0.5})
    found = carried(before, chain("a", "b"))
    assert [(each.name, each.row.value("cosine")) for each in found.gone] == [("extra", 0.5)]
    assert np.array_equal(found.nodes, [0, 1])


def test_what_was_not_measured_is_not_missed() -> None:
    assert not carried(run(chain("a", "b", "extra"), {"a": 0.9}), chain("a", "b")).gone
