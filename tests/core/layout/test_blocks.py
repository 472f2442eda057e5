"""Where a level without names is cut, and which members of it stay where they are."""

from collections.abc import Sequence

import numpy as np
import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.blocks import LARGEST, SMALLEST, BlockPiece, blocks
from errorflow.layout.prepare import prepare

NONE: frozenset[int] = frozenset()


def cut(edges: Sequence[tuple[int, int]], held: frozenset[int] = NONE) -> list[list[int]]:
    """The innermost pieces; edges that leave one item are of one tensor, and all items are of a kind of their own."""
    start, end = (np.array(column, np.int32) for column in zip(*edges, strict=True))
    items = np.arange(max(end) + 1, dtype=np.int32)
    return leaves(blocks(items, start, end, start, items.tolist(), held))


def leaves(pieces: tuple[BlockPiece, ...]) -> list[list[int]]:
    found: list[list[int]] = []
    for piece in pieces:
        found += leaves(piece.parts) if piece.parts else [list(piece.items)]
    return found


def chain(first: int, last: int) -> list[tuple[int, int]]:
    return [(i, i + 1) for i in range(first, last)]


def test_a_residual_block_ends_where_the_next_forks() -> None:
    edges = [*chain(0, 8), (0, 4), (4, 8), (8, 9), (8, 10), (9, 10)]
    assert cut(edges) == [[0, 1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]


def test_where_several_tensors_are_always_alive_the_fewest_are_cut() -> None:
    """Two chains side by side for 80 nodes, and a third between nodes 10 and 30 and again between 50 and 70."""
    edges = [(i, i + 2) for i in range(78)]
    edges += [(10, 20), (20, 30), (50, 60), (60, 70)]
    pieces = cut(edges)
    assert sum(map(len, pieces)) == 80
    assert max(map(len, pieces)) <= LARGEST
    assert len(pieces) > 1


def test_a_long_chain_is_cut_everywhere_alike() -> None:
    sizes = [len(piece) for piece in cut(chain(0, 150))]
    assert len(set(sizes[:-1])) == 1


def test_what_is_held_is_in_no_piece_and_nothing_comes_back_through_it() -> None:
    """3 is read from before and read after by what would be one piece; 6 only ends here."""
    edges = [*chain(0, 2), (1, 3), (2, 4), (3, 4), *chain(4, 5), (5, 6)]
    pieces = cut(edges, frozenset([3, 6]))
    assert sorted(item for piece in pieces for item in piece) == [0, 1, 2, 4, 5]
    assert all(not ({0, 1, 2} & set(piece) and {4, 5} & set(piece)) for piece in pieces)


def head(loose: int, inner: int) -> Graph:
    """A scope of so many nodes in two chains, in the middle of which a scope of its own is passed."""
    builder = GraphBuilder()
    builder.input("x")
    builder.input("y")
    a, b = "x", "y"
    for number in range(loose // 2):
        builder.node("Mul", [a, b], [f"a{number}"], name=f"head/a{number}")
        builder.node("Add", [b, a], [f"b{number}"], name=f"head/b{number}")
        a, b = f"a{number}", f"b{number}"
        if number == loose // 4:
            for step in range(inner):
                builder.node("Exp", [b], [f"c{step}"], name=f"head/inner/c{step}")
                b = f"c{step}"
    builder.node("Sub", [a, b], ["z"], name="head/z")
    builder.node("Neg", ["z"], ["out"], name="tail/n")
    builder.output("out")
    return builder.build()


def test_a_named_group_stays_when_the_one_around_it_is_divided() -> None:
    outline = prepare(head(100, 10)).outline
    inner = outline.labels.index("inner")
    assert outline.labels[outline.parents[inner]] == "head"
    assert outline.counts[inner] == 10
    assert [label for label in outline.labels if label.startswith("block")]


def test_the_group_that_is_passed_lies_between_blocks() -> None:
    """No block both feeds the named group and reads from it, so that all lines run down."""
    graph = head(100, 10)
    outline = prepare(graph).outline
    group_of = dict(zip(graph.node_names, outline.node_groups.tolist(), strict=True))
    start, end, _ = graph.edges
    homes = outline.node_groups
    inner = outline.labels.index("inner")
    into = {int(homes[a]) for a, b in zip(start, end, strict=True) if homes[b] == inner != homes[a]}
    out = {int(homes[b]) for a, b in zip(start, end, strict=True) if homes[a] == inner != homes[b]}
    assert into and out and not into & out
    assert group_of["head/inner/c0"] == inner


def test_groups_of_a_few_nodes_are_dissolved_in_a_crowd() -> None:
    assert "inner" not in prepare(head(100, SMALLEST)).outline.labels
    assert "inner" in prepare(head(LARGEST - 10, SMALLEST)).outline.labels


@pytest.mark.parametrize("loose", [10, LARGEST - 2])
def test_few_nodes_are_not_divided(loose: int) -> None:
    assert not [label for label in prepare(head(loose, 5)).outline.labels if label.startswith("block")]
