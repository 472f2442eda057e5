"""Which groups a graph falls into, and which of them are open at first."""

from collections.abc import Callable

import numpy as np
import pytest
from drawing_quality.quality import crossings
from generate import chain, decoder, fan, variant
from hypothesis import given
from hypothesis import strategies as st

from core.layout.conftest import real_graph
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Kind
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.layout.outline import Outline
from errorflow.layout.prepare import prepare

GraphOf = Callable[..., Graph]


def named(*names: str) -> Graph:
    """A chain of nodes with these names."""
    builder = GraphBuilder()
    builder.input("t0")
    for number, name in enumerate(names):
        builder.node("Relu", [f"t{number}"], [f"t{number + 1}"], name=name)
    builder.output(f"t{len(names)}")
    return builder.build()


def tree(outline: Outline) -> list[str]:
    return [outline.scope(group) for group in range(len(outline))]


def test_scopes_become_groups_in_the_order_of_the_flow() -> None:
    outline = prepare(named("b/x/1", "b/x/2", "b/3", "a/4", "a/5")).outline
    assert tree(outline) == ["b", "b/x", "a"]
    assert outline.counts.tolist() == [3, 2, 2]
    assert outline.parents.tolist() == [-1, 0, -1]
    assert outline.ends.tolist() == [2, 2, 3]


def test_a_group_with_one_node_is_none() -> None:
    outline = prepare(named("a/1", "a/2", "a/proj/3", "b/4")).outline
    assert tree(outline) == ["a"]
    assert outline.node_groups.tolist() == [0, 0, 0, -1]


def test_a_group_with_one_group_is_written_as_one() -> None:
    outline = prepare(named("a/b/c/1", "a/b/c/2", "d/3", "d/4")).outline
    assert outline.labels == ("a/b/c", "d")


def test_a_node_without_a_path_joins_its_neighbours() -> None:
    outline = prepare(named("a/1", "a/2", "cast_7", "a/3", "b/4", "between", "c/5", "b/6", "c/7")).outline
    groups = [outline.labels[group] if group >= 0 else "" for group in outline.node_groups.tolist()]
    assert groups == ["a", "a", "a", "a", "b", "", "c", "b", "c"]


def test_names_that_hardly_ever_tell_are_not_believed() -> None:
    names = ["a/1", "a/2", *[f"conv{i}" for i in range(20)]]
    assert len(prepare(named(*names)).outline) == 0


def test_numbered_inputs_and_outputs_belong_to_what_reads_and_makes_them() -> None:
    prepared = prepare(decoder(3).graph())
    drawing = prepared.draw()
    labels = dict(zip(drawing.labels, drawing.groups.tolist(), strict=True))
    scope = prepared.outline.scope
    assert scope(labels["past_key_values.1.key"]) == "model/layers.1/self_attn"
    assert labels["input_ids"] == -1
    assert labels["logits"] == -1


@pytest.mark.parametrize(
    ("model", "stages"), [("resnet50", [3, 4, 6, 3]), ("shufflenet", [4, 8, 4]), ("densenet121", [5, 11, 23, 15])]
)
def test_models_without_scopes_fall_into_stages_of_blocks(model: str, stages: list[int]) -> None:
    outline = prepare(real_graph(model)).outline
    found = [len(outline.children[g]) for g in range(len(outline)) if outline.labels[g].startswith("stage")]
    assert found == stages


def test_a_nameless_decoder_falls_into_layers_of_attention_and_mlp() -> None:
    outline = prepare(decoder(8, scoped=False).graph()).outline
    layers = [g for g in range(len(outline)) if outline.labels[g].startswith("layer")]
    assert len(layers) >= 6
    inner = {tuple(outline.counts[outline.children[g]].tolist()) for g in layers[1:-1]}
    assert inner == {(42, 14)}


def test_a_long_chain_is_cut_into_pieces() -> None:
    outline = prepare(chain(500).graph()).outline
    assert len(outline) > 10
    assert max(outline.counts[g] for g in range(len(outline)) if not len(outline.children[g])) <= 60


def test_equal_siblings_go_on_a_stack() -> None:
    prepared = prepare(decoder(2, experts=12).graph())
    outline = prepared.outline
    stacks = np.flatnonzero(outline.copies)
    assert outline.copies[stacks].tolist() == [12, 12]
    assert {outline.labels[group] for group in stacks.tolist()} == {"experts"}
    closed = prepared.draw(outline.everything - set(stacks.tolist()))
    kinds = dict(zip(closed.labels, closed.kinds.tolist(), strict=True))
    assert kinds["experts ×12"] == Kind.STACK


def test_chains_without_names_go_on_a_stack() -> None:
    outline = prepare(fan(100).graph()).outline
    assert outline.copies.tolist() == [100]
    assert outline.labels == ("Sigmoid · Relu",)


