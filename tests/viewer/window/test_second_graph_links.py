"""Where in one drawing is what is in the middle of another, and what opens with what."""

from itertools import pairwise

import numpy as np
import pytest

from errorflow.explain.difference.link import link
from errorflow.explain.difference.model import Links
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.folding import visible
from errorflow_viewer.kit.drawings import Form, Unfolded, first_picture, make_draft, unfold
from errorflow_viewer.window.second_graph_links import BoxLinks, boxes_of, lonely_boxes, nodes_of, opened_with

FORM = Form(view="down")
QUIET = Form(view="down", quiet=True)


def network(blocks: int, fused: bool = False, quantized: bool = False, prefix: str = "") -> Graph:
    """Blocks of three nodes; `fused`: one node each; `quantized`: with a pair of conversions behind each."""
    builder = GraphBuilder("net")
    builder.input("x")
    before = "x"
    for block in range(blocks):
        scope = f"{prefix}/net/block.{block}"
        names = (f"{scope}/conv", f"{scope}/bn", f"{scope}/relu")
        if fused:
            builder.node("Conv2D", [before], [f"b{block}"], name=names[0], origins=names)
        else:
            builder.node("Conv", [before], [f"c{block}"], name=names[0])
            builder.node("BatchNormalization", [f"c{block}"], [f"n{block}"], name=names[1])
            builder.node("Relu", [f"n{block}"], [f"b{block}"], name=names[2])
        before = f"b{block}"
        if quantized:
            builder.node("QuantizeLinear", [before], [f"q{block}"], name=f"{scope}/q")
            builder.node("DequantizeLinear", [f"q{block}"], [f"d{block}"], name=f"{scope}/dq")
            before = f"d{block}"
    builder.output(before)
    return builder.build()


def opened(graph: Graph, form: Form = FORM) -> Unfolded:
    draft = make_draft(graph, form)
    return unfold(draft, draft.outline.everything, form)


def closed(graph: Graph, form: Form = FORM) -> Unfolded:
    return unfold(make_draft(graph, form), frozenset(), form)


def both(fused: bool = False, quantized: bool = False) -> tuple[Links, Unfolded, Unfolded]:
    reference, candidate = network(12), network(12, fused, quantized)
    return link(reference, candidate), opened(reference), opened(candidate)


def middle(shown: Unfolded, name: str) -> tuple[float, float]:
    node = shown.draft.graph.node_index(name)
    assert node is not None
    box = shown.box_of(node)
    assert box is not None
    x, y, width, height = shown.drawing.boxes[box].tolist()
    return x + width / 2, y + height / 2


@pytest.mark.parametrize("block", [0, 5, 11])
def test_a_linked_node_in_the_middle_is_in_the_middle_of_the_other_view(block: int) -> None:
    links, mine, other = both(quantized=True)

    goal = BoxLinks.of(links, "reference", mine, other).goal(*middle(mine, f"/net/block.{block}/bn"))

    assert goal is not None
    assert goal == pytest.approx(middle(other, f"/net/block.{block}/bn"), abs=40)


def test_the_way_back_leads_to_the_middle_of_what_was_merged() -> None:
    links, mine, other = both(fused=True)

    goal = BoxLinks.of(links, "candidate", other, mine).goal(*middle(other, "/net/block.4/conv"))

    assert goal is not None
    assert goal == pytest.approx(middle(mine, "/net/block.4/bn"), abs=40)


def test_a_small_step_in_one_view_is_a_small_step_in_the_other() -> None:
    links, mine, other = both(quantized=True)
    box_links = BoxLinks.of(links, "reference", mine, other)
    height = mine.drawing.size[1]

    steps = [box_links.goal(200.0, y) for y in np.arange(0, height, 4.0)]

    ways = [abs(two[1] - one[1]) for one, two in pairwise(steps) if one and two]
    assert max(ways) < 60


def test_nothing_linked_leads_nowhere() -> None:
    links, mine, other = both()
    alone = Links(links.reference, links.candidate, links.sources[:0], links.targets[:0], links.rules[:0])

    assert BoxLinks.of(alone, "reference", mine, other).goal(0.0, 0.0) is None


def test_only_boxes_without_any_partner_are_lonely() -> None:
    reference, candidate = network(3), network(3, quantized=True)
    links = link(reference, candidate)
    picture = opened(candidate)

    lonely = lonely_boxes(links, "candidate", picture)

    assert [picture.drawing.labels[box] for box in lonely] == ["QuantizeLinear", "DequantizeLinear"] * 3
    assert len(lonely_boxes(links, "candidate", closed(candidate))) == 0
    assert len(lonely_boxes(links, "reference", opened(reference))) == 0


def test_hidden_conversions_are_not_lonely() -> None:
    reference, candidate = network(3), network(3, quantized=True)

    assert len(lonely_boxes(link(reference, candidate), "candidate", opened(candidate, QUIET))) == 0


def test_the_nodes_of_a_box_and_the_boxes_of_nodes_are_inverse() -> None:
    shown = closed(network(4))

    for box in range(len(shown.drawing)):
        nodes = nodes_of(shown, box)
        assert boxes_of(shown, nodes).tolist() == ([box] if len(nodes) else [])


def test_groups_of_the_same_name_open_together() -> None:
    reference, candidate = network(6), network(6, quantized=True)
    mine, other = first_picture(reference, FORM), closed(candidate)
    everything = mine.outline.everything

    found = opened_with(link(reference, candidate), "reference", mine, everything, other)

    names = {other.outline.scope(group) for group in visible(other.outline, found)}
    assert {mine.outline.scope(group) for group in everything} <= names


def test_closed_groups_close_those_of_the_same_name() -> None:
    reference, candidate = network(6), network(6, quantized=True)
    other = opened(candidate)

    found = opened_with(link(reference, candidate), "reference", closed(reference), frozenset(), other)

    mine = {closed(reference).outline.scope(group) for group in range(len(closed(reference).outline))}
    assert not {other.outline.scope(group) for group in found} & mine


def test_groups_of_other_names_open_when_a_partner_of_theirs_is_seen() -> None:
    reference, candidate = network(6), network(6, prefix="/model")
    links = link(reference, candidate)
    other = closed(candidate)

    found = opened_with(links, "reference", opened(reference), opened(reference).groups, other)

    picture = unfold(other.draft, found, FORM)
    assert picture.box_of(4) is not None
    assert picture.node_of(picture.box_of(4) or 0) == 4
    assert opened_with(links, "reference", closed(reference), frozenset(), opened(candidate)) == frozenset()
