"""Levels with very many members, and how much there is to see at first."""

import numpy as np
import pytest
from generate import Sketch, chain, decoder, fan, unet, variant

from core.layout.conftest import REAL, real_graph
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.grouping import LEAST, MOST, span
from errorflow.layout.outline import BUDGET, NEARLY_ALL, Outline
from errorflow.layout.prepare import prepare


def layers(count: int, bare: int = 0) -> Graph:
    """So many layers of three nodes, each followed by some without a name of their own."""
    builder = GraphBuilder()
    builder.input("t")
    last = "t"
    for layer in range(count):
        for number in range(3 + bare):
            name = f"layers.{layer}/op{number}" if number < 3 else f"/op{layer}_{number}"
            builder.node(f"Op{number}", [last], [f"t{layer}_{number}"], name=name)
            last = f"t{layer}_{number}"
    builder.output(last)
    return builder.build()


def wide(inputs: int, steps: int) -> Graph:
    """Many inputs, all with names of their own, that meet in one node; and as many outputs."""
    builder = GraphBuilder()
    ends = []
    for number in range(inputs):
        last = f"in_{chr(97 + number % 26)}_{chr(97 + number // 26)}"
        builder.input(last)
        for step in range(steps):
            builder.node(("Relu", "Gather", "Cast")[(number + step) % 3], [last], [f"t{number}_{step}"])
            last = f"t{number}_{step}"
        ends.append(last)
    outputs = [end.replace("in_", "out_") + "_y" for end in ends]
    builder.node("Concat", ends, ["all"])
    builder.node("Split", ["all"], outputs)
    for output in outputs:
        builder.output(output)
    return builder.build()


def lonely(count: int) -> Graph:
    builder = GraphBuilder()
    for number in range(count):
        builder.node("Quant", (), (), name=f"quant{number}")
    return builder.build()


GRAPHS = {
    "deep decoder": decoder(400),
    "decoder of 100 layers": decoder(100),
    "quantized decoder": variant(3_000, "qdq"),
    "mixture": variant(5_000, "moe"),
    "nameless decoder": decoder(100, scoped=False),
    "chain": chain(5_000),
    "fan": fan(400),
    "unet": unet(200),
    "layers": layers(1_666),
    "layers with nodes between": layers(300, bare=2),
    "many inputs": wide(300, 0),
    "many inputs with a node each": wide(300, 1),
    "many branches": wide(120, 3),
    "no lines": lonely(2_000),
    **{name: real_graph(name) for name in REAL},
}


def graph_of(given: Graph | Sketch) -> Graph:
    return given if isinstance(given, Graph) else given.graph()


@pytest.mark.parametrize("given", GRAPHS.values(), ids=GRAPHS.keys())
def test_at_first_there_is_never_more_to_see_than_the_budget(given: Graph | Sketch) -> None:
    prepared = prepare(graph_of(given))
    outline = prepared.outline
    first = outline.at_first()
    drawing = prepared.draw(first)
    assert 1 < len(drawing) <= BUDGET
    assert len(drawing) == outline.boxes[-1] + sum(int(outline.boxes[group]) - 1 for group in first)


@pytest.mark.parametrize("given", GRAPHS.values(), ids=GRAPHS.keys())
def test_no_box_hides_the_model_however_small_the_budget(given: Graph | Sketch) -> None:
    prepared = prepare(graph_of(given))
    outline = prepared.outline
    for budget in (1, 40, 60):
        folds = prepared.draw(outline.at_first(budget)).folds
        closed = folds[folds >= 0]
        closed = closed[outline.copies[closed] == 0]
        assert outline.counts[closed].max(initial=0) < NEARLY_ALL * outline.node_count


@pytest.mark.parametrize("budget", [40, 60])
def test_a_small_window_shows_what_a_decoder_is_made_of(budget: int) -> None:
    prepared = prepare(variant(3_000, "plain").graph())
    assert sum(label.startswith("layers.") for label in prepared.draw(prepared.outline.at_first(budget)).labels) == 53


@pytest.mark.parametrize("given", GRAPHS.values(), ids=GRAPHS.keys())
def test_no_group_is_empty_and_no_node_is_lost(given: Graph | Sketch) -> None:
    outline = prepare(graph_of(given)).outline
    assert (outline.counts > 0).all()
    assert int(outline.counts[outline.parents < 0].sum()) == np.count_nonzero(outline.node_groups >= 0)


def names(outline: Outline, parent: int = -1) -> list[str]:
    return [outline.labels[group] for group in range(len(outline)) if outline.parents[group] == parent]


def test_very_many_layers_come_in_parts_of_equal_size() -> None:
    outline = prepare(layers(1_666)).outline
    parts = names(outline)
    assert parts[:2] == ["layers.0 – 49", "layers.50 – 99"]
    assert parts[-1] == "layers.1650 – 1665"
    assert names(outline, 0) == [f"layers.{number}" for number in range(50)]


def test_what_stands_between_layers_goes_with_the_one_before() -> None:
    graph = layers(300, bare=1)
    outline = prepare(graph).outline
    parts = names(outline)
    assert parts[0] == "layers.0 – 19"
    own = [node for node in range(len(graph)) if outline.node_groups[node] == 0]
    assert [graph.node_names[node] for node in own] == [f"/op{layer}_3" for layer in range(20)]


def test_few_layers_stay_as_they_are() -> None:
    assert names(prepare(layers(MOST)).outline) == [f"layers.{number}" for number in range(MOST)]


def test_layers_that_leave_no_room_for_the_rest_come_in_parts() -> None:
    builder = GraphBuilder()
    builder.input("t")
    last = "t"
    for number in range(90):
        for op in range(9):
            builder.node("Op", [last], [f"t{number}_{op}"], name=f"model/layers.{number}/op{op}")
            last = f"t{number}_{op}"
    for number in range(50):
        builder.node("Op", [last], [f"u{number}"], name=f"/op{number}")
        last = f"u{number}"
    outline = prepare(builder.build()).outline
    assert names(outline) == ["model"]
    assert len(names(outline, 0)) <= LEAST


def test_an_operator_with_very_many_inputs_is_folded_with_them() -> None:
    prepared = prepare(wide(300, 0))
    closed = prepared.draw(frozenset())
    assert sorted(closed.labels) == ["Concat (1)", "Split (1)"]
    assert sum(label.startswith("in_") for label in prepared.draw().labels) == 300


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        ("layers.0", "layers.9", "layers.0 – 9"),
        ("layers.10", "layers.19", "layers.10 – 19"),
        ("layers.0", "99", "layers.0 – 99"),
        ("block 1/a", "block 2/a", "block 1/a – block 2/a"),
        ("a", "b", "a – b"),
    ],
)
def test_names_of_parts_are_short(first: str, last: str, text: str) -> None:
    assert span(first, last) == text
