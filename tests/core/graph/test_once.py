"""What is worked out of a graph once."""

import gc
from pathlib import Path
from weakref import ref

import onnx

from errorflow.formats import read_model
from errorflow.graph.model import Graph, once
from onnx_models import small


def read(folder: Path) -> Graph:
    onnx.save(small(), folder / "small.onnx")
    return read_model(folder / "small.onnx").graph


def test_it_is_made_once_for_each_graph(tmp_path: Path) -> None:
    made: list[Graph] = []

    @once
    def count(graph: Graph) -> int:
        made.append(graph)
        return len(graph)

    one, other = read(tmp_path), read(tmp_path)
    assert (count(one), count(one), count(other)) == (len(one), len(one), len(other))
    assert made == [one, other]


def test_a_graph_that_nobody_wants_is_forgotten(tmp_path: Path) -> None:
    count = once(len)
    graph = read(tmp_path)
    count(graph)
    seen = ref(graph)
    del graph
    gc.collect()
    assert seen() is None
