"""Folding: sets of open groups, and how commands change them.

A group that is open within a closed one does not show; `visible` leaves such groups out.
"""

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.layout.outline import Outline

Groups = frozenset[int]


def opened(outline: Outline, groups: Groups, group: int) -> Groups:
    """Opens a group, and all that hide it."""
    return groups | frozenset(outline.path(group))


def opened_inside(outline: Outline, groups: Groups, group: int) -> Groups:
    """Opens a group and everything in it, at any depth."""
    return opened(outline, groups, group) | inside(outline, group)


def closed(outline: Outline, groups: Groups, group: int) -> Groups:
    """Closes a group; opened again it shows what is directly in it."""
    return groups - {group} - inside(outline, group)


def alone(outline: Outline, groups: Groups, group: int) -> Groups:
    """Closes all but what shows a group; the group stays as it is, and what is in it too."""
    around = outline.path(group)[:-1]
    return frozenset(around) | (groups & ({group} | inside(outline, group)))


def revealing(outline: Outline, groups: Groups, node: int) -> Groups:
    """Opens just those groups that hide a node."""
    return groups | frozenset(outline.groups_of_node(node))


def one_more(outline: Outline, groups: Groups) -> Groups:
    """Opens one level more: every closed group that shows."""
    return visible(outline, groups) | frozenset(folds(outline, groups).tolist())


def one_less(outline: Outline, groups: Groups) -> Groups:
    """Closes one level: of the open groups that show, the deepest."""
    shown = visible(outline, groups)
    deepest = max((int(outline.depths[group]) for group in shown), default=0)
    return frozenset(group for group in shown if outline.depths[group] < deepest)


def visible(outline: Outline, groups: Groups) -> Groups:
    """The open groups that no closed one hides."""
    return frozenset(np.flatnonzero(_shown_open(outline, groups)).tolist())


def folds(outline: Outline, groups: Groups) -> Ints:
    """The closed groups that are seen as boxes."""
    shown = _shown_open(outline, groups)
    parents = outline.parents
    reached = (parents < 0) | shown[parents] if len(outline) else shown
    return np.flatnonzero(reached & ~shown).astype(np.int32)


def box_count(outline: Outline, groups: Groups) -> int:
    """Counts the boxes: closed groups, and nodes in no closed one."""
    shown = np.append(_shown_open(outline, groups), True)  # the last: what is in no group
    drawn = outline.node_groups[outline.node_groups >= -1]
    return int(shown[drawn].sum()) + len(folds(outline, groups))


def inside(outline: Outline, group: int) -> Groups:
    """Finds all groups in a group, at any depth."""
    return frozenset(range(group + 1, int(outline.ends[group])))


def hidden_by(outline: Outline, groups: Groups, group: int) -> int:
    """The outermost closed group around a group: as what it is seen; the group itself when nothing hides it."""
    return next((around for around in outline.path(group) if around not in groups), group)


def carried_over(old: Outline, groups: Groups, new: Outline) -> Groups:
    """The groups of another outline of the same graph that have the names of these."""
    names = {old.scope(group) for group in visible(old, groups)}
    return frozenset(group for group in range(len(new)) if new.scope(group) in names) if names else frozenset()


def _shown_open(outline: Outline, groups: Groups) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Marks the groups that are open and so are all around them. Outer groups have lower numbers than inner ones."""
    shown = np.zeros(len(outline), bool)
    shown[list(groups)] = True
    for depth in range(1, int(outline.depths.max(initial=0)) + 1):
        level = outline.depths == depth
        shown[level] &= shown[outline.parents[level]]
    return shown
