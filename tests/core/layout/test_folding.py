"""What opens and closes with what."""

import pytest

from errorflow.base.arrays import Ints
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout import folding
from errorflow.layout.outline import Outline
from errorflow.layout.prepare import PreparedGraph, prepare


def nested() -> Graph:
    """Scopes /a/a1, /a/a2 and /b with three nodes each, and two nodes at the end."""
    builder = GraphBuilder()
    builder.input("t0")
    scopes = ("/a/a1", "/a/a2", "/b")
    names = [f"{scope}/n{i}" for scope in scopes for i in range(3)] + ["last", "very_last"]
    for number, name in enumerate(names):
        builder.node("Relu" if number % 2 else "Conv", [f"t{number}"], [f"t{number + 1}"], name=name)
    builder.output(f"t{len(names)}")
    return builder.build()


@pytest.fixture(scope="module")
def prepared() -> PreparedGraph:
    return prepare(nested())


@pytest.fixture(scope="module")
def outline(prepared: PreparedGraph) -> Outline:
    return prepared.outline


def group(outline: Outline, scope: str) -> int:
    return next(each for each in range(len(outline)) if outline.scope(each) == scope)


def names(outline: Outline, groups: "folding.Groups | Ints") -> set[str]:
    return {outline.scope(int(each)) for each in groups}


NONE: folding.Groups = frozenset()


def test_opening_an_inner_group_opens_what_hides_it(outline: Outline) -> None:
    assert names(outline, folding.opened(outline, NONE, group(outline, "a/a1"))) == {"a", "a/a1"}


def test_opening_all_inside_leaves_others_closed(outline: Outline) -> None:
    assert names(outline, folding.opened_inside(outline, NONE, group(outline, "a"))) == {"a", "a/a1", "a/a2"}


def test_what_was_closed_shows_one_level_when_it_is_opened_again(outline: Outline) -> None:
    a = group(outline, "a")
    closed = folding.closed(outline, outline.everything, a)
    assert names(outline, closed) == {"b"}
    assert names(outline, folding.opened(outline, closed, a)) == {"a", "b"}


def test_closing_all_others_leaves_the_way_to_the_group(outline: Outline) -> None:
    inner = group(outline, "a/a2")
    assert names(outline, folding.alone(outline, outline.everything, inner)) == {"a", "a/a2"}
    assert names(outline, folding.alone(outline, outline.everything - {inner}, inner)) == {"a"}


def test_a_node_is_revealed_by_the_groups_around_it(outline: Outline) -> None:
    assert names(outline, folding.revealing(outline, NONE, 4)) == {"a", "a/a2"}
    assert folding.revealing(outline, outline.everything, 4) == outline.everything


def test_levels_open_and_close_one_by_one(outline: Outline) -> None:
    first = folding.one_more(outline, NONE)
    assert names(outline, first) == {"a", "b"}
    assert folding.one_more(outline, first) == outline.everything
    assert folding.one_less(outline, outline.everything) == first
    assert folding.one_less(outline, first) == NONE
    assert folding.one_less(outline, NONE) == NONE


def test_what_is_open_in_a_closed_group_does_not_show(outline: Outline) -> None:
    hidden = frozenset([group(outline, "a/a1")])
    assert folding.visible(outline, hidden) == NONE
    assert names(outline, folding.folds(outline, hidden)) == {"a", "b"}
    assert folding.hidden_by(outline, hidden, group(outline, "a/a2")) == group(outline, "a")
    assert folding.hidden_by(outline, outline.everything, group(outline, "a/a2")) == group(outline, "a/a2")


@pytest.mark.parametrize("scopes", [(), ("a",), ("a", "a/a1"), ("b",), ("a/a1",)])
def test_boxes_are_counted_as_they_are_drawn(prepared: PreparedGraph, scopes: tuple[str, ...]) -> None:
    outline = prepared.outline
    groups = frozenset(group(outline, scope) for scope in scopes)
    drawing = prepared.draw(groups)
    ends = 2  # an input and an output
    assert folding.box_count(outline, groups) == len(drawing) - ends


def test_groups_are_found_again_by_their_names(outline: Outline) -> None:
    other = prepare(nested(), constants=True).outline
    groups = folding.opened(outline, NONE, group(outline, "a/a2"))
    assert names(other, folding.carried_over(outline, groups, other)) == {"a", "a/a2"}


def test_a_graph_without_groups_has_nothing_to_open() -> None:
    bare = prepare(nested(), grouped=False).outline
    assert folding.one_more(bare, NONE) == folding.visible(bare, NONE) == NONE
    assert folding.box_count(bare, NONE) == 11