def test_few_siblings_are_no_stack() -> None:
    assert not prepare(fan(5).graph()).outline.copies.any()


def test_what_differs_is_no_stack(graph_of: GraphOf) -> None:
    nodes = [f"{'Relu' if i % 2 else 'Sigmoid'}{i}: x -> y{i}" for i in range(20)]
    assert not prepare(graph_of(*nodes)).outline.copies.any()


def test_an_open_stack_shows_its_copies_in_a_grid() -> None:
    drawing = prepare(fan(100).graph()).draw()
    copies = drawing.boxes[[label == "Relu" for label in drawing.labels]]
    assert len(np.unique(copies[:, 0])) > 4
    assert len(np.unique(copies[:, 1])) > 4


@pytest.mark.parametrize(("nodes", "kind"), [(983, "plain"), (3000, "qdq"), (3000, "moe")])
def test_at_first_there_is_not_too_much_to_see(nodes: int, kind: str) -> None:
    prepared = prepare(variant(nodes, kind).graph())
    drawing = prepared.draw(prepared.outline.at_first())
    assert 10 <= len(drawing) <= 150


def test_groups_that_look_alike_open_together() -> None:
    prepared = prepare(decoder(6).graph())
    open_labels = [prepared.outline.labels[group] for group in prepared.outline.at_first()]
    assert sum(label.startswith("layers.") for label in open_labels) in (0, 6)


def test_a_group_that_holds_nearly_everything_is_open_at_first() -> None:
    prepared = prepare(decoder(60).graph())
    assert "model" in {prepared.outline.labels[group] for group in prepared.outline.at_first()}


def test_every_drawn_node_has_a_box_whatever_is_open() -> None:
    prepared = prepare(decoder(3).graph())
    outline = prepared.outline
    for open_groups in (frozenset[int](), outline.at_first(), outline.everything):
        drawing = prepared.draw(open_groups)
        for node in np.flatnonzero(outline.node_groups >= -1).tolist():
            box = drawing.box_of_node(node)
            assert box is not None
            assert node in drawing.nodes_of_box(box)


def test_opening_the_groups_of_a_node_shows_it() -> None:
    graph = decoder(3).graph()
    prepared = prepare(graph)
    node = next(i for i, name in enumerate(graph.node_names) if name.endswith("layers.2/self_attn/Softmax"))
    drawing = prepared.draw(frozenset(prepared.outline.groups_of_node(node)))
    box = drawing.box_of_node(node)
    assert box is not None
    assert drawing.nodes[box] == node


def test_an_inner_group_stays_hidden_while_the_one_around_it_is_closed() -> None:
    prepared = prepare(decoder(3).graph())
    outline = prepared.outline
    inner = [group for group in range(len(outline)) if outline.parents[group] >= 0]
    assert len(prepared.draw(frozenset(inner)).group_ids) == 0


class Placed:
    """Counts how many levels are laid out."""

    def __init__(self) -> None:
        self.count = 0

    def step(self, done: int, total: int, text: str) -> None:
        assert 0 <= done <= total
        self.count += text == "Placing nodes"


@pytest.mark.parametrize("layers", [3, 6, 12])
def test_groups_do_not_make_lines_cross(layers: int) -> None:
    """Ports stand in the order in which their lines come in."""
    graph = decoder(layers).graph()
    assert crossings(layout(graph)) <= 2 / 3 * crossings(layout(graph, LayoutOptions(grouped=False)))


def test_groups_of_one_form_are_laid_out_once() -> None:
    few, many = Placed(), Placed()
    prepare(decoder(4).graph()).draw(progress=few)
    prepare(decoder(9).graph()).draw(progress=many)
    assert many.count == few.count > 0


def test_what_was_laid_out_is_kept() -> None:
    prepared = prepare(decoder(4).graph())
    first, again = Placed(), Placed()
    prepared.draw(progress=first)
    prepared.draw(progress=again)
    assert first.count > 0
    assert again.count == 0


def test_a_drawing_does_not_depend_on_what_was_drawn_before() -> None:
    graph = decoder(3, experts=9).graph()
    prepared = prepare(graph)
    first = prepared.outline.at_first()
    prepared.draw(frozenset())
    prepared.draw()
    again = prepared.draw(first)
    fresh = prepare(graph).draw(first)
    assert np.array_equal(again.boxes, fresh.boxes)
    assert np.array_equal(again.lines, fresh.lines)


@given(st.lists(st.text(alphabet="/.ab0:é \x00", max_size=12), max_size=30))
def test_any_names_can_be_grouped(names: list[str]) -> None:
    graph = named(*names)
    prepared = prepare(graph)
    drawing = prepared.draw(prepared.outline.at_first())
    assert (drawing.node_boxes >= 0).all()
    assert all(prepared.outline.path(group)[-1] == group for group in range(len(prepared.outline)))
