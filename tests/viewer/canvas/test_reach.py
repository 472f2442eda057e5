"""The path through a box."""

import pytest

from errorflow.graph.model import Graph
from errorflow_viewer.canvas.links import Neighbours, Reach, start_of
from errorflow_viewer.canvas.scene import Scene
from viewer.canvas.made_up import diamond, grid


def names_on_path(box: int) -> set[str]:
    drawing, graph = diamond()
    reach = Reach(graph, Neighbours(graph), start_of(drawing, graph, box))
    while not reach.advance():
        pass
    return {name for name, on in zip(graph.tensor_names, reach.tensors().tolist(), strict=True) if on}


@pytest.mark.parametrize(
    ("box", "path"),
    [
        (0, {"x", "w", "c", "r", "s", "y"}),  # Conv: everything
        (1, {"x", "w", "c", "r", "y"}),  # Relu: not Sigmoid
        (2, {"x", "w", "c", "s"}),
        (4, {"x", "c", "r", "s", "y"}),  # the input: what depends on it
        (5, {"x", "w", "c", "r", "y"}),  # the output: what it depends on
    ],
)
def test_the_path_leads_from_inputs_to_outputs(box: int, path: set[str]) -> None:
    assert names_on_path(box) == path


def test_a_long_search_comes_in_portions() -> None:
    graph: Graph
    drawing, graph = grid(10_000)
    reach = Reach(graph, Neighbours(graph), start_of(drawing, graph, 5000))
    portions = 1
    while not reach.advance():
        portions += 1
    assert portions > 1
    assert reach.tensors().all()


def test_neighbours_are_found_once_for_a_graph() -> None:
    drawing, graph = diamond()
    assert Scene(drawing, graph).neighbours is Scene(drawing, graph).neighbours
