"""All that a graph's drawings have in common, found once: its groups, its levels, what looks alike."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.progress import SILENT, Progress
from errorflow.graph.model import Graph
from errorflow.layout.atoms import Atoms
from errorflow.layout.columns import columns
from errorflow.layout.compose import Composer
from errorflow.layout.drawing import TURNED, Drawing, Kind
from errorflow.layout.grouping import group
from errorflow.layout.level import Bools
from errorflow.layout.levels import Levels
from errorflow.layout.outline import Outline
from errorflow.layout.patch import Patch, Sizes
from errorflow.layout.shown import shown
from errorflow.layout.sizes import LONGEST_TYPE, shortened, widths
from errorflow.layout.surroundings import Surroundings
from errorflow.layout.tree import STEPS

OFTEN = 2000  # groups between two looks whether to go on


def forms(levels: Levels, sizes: Sizes, progress: Progress) -> list[int]:
    """Equal numbers for groups that look the same: members of equal sizes, joined alike, inside too."""
    children = levels.children.lists()
    found = [0] * len(levels)
    known: dict[tuple[object, ...], int] = {}
    atoms, nets, ends = levels.atoms.tolist(), levels.net_starts.tolist(), levels.sink_starts.tolist()
    net_columns = (levels.sources, levels.source_nets, levels.favoured)
    end_columns = (levels.sink_nets, levels.sinks, levels.inner_nets, levels.favoured_ends)
    for row in reversed(range(len(levels))):
        if row % OFTEN == 0:
            progress.step(5, STEPS, "Comparing groups")
        inner = children[row]
        key = (
            sizes.atoms[atoms[row] : atoms[row + 1]].tobytes(),
            tuple([found[child] for child in inner]),
            sizes.folds[inner].tobytes() if inner else b"",
            sizes.titles[row],
            row in levels.stacks,
            *[column[nets[row] : nets[row + 1]].tobytes() for column in net_columns],
            *[column[ends[row] : ends[row + 1]].tobytes() for column in end_columns],
        )
        found[row] = known.setdefault(key, len(known))
    return found


MARGIN = 16.0  # round the whole drawing
TITLE_MARGIN = 4.0
STEP = 28.0  # titles get a multiple of it, so that more groups look the same

View = Literal["down", "right", "columns", "rows"]
NO_TENSORS: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Prepared:
    """A graph ready to be drawn, as often and as far unfolded as one likes."""

    outline: Outline
    _atoms: Atoms
    _levels: Levels
    _sizes: Sizes
    _titles: tuple[str, ...]
    _fold_labels: tuple[str, ...]
    _node_count: int
    _composers: dict[bool, Composer] = field(default_factory=dict)  # by whether the flow runs to the right

    def draw(
        self,
        open_groups: frozenset[int] | None = None,
        view: View = "down",
        aspect: float = 1.6,
        progress: Progress = SILENT,
        *,
        show_all: frozenset[int] = NO_TENSORS,
    ) -> Drawing:
        """A drawing in which just these groups are open, as far as the groups around them are. None: all.

        In columns (to the right: in rows) it is cut so that it is about `aspect` times as wide as high. Tensors of
        `show_all` get all their lines, however many nodes read them.
        """
        chosen = self.outline.everything if open_groups is None else open_groups
        rows = frozenset(group + 1 for group in chosen)
        across = view in ("right", "rows")
        composer = self._composer(progress, across=across)
        patch = composer.patch(rows, self._whole(show_all), progress)
        progress.step(0, 1, "Drawing lines")
        drawing = self._drawing(patch)
        progress.step(0, 1, "Drawing lines")
        if view in ("columns", "rows"):
            drawing = columns(drawing, 1 / aspect if across else aspect, progress, across=across)
        return sealed(turned(drawing) if across else drawing)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self._atoms.labels + self._fold_labels

    def _composer(self, progress: Progress, *, across: bool) -> Composer:
        if across not in self._composers:
            sizes = replace(self._sizes, across=across)
            around = Surroundings(self._levels, sizes, forms(self._levels, sizes, progress))
            self._composers[across] = Composer(self._levels, sizes, around)
        return self._composers[across]

    def _whole(self, tensors: frozenset[int]) -> Bools | None:
        """Which nets of all levels are parts of these tensors."""
        if not tensors:
            return None
        return np.isin(self._atoms.net_tensors[self._levels.nets], sorted(tensors))

    def _drawing(self, patch: Patch) -> Drawing:
        own, known = self._atoms, self.outline
        dx, dy = patch.left + MARGIN, MARGIN
        atom = patch.items >= 0
        numbers = np.where(atom, patch.items, 0)
        groups = np.where(atom, 0, -2 - patch.items)  # rows are groups shifted by one
        kinds = np.where(atom, own.kinds[numbers] if len(own.kinds) else 0, Kind.FOLD)
        if len(known):
            kinds = np.where(~atom & (known.copies[groups] > 0), Kind.STACK, kinds)
        tensors = own.net_tensors[self._levels.nets[patch.line_nets]]
        order = np.argsort(tensors, kind="stable")
        frames = slice(1, None)
        group_ids = patch.rows[frames] - 1
        name = self._names.__getitem__
        labels = tuple(map(name, np.where(atom, numbers, len(own.labels) + groups).tolist()))
        return Drawing(
            boxes=patch.boxes + np.array([dx, dy, 0.0, 0.0]),
            kinds=kinds.astype(np.uint8),
            nodes=_picked(own.nodes, numbers, atom),
            tensors=_picked(own.tensors, numbers, atom),
            groups=patch.owners - 1,
            folds=np.where(atom, -1, groups).astype(np.int32),
            labels=labels,
            lines=(patch.lines + np.array([dx, dy, dx, dy]))[order],
            line_tensors=tensors[order],
            group_boxes=patch.frames[frames] + np.array([dx, dy, 0.0, 0.0]),
            group_depths=known.depths[group_ids].astype(np.uint8),
            group_ids=group_ids.astype(np.int32),
            group_labels=tuple(self._titles[group] for group in group_ids.tolist()),
            size=(patch.left + patch.right + 2 * MARGIN, patch.height + 2 * MARGIN),
            node_boxes=self._boxes_of_nodes(patch, atom, groups),
            stubs=patch.stubs + np.array([dx, dy]),
            stub_tensors=own.net_tensors[self._levels.nets[patch.stub_nets]],
            stub_ends=patch.stub_ends,
        )

    def _boxes_of_nodes(self, patch: Patch, atom: Bools, groups: Ints) -> Ints:
        boxes = np.full(self._node_count, -1, np.int32)
        box_of_atom = np.full(len(self._atoms.kinds), -1, np.int32)
        shown = np.flatnonzero(atom)
        box_of_atom[patch.items[shown]] = shown
        starts, ends = self._levels.atoms, self._levels.ends
        for box in np.flatnonzero(~atom).tolist():
            row = int(groups[box]) + 1
            box_of_atom[starts[row] : starts[ends[row]]] = box
        for nodes in (self._atoms.nodes, self._atoms.input_nodes):
            boxes[nodes[nodes >= 0]] = box_of_atom[nodes >= 0]
        return boxes


def _picked(column: Ints, numbers: Ints, atom: Bools) -> Ints:
    if not len(column):
        return np.full(len(numbers), -1, np.int32)
    return np.where(atom, column[numbers], -1).astype(np.int32)


def prepare(graph: Graph, *, constants: bool = False, grouped: bool = True, progress: Progress = SILENT) -> Prepared:
    progress.step(0, STEPS, "Sorting nodes")
    visible = shown(graph, constants=constants)
    progress.step(0, STEPS, "Sorting nodes")
    known, own, levels = group(graph, visible, grouped=grouped, progress=progress)
    titles = tuple(shortened(label, LONGEST_TYPE) for label in known.labels)
    fold_labels = tuple(
        f"{title} ×{copies:,}" if copies else f"{title} ({count})"
        for title, count, copies in zip(titles, known.counts.tolist(), known.copies.tolist(), strict=True)
    )
    sizes = _sizes(own, titles, fold_labels)
    prepared = Prepared(known, own, levels, sizes, titles, fold_labels, len(graph))
    prepared._composer(progress, across=False)
    return prepared


def _sizes(own: Atoms, titles: tuple[str, ...], fold_labels: tuple[str, ...]) -> Sizes:
    rooms = np.ceil((widths(list(titles)) + TITLE_MARGIN) / STEP) * STEP
    folds = widths(list(fold_labels))
    return Sizes(own.widths, np.concatenate([[0.0], folds]), np.concatenate([[0.0], rooms]))


def turned(drawing: Drawing) -> Drawing:
    """The same drawing with its flow from left to right, mirrored at the diagonal."""
    width, height = drawing.size
    return replace(
        drawing,
        boxes=drawing.boxes[:, TURNED],
        lines=drawing.lines[:, TURNED],
        group_boxes=drawing.group_boxes[:, TURNED],
        marks=drawing.marks[:, ::-1],
        stubs=drawing.stubs[:, ::-1],
        size=(height, width),
        across=True,
    )


def sealed(drawing: Drawing) -> Drawing:
    """The drawing with its arrays read-only and contiguous, so that a painter can take their addresses."""
    for name, value in vars(drawing).items():
        if isinstance(value, np.ndarray):
            array = np.ascontiguousarray(value)
            array.flags.writeable = False
            object.__setattr__(drawing, name, array)  # not seen by anyone yet
    return drawing
