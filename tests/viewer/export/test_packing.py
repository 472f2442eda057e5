"""What is sent to another process to be painted there."""

import msgspec
import numpy as np
import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.report.svg import Picture
from errorflow_viewer.export.packing import packed, unpacked
from viewer.export.posters import cyclic_graph, graph_of, odd_graph, poster_of
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
