"""Links between boxes of two pictures, and where in the one is what is in the middle of the other."""

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass
from errorflow.explain.difference.model import Links, Side
from errorflow.layout.drawing import Drawing, Floats
from errorflow.layout.folding import Groups, visible
from errorflow.layout.outline import Outline
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.kit.drawings import Unfolded

# So many linked boxes say where the middle of the other view is; what is so near (squared units) counts alike.
_NEAR, _ALIKE = 4, 400.0


@dataclass(frozen=True, eq=False)
class BoxLinks:
    """Links of one picture with another. `boxes` are linked, and `goals` are where the middle of their partners is."""

    boxes: Indices
    middles: Floats
    goals: Floats

    @classmethod
    def of(cls, links: Links, side: Side, mine: Unfolded, other: Unfolded) -> "BoxLinks":
        ends = (links.sources, links.targets) if side == "reference" else (links.targets, links.sources)
        here, there = mine.boxes_of_nodes()[ends[0]], other.boxes_of_nodes()[ends[1]]
        drawn = (here >= 0) & (there >= 0)
        here, there = here[drawn], there[drawn]
        boxes, numbers = np.unique(here.astype(np.int64), return_inverse=True)
        counts = np.maximum(np.bincount(numbers, minlength=len(boxes)), 1)
        spots = _middles(other.drawing, there.astype(np.int64))
        goals = np.column_stack(
            [np.bincount(numbers, spots[:, axis], minlength=len(boxes)) / counts for axis in (0, 1)]
        )
        return cls(boxes, _middles(mine.drawing, boxes), goals)

    def goal(self, x: float, y: float, held: int | None = None, hold: float = 0.0) -> tuple[float, float] | None:
        """The spot of the other drawing that a spot of this one belongs to: beside the partners of what is near.

        `held` is a box whose partners are to be seen where it is seen; `hold` how strongly (0…1).
        """
        if not len(self.boxes):
            return None
        shift = self._shift(x, y)
        found = [] if held is None else np.flatnonzero(self.boxes == held).tolist()
        if found:
            shift = hold * (self.goals[found[0]] - self.middles[found[0]]) + (1 - hold) * shift
        return x + float(shift[0]), y + float(shift[1])

    def _shift(self, x: float, y: float) -> Floats:
        """Measures how far the partners of what is near are from it."""
        far = ((self.middles - (x, y)) ** 2).sum(axis=1)
        near = np.argpartition(far, min(_NEAR, len(far)) - 1)[:_NEAR]
        weights = 1.0 / (far[near] + _ALIKE)
        shift: Floats = ((self.goals[near] - self.middles[near]) * weights[:, None]).sum(axis=0) / weights.sum()
        return shift


def boxes_of(shown: Unfolded, nodes: Ints) -> Indices:
    """The boxes that show some nodes, each once."""
    boxes = shown.boxes_of_nodes()[nodes]
    return np.unique(boxes[boxes >= 0])


def lonely_boxes(links: Links, side: Side, shown: Unfolded) -> Indices:
    """Boxes of which no node has a partner."""
    boxes, lonely = shown.boxes_of_nodes(), links.unmatched(side)
    drawn = boxes >= 0
    count = len(shown.drawing)
    without = np.bincount(boxes[drawn & lonely], minlength=count)
    every = np.bincount(boxes[drawn], minlength=count)
    return np.flatnonzero((without > 0) & (without == every))


def nodes_of(shown: Unfolded, box: int) -> Ints:
    """The nodes that a box stands for."""
    return np.flatnonzero(shown.boxes_of_nodes() == box).astype(np.int32)


def opened_with(links: Links, side: Side, lead: Unfolded, groups: Groups, other: Unfolded) -> Groups:
    """The groups of the other picture that are to be open when `groups` of the leading one are: those of the same name,
    and what hides a partner of a node that is seen. What has no partner at all stays as it is."""
    outline, mine = other.outline, lead.outline
    open_names = {mine.names[group] for group in visible(mine, groups)}
    every_name = frozenset(mine.names)
    seen = _seen(lead, groups)
    ends = (links.sources, links.targets) if side == "reference" else (links.targets, links.sources)
    wanted = np.zeros(len(outline), bool)
    wanted[list(other.groups)] = True
    known = _holding(other, ends[1])
    wanted[known] = _holding(other, ends[1][seen[ends[0]]])[known]
    for group, name in enumerate(outline.names):
        if name in every_name:
            wanted[group] = name in open_names
    return frozenset(np.flatnonzero(_with_those_around(outline, wanted)).tolist())


def _seen(shown: Unfolded, groups: Groups) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Marks the nodes of the graph that no closed group hides."""
    outline = shown.outline
    opened = np.zeros(len(outline) + 1, bool)
    opened[-1] = True  # of what is in no group
    opened[list(visible(outline, groups))] = True
    drawn = opened[np.maximum(outline.node_groups, -1)] & (outline.node_groups >= -1)
    quiet = shown.draft.quiet
    if quiet is None:
        return drawn
    return (quiet.stand_ins >= 0) & drawn[quiet.stand_ins] if len(drawn) else np.zeros(len(shown.draft.graph), bool)


def _holding(shown: Unfolded, nodes: Ints) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Marks the groups that hold one of some nodes of the graph, at any depth."""
    quiet, outline = shown.draft.quiet, shown.outline
    drawn = nodes if quiet is None else quiet.stand_ins[nodes]
    groups = outline.node_groups[drawn[drawn >= 0]]
    own = np.zeros(len(outline), bool)
    own[groups[groups >= 0]] = True
    return _with_those_around(outline, own)


def _with_those_around(
    outline: Outline, groups: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Adds all groups that those are in: group g holds g + 1 … ends[g] - 1."""
    before = np.concatenate([[0], np.cumsum(groups)])
    held: np.ndarray[tuple[int], np.dtype[np.bool_]] = before[outline.ends] > before[:-1]
    return held


def _middles(drawing: Drawing, boxes: Indices) -> Floats:
    places: Floats = drawing.boxes[boxes]
    return places[:, :2] + places[:, 2:] / 2
