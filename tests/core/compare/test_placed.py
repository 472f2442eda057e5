"""Rows find the tensors of a graph."""

import math

import numpy as np

from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import Placed, side_of
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph

FLOAT = "float32"


def graph() -> Graph:
    """Nodes without names, as many exporters leave them."""
    builder = GraphBuilder()
    builder.input("x")
    for reads, makes in (("x", "a"), ("a", "b"), ("b", "c")):
        builder.node("Relu", [reads], [makes])
    builder.output("c")
    return builder.build()


def info(name: str) -> TensorInfo | None:
    return TensorInfo(name, FLOAT, (1,), 4) if name else None


def row(candidate: str, reference: str, value: float | None = 1.0) -> Row:
    values = {} if value is None else {"cosine": value}
    return Row(candidate, info(reference), info(candidate), values, "" if values else "alone")


def test_a_row_without_a_reference_is_at_no_nameless_node() -> None:
    placed = Placed.of(graph(), Comparison((row("mine", "", None), row("other", "b"))), "reference")
    assert list(placed.about) == [graph().tensor_index("b")]
    assert not placed.notes


def test_the_side_is_that_by_whose_names_more_is_found() -> None:
    named, renamed = row("a", "p"), row("q", "b")
    assert side_of(graph(), Comparison((named,))) == "candidate"
    assert side_of(graph(), Comparison((renamed,))) == "reference"
    assert side_of(graph(), Comparison((named, row("p", "c"), row("q", "x")))) == "reference"
    assert side_of(graph(), Comparison((named, row("b", "b"), row("c", "c")))) == "candidate"
    assert side_of(graph(), Comparison((row("nobody", "nowhere"),))) == "candidate"


def test_a_file_of_the_original_models_run_is_at_the_node_that_it_was_written_for() -> None:
    """Names of files have no dots and strokes; what two nodes would be called says nothing of either."""
    builder = GraphBuilder()
    builder.input("x")
    for name, reads, makes in (("Add.1", "x", "a"), ("top/Mul", "a", "b"), ("Relu.2", "b", "c"), ("Relu/2", "c", "d")):
        builder.node("Add", [reads], [makes], name=name)
    original = builder.build()
    rows = Comparison((row("m:output:0", "Add_1.0"), row("n", "top_Mul.0"), row("o", "Relu_2.0")))
    found = Placed.of(original, rows, "reference").about
    assert found == {original.tensor_index("a"): (0,), original.tensor_index("b"): (1,)}
    assert not Placed.of(original, rows, "candidate").about


def test_what_the_reference_itself_does_not_know_is_no_nan_of_the_candidate() -> None:
    """The candidate's own NaN stays what it is; a metric that is a number in spite of all is shown."""
    nan, infinite, fine = Side(nan=1), Side(inf=2), Side(low=0.0, high=1.0)
    rows = tuple(
        Row(name, info(name), info(name), {"cosine": math.nan, "max_absolute_error": 0.5}, "", golden, mine)
        for name, golden, mine in (("a", nan, fine), ("b", infinite, infinite), ("c", fine, nan))
    )
    placed = Placed.of(graph(), Comparison(rows))
    a, b, c = (graph().tensor_index(name) for name in "abc")
    cosine = placed.by(next(scale for scale in MEASURES if scale.key == "cosine"))
    assert np.flatnonzero(cosine.places > -np.inf).tolist() == [c]
    assert placed.notes == {a: "NaN in the reference itself", b: "infinite values in the reference itself"}
    found = placed.by(next(scale for scale in MEASURES if scale.key == "max_absolute_error"))
    assert np.flatnonzero(found.places > -np.inf).tolist() == [a, b, c]
