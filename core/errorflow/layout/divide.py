"""Takes groups apart that hold more nodes than can be looked at, such as the one of a model without names."""

from collections import Counter

import numpy as np

from errorflow.arrays import Ints
from errorflow.graph.model import Graph
from errorflow.layout.blocks import LARGEST, Piece, blocks
from errorflow.layout.tree import ROOT, Tree

OUTSIDE = ROOT - 1


def divide(tree: Tree, graph: Graph) -> bool:
    """Whether anything was divided. A stack counts as one node."""
    member_of, group_of = _with_stacks(tree, len(graph))
    start, end, tensors = graph.edges
    start, end = member_of[start], member_of[end]
    inside = (group_of[start] == group_of[end]) & (group_of[start] != OUTSIDE) & (start != end)
    start, end, tensors = start[inside], end[inside], tensors[inside]
    subgroups = Counter(tree.parents)
    single = np.flatnonzero((member_of == np.arange(len(graph))) & (group_of != OUTSIDE))
    divided = False
    groups, counts = np.unique(group_of[single], return_counts=True)
    for group in groups[counts > LARGEST].tolist():
        members = single[group_of[single] == group].astype(np.int32)
        own = group_of[start] == group
        if subgroups[group] * 4 > len(members) or not own.any():
            continue
        pieces = blocks(members, start[own], end[own], tensors[own], graph.op_types.codes.tolist())
        _place(tree, pieces, group, Counter(), _stack_of_member(tree, member_of))
        divided = True
    return divided


def _with_stacks(tree: Tree, count: int) -> tuple[Ints, Ints]:
    """For each node the one that stands for it (the first of its stack), and the group that is divided there."""
    member_of = np.arange(count, dtype=np.int32)
    group_of = np.full(count, OUTSIDE, np.int32)
    first: dict[int, int] = {}
    for node, group in tree.group_of.items():
        if group in tree.copies:
            member_of[node] = first.setdefault(group, node)
            group = tree.parents[group]
        group_of[node] = group
    return member_of, group_of


def _stack_of_member(tree: Tree, member_of: Ints) -> dict[int, int]:
    return {int(member_of[node]): group for node, group in tree.group_of.items() if group in tree.copies}


def _place(tree: Tree, pieces: tuple[Piece, ...], parent: int, numbers: Counter[str], stack_of: dict[int, int]) -> None:
    for piece in pieces:
        numbers[piece.name] += 1
        group = tree.add(f"{piece.name} {numbers[piece.name]}", parent)
        for node in piece.nodes:
            if node in stack_of:
                tree.parents[stack_of[node]] = group
            else:
                tree.group_of[node] = group
        _place(tree, piece.parts, group, numbers, stack_of)
