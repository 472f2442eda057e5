"""Takes groups apart that hold more nodes than can be looked at, such as the one of a model without names."""

from collections import Counter

import numpy as np

from errorflow.graph.model import Graph
from errorflow.layout.blocks import LARGEST, SMALLEST, Piece, blocks
from errorflow.layout.joints import joints
from errorflow.layout.tree import DISSOLVED, STEPS, Tree
from errorflow.progress import Progress

NAMED = 4  # with more named groups than one for so many nodes a group is not divided: its names tell enough


def divide(tree: Tree, graph: Graph, progress: Progress) -> bool:
    """Whether anything was divided. A stack counts as one node; other groups stay where they are."""
    progress.step(4, STEPS, "Finding blocks")
    crowded = _crowded(tree)
    if not crowded:
        return False
    _open_small(tree, crowded)
    members, inner = tree.members(), tree.inner()
    progress.step(4, STEPS, "Finding blocks")
    joined = joints(tree, graph)
    kinds = [*graph.op_types.codes.tolist(), *[-1] * len(tree.parents)]
    divided = False
    for group in crowded:
        named = [len(graph) + each for each in inner.get(group, []) if each not in tree.copies]
        stacks = [len(graph) + each for each in inner.get(group, []) if each in tree.copies]
        start, end, tensors = joined.on(group)
        if not len(start):
            continue
        items = np.array([*members[group], *stacks, *named], np.int32)
        pieces = blocks(items, start, end, tensors, kinds, frozenset(named), progress)
        progress.step(4, STEPS, "Finding blocks")
        _place(tree, pieces, group, Counter(), len(graph))
        divided = True
    return divided


def _crowded(tree: Tree) -> list[int]:
    """Groups with many nodes and few groups directly in them."""
    counts, inner = Counter(tree.group_of.values()), tree.inner()
    found = [group for group, count in counts.items() if count > LARGEST and group not in tree.copies]
    named = {group: sum(each not in tree.copies for each in inner.get(group, [])) for group in found}
    return sorted(group for group in found if named[group] * NAMED <= counts[group])


def _open_small(tree: Tree, crowded: list[int]) -> None:
    """Groups of a few nodes in such a crowd say little, and often hold what is far apart: they are dissolved."""
    members, inner = tree.members(), tree.inner()
    for group in crowded:
        for small in inner.get(group, []):
            if len(members.get(small, [])) <= SMALLEST and small not in inner and small not in tree.copies:
                tree.group_of.update(dict.fromkeys(members[small], group))
                tree.parents[small] = DISSOLVED


def _place(tree: Tree, pieces: tuple[Piece, ...], parent: int, numbers: Counter[str], nodes: int) -> None:
    for piece in pieces:
        numbers[piece.name] += 1
        group = tree.add(f"{piece.name} {numbers[piece.name]}", parent)
        for item in piece.items:
            if item < nodes:
                tree.group_of[item] = group
            else:
                tree.parents[item - nodes] = group
        _place(tree, piece.parts, group, numbers, nodes)
