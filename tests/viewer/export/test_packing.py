"""What is sent to another process to be painted there."""

from dataclasses import fields, replace

import msgspec
import numpy as np
import pytest

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.model import State
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.report.svg import Picture
from errorflow_viewer.export.packing import packed, unpacked
from viewer.canvas.made_up import beside
from viewer.export.posters import cyclic_graph, graph_of, odd_graph, painted, poster_of
from viewer.models import branching_graph

GRAPHS = {
    "chain": graph_of("Conv", "Relu"),
    "branches": branching_graph(),
    "cyclic": cyclic_graph(),
    "empty": GraphBuilder().build(),
}


def _sent(picture: Picture) -> Picture:
    return unpacked(msgspec.msgpack.decode(msgspec.msgpack.encode(packed(picture))))


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("columns", [False, True], ids=["down", "columns"])
def test_a_drawing_arrives_as_it_was(name: str, columns: bool) -> None:
    picture = poster_of(GRAPHS[name], columns=columns).picture
    found = _sent(picture)

    assert (found.title, found.note) == (picture.title, picture.note)
    for field, value in vars(picture.drawing).items():
        other = getattr(found.drawing, field)
        assert np.array_equal(value, other) if isinstance(value, np.ndarray) else value == other


def test_errors_arrive_as_they_were() -> None:
    picture = painted(poster_of(GRAPHS["chain"]), 0.7).picture
    assert picture.paint is not None and _sent(poster_of(GRAPHS["chain"]).picture).paint is None
    found = _sent(picture).paint

    assert found is not None
    words = ("measure", "formula", "good", "bad")
    assert [getattr(found, word) for word in words] == [getattr(picture.paint, word) for word in words]
    for field in fields(picture.paint.errors):
        one, other = getattr(found.errors, field.name), getattr(picture.paint.errors, field.name)
        assert one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def test_what_stands_beside_the_fills_arrives_as_it_was() -> None:
    picture = painted(poster_of(GRAPHS["chain"]), 0.7).picture
    size = len(picture.drawing)
    told = beside(size, bars={1: 0.5}, states={1: State.NAN}, verdicts={1: Verdict.ORIGIN}, front=[1], ends=[1])
    told = replace(told, turns=np.arange(size, dtype=np.int8) % 3 - 1, kept=np.arange(size, dtype=np.uint8) % 6)
    assert picture.paint is not None
    paint = replace(picture.paint, signs=told, bar="introduced", tints=np.array([0.5, np.nan]), palette="single")
    paint = replace(paint, told_from="1 dB")
    found = _sent(replace(picture, paint=paint)).paint

    assert found is not None and found.signs is not None and found.tints is not None
    assert (found.bar, found.palette, found.told_from) == ("introduced", "single", "1 dB")
    assert np.array_equal(found.tints, np.array([0.5, np.nan]), equal_nan=True)
    for field in fields(told):
        one, other = getattr(found.signs, field.name), getattr(told, field.name)
        assert one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@pytest.mark.parametrize("name", GRAPHS)
def test_of_a_graph_arrives_what_is_painted(name: str) -> None:
    graph: Graph = GRAPHS[name]
    found = _sent(poster_of(graph).picture).graph

    assert [found.op_types[node] for node in range(len(graph))] == list(graph.op_types)
    assert found.node_names == graph.node_names
    assert found.node_outputs.lists() == graph.node_outputs.lists()
    tensors = range(len(graph.tensor_names))
    assert [found.tensor(tensor).shape for tensor in tensors] == [graph.tensor(tensor).shape for tensor in tensors]


def test_names_that_are_no_text_arrive_as_far_as_they_are() -> None:
    picture = poster_of(odd_graph()).picture

    assert len(_sent(picture).drawing.labels) == len(picture.drawing.labels)
