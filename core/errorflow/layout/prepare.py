"""Preparation that a graph's drawings have in common: its groups, its levels, what looks alike."""

from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass, field, replace
from errorflow.base.arrays import Ints
from errorflow.graph.model import Graph
from errorflow.layout.atoms import Atoms
from errorflow.layout.columns import columns
from errorflow.layout.drawing import HEIGHT, LONGEST_TYPE, TURNED, Bytes, Drawing, Floats, Kind, shortened, widths
from errorflow.layout.grouping import group
from errorflow.layout.level import ACROSS, DOWN, Bools, Level, Placement, known
from errorflow.layout.levels import Levels
from errorflow.layout.outline import Outline
from errorflow.layout.parts import arrange_level
from errorflow.layout.shown import shown
from errorflow.layout.tree import STEPS

OFTEN = 2000  # groups between two looks whether to go on


# An open group, laid out by itself; and the level that it is made from.

MANY = 150  # readers on one level from which on a tensor gets stubs
Sides = NDArray[np.int16]  # for each net of all levels: … -2, -1 left, 1, 2 … right, 0 in the middle or anywhere


@dataclass(frozen=True, eq=False)
class Patch:
    """An open group: everything in it, from its anchor and its upper border on."""

    boxes: Floats  # (n, 4)
    items: Ints  # (n,) atoms, from the group's first; closed groups as -1 - their row, from the group's
    owners: Ints  # (n,) row of the innermost open group, from this one's
    lines: Floats  # (k, 4)
    line_nets: Ints  # (k,) net of a level, from this one's first
    frames: Floats  # (g, 4) open groups, this one first
    rows: Ints  # (g,) from this one's
    entries: Floats  # (own nets,) where a net enters from above; NaN: it does not
    exits: Floats
    left: float
    right: float
    height: float
    stubs: Floats  # (s, 2)
    stub_nets: Ints  # (s,) as of lines
    stub_ends: Bytes


@dataclass(frozen=True, eq=False)
class LayoutSizes:
    """Widths of everything as far as they are known before anything is laid out."""

    atoms: Floats
    folds: Floats  # (rows,) of groups when they are closed
    titles: Floats  # (rows,) that groups need when they are open
    across: bool = False  # the flow runs to the right, so that what is wide makes rows high


def level_of(
    levels: Levels,
    sizes: LayoutSizes,
    row: int,
    inner: list[Patch | None],
    sides: tuple[Sides, Sides],
    whole: Bools | None = None,
) -> Level:
    """Makes the level that is laid out when a group is open. `inner` holds the patches of its members, None for a
    closed
    one; `sides` says for each net of all levels where it comes from and goes to outside; those of `whole` get no stubs.
    """
    own, lengths = _lying(sizes.atoms[levels.atoms[row] : levels.atoms[row + 1]], across=sizes.across)
    folds, fold_lengths = (column.tolist() for column in _lying(sizes.folds[levels.children[row]], across=sizes.across))
    upper, lower = int(levels.upper[row]), int(levels.lower[row])
    ports = np.zeros(upper + lower)
    left = [fold if patch is None else patch.left for fold, patch in zip(folds, inner, strict=True)]
    right = [fold if patch is None else patch.right for fold, patch in zip(folds, inner, strict=True)]
    heights = [fold if patch is None else patch.height for fold, patch in zip(fold_lengths, inner, strict=True)]
    count = len(own) + len(inner)
    nets = slice(levels.net_starts[row], levels.net_starts[row + 1])
    ends = slice(levels.sink_starts[row], levels.sink_starts[row + 1])
    places = np.arange(count + upper + lower)
    from_sides, to_sides = (column[nets] for column in sides)
    exits = [None if patch is None else patch.exits for patch in inner]
    entries = [None if patch is None else patch.entries for patch in inner]
    return Level(
        left=np.concatenate([own, left, ports]),
        right=np.concatenate([own, right, ports]),
        heights=np.concatenate([lengths, heights, ports]),
        sources=levels.sources[nets],
        nets=levels.sink_nets[ends],
        sinks=levels.sinks[ends],
        source_ports=_ports(levels.sources[nets] - len(own), levels.source_nets[nets], exits),
        sink_ports=_ports(levels.sinks[ends] - len(own), levels.inner_nets[ends], entries),
        tops=(places >= count) & (places < count + upper),
        bottoms=places >= count + upper,
        favoured=levels.favoured[nets],
        stubs=_stubs(levels, nets, ends, count, whole, stacked=row in levels.stacks),
        sides=_patch_sides(levels, nets, ends, count, (from_sides, to_sides), upper + lower),
        framed=row > 0,
        title=float(sizes.titles[row]),
        spacing=ACROSS if sizes.across else DOWN,
    )


def _lying(widths: Floats, *, across: bool) -> tuple[Floats, Floats]:
    """Measures how far boxes of these widths reach to either side of the flow, and how long they are along it."""
    heights = np.full(len(widths), HEIGHT)
    return (heights / 2, widths) if across else (widths / 2, heights)


def _ports(children: Ints, inner_nets: Ints, offsets: list[Floats | None]) -> Floats:
    """Finds where each line meets an open group, from the group's anchor; NaN: it meets a box."""
    result = np.full(len(children), np.nan)
    for number in np.flatnonzero(inner_nets >= 0).tolist():
        known = offsets[children[number]]
        if known is not None:
            result[number] = known[inner_nets[number]]
    return result


def _stubs(levels: Levels, nets: slice, ends: slice, members: int, whole: Bools | None, *, stacked: bool) -> Bools:
    """Marks the ends that are drawn as stubs: all that enter or leave a stack, and those of tensors that very many
    read; but none along the spine, which is one line all the way.
    """
    numbers, sources = levels.sink_nets[ends], levels.sources[nets]
    crowded = np.bincount(numbers, minlength=len(sources))[numbers] > MANY
    found: Bools = crowded | (stacked & ((sources[numbers] >= members) | (levels.sinks[ends] >= members)))
    found &= ~levels.favoured_ends[ends]
    return found if whole is None else found & ~whole[nets][numbers]


def _patch_sides(levels: Levels, nets: slice, ends: slice, count: int, sides: tuple[Sides, Sides], ports: int) -> Ints:
    result = np.zeros(count + ports, np.int32)
    sources, sinks = levels.sources[nets], levels.sinks[ends]
    entering, leaving = sources >= count, sinks >= count
    result[sources[entering]] = sides[0][entering]
    result[sinks[leaving]] = sides[1][levels.sink_nets[ends][leaving]]
    return result


def borders(level: Level, placement: Placement) -> tuple[Floats, Floats]:
    entries, exits = np.full(len(level.sources), np.nan), np.full(len(level.sources), np.nan)
    entering = np.flatnonzero(level.tops[level.sources])
    entries[entering] = placement.x[level.sources[entering]]
    leaving = np.flatnonzero(level.bottoms[level.sinks])
    exits[level.nets[leaving]] = placement.x[level.sinks[leaving]]
    return entries, exits


def forms(levels: Levels, sizes: LayoutSizes, progress: Progress) -> list[int]:
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


# Puts the levels of open groups together, from the inside out.
#
# Groups that look the same and are open alike are laid out once: all numbers in a patch count from where its group's
# own
# begin, so that one patch serves every group of its form.

CLOSED = -1


# From which side the tensors that a group reads come to it, and to which side those that it makes go.
#
# A group is laid out before the one around it, but should have its ports where the lines come from. So every level is
# looked at once with all groups in it closed, from the outermost inwards.

UNKNOWN = -1
MOST = 30_000
MIDDLE = 6.0  # so little aside counts as straight above or below


@dataclass(frozen=True, slots=True)
class _Sights:
    """Directions that a level tells the groups in it: `sides` of the nets at `places`, counted from the level's first
    net.
    """

    from_places: Ints
    from_sides: Sides
    to_places: Ints
    to_sides: Sides


@dataclass(eq=False)
class Surroundings:
    levels: Levels
    sizes: LayoutSizes
    plain_forms: list[int]
    sides: tuple[Sides, Sides] = field(init=False)  # from, to
    _forms: list[int] = field(init=False)
    _numbers: dict[tuple[int, bytes, bytes], int] = field(default_factory=dict)
    _sights: dict[int, _Sights] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.levels.nets)
        self.sides = (np.zeros(count, np.int16), np.zeros(count, np.int16))
        self._forms = [UNKNOWN] * len(self.levels)

    def form(self, row: int, progress: Progress = SILENT) -> int:
        """Equal for groups that look the same and see the same outside. The row around it must have been asked for."""
        if self._forms[row] == UNKNOWN:
            nets = slice(self.levels.net_starts[row], self.levels.net_starts[row + 1])
            key = (self.plain_forms[row], self.sides[0][nets].tobytes(), self.sides[1][nets].tobytes())
            self._forms[row] = self._numbers.setdefault(key, len(self._numbers))
            self._look(row, self._forms[row], progress)
        return self._forms[row]

    def _look(self, row: int, form: int, progress: Progress) -> None:
        inner = len(self.levels.children[row])
        if not inner:
            return
        if form not in self._sights:
            self._sights[form] = self._sighted(row, inner, progress)
        sights, first = self._sights[form], self.levels.net_starts[row]
        self.sides[0][sights.from_places + first] = sights.from_sides
        self.sides[1][sights.to_places + first] = sights.to_sides

    def _sighted(self, row: int, inner: int, progress: Progress) -> _Sights:
        levels = self.levels
        level = level_of(levels, self.sizes, row, [None] * inner, self.sides)
        placement = arrange_level(level, progress)
        own = int(levels.atoms[row + 1] - levels.atoms[row])
        offsets = levels.net_starts[levels.children[row]] - levels.net_starts[row]
        first, last = levels.net_starts[row], levels.net_starts[row + 1]
        source_nets = levels.source_nets[first:last]
        inner_nets = levels.inner_nets[levels.sink_starts[row] : levels.sink_starts[row + 1]]
        entering, leaving = np.flatnonzero(inner_nets >= 0), np.flatnonzero(source_nets >= 0)
        sinks, sources = level.sinks[entering], level.sources[leaving]
        return _Sights(
            from_places=offsets[sinks - own] + inner_nets[entering],
            from_sides=_sides(sinks, placement.arrivals[entering] - placement.x[sinks]),
            to_places=offsets[sources - own] + source_nets[leaving],
            to_sides=_sides(sources, placement.departures[leaving] - placement.x[sources]),
        )


def _sides(groups: Ints, aside: Floats) -> Sides:
    """Counts for each line of a group how many places it comes in left or right of its middle."""
    away = known(aside)
    far = np.flatnonzero(np.abs(away) > MIDDLE)
    result = np.zeros(len(aside), np.int16)
    for sign in (-1, 1):
        mine = far[away[far] * sign > 0]
        order = mine[np.lexsort((away[mine] * sign, groups[mine]))]
        new_group = np.diff(groups[order], prepend=-1) != 0
        steps = new_group | (np.diff(away[order], prepend=np.nan) != 0)
        number = np.cumsum(steps)
        first = np.maximum.accumulate(np.where(new_group, number, 0))
        result[order] = sign * np.minimum(number - first + 1, MOST)
    return result


# groups between two looks whether to go on


@dataclass(eq=False)
class Composer:
    """Knows all levels of a graph and keeps the patches of the last two drawings: what is opened is closed again."""

    levels: Levels
    sizes: LayoutSizes
    surroundings: Surroundings
    _states: dict[tuple[object, ...], int] = field(default_factory=dict)
    _patches: dict[int, Patch] = field(default_factory=dict)
    _before: dict[int, Patch] = field(default_factory=dict)

    @cached_property
    def _children(self) -> list[list[int]]:
        return self.levels.children.lists()

    def patch(self, open_rows: frozenset[int], whole: Bools | None, progress: Progress) -> Patch:
        """The outermost level with all open groups in it. `whole` says which nets of all levels never get stubs."""
        children = self._children
        shown = _shown(open_rows, children)
        forms: list[int] = []
        for first in range(0, len(shown), OFTEN):
            progress.step(0, len(shown), "Comparing groups")
            forms += [self.surroundings.form(row, progress) for row in shown[first : first + OFTEN]]
        state = [CLOSED] * len(self.levels)
        used: dict[int, Patch] = {}
        for done, (row, form) in enumerate(zip(reversed(shown), reversed(forms), strict=True)):
            if done % OFTEN == 0:
                progress.step(done, len(shown), "Joining groups")
            key = (form, self._whole(row, whole), *[state[child] for child in children[row]])
            number = self._states.setdefault(key, len(self._states))
            state[row] = number
            if number not in used:
                known = self._patches.get(number, self._before.get(number))
                if known is None:
                    inner = [None if state[child] == CLOSED else used[state[child]] for child in children[row]]
                    known = self._compose(row, inner, whole, _Within(progress, done, len(shown)))
                used[number] = known
        self._patches, self._before = used, self._patches
        return used[state[0]]

    def _whole(self, row: int, whole: Bools | None) -> bytes:
        if whole is None:
            return b""
        own = whole[self.levels.net_starts[row] : self.levels.net_starts[row + 1]]
        return own.tobytes() if own.any() else b""

    def _compose(self, row: int, inner: list[Patch | None], whole: Bools | None, progress: Progress) -> Patch:
        level = level_of(self.levels, self.sizes, row, inner, self.surroundings.sides, whole)
        return _assembled(self.levels, row, self._children[row], inner, level, arrange_level(level, progress))


@dataclass(frozen=True, slots=True)
class _Within:
    """One of several equal steps, for the progress of what is done in it."""

    progress: Progress
    number: int
    count: int

    def step(self, done: int, total: int, text: str) -> None:
        self.progress.step(self.number * total + done, self.count * total, text)


def _shown(open_rows: frozenset[int], children: list[list[int]]) -> list[int]:
    """Rows whose level is seen, the outer ones first."""
    shown = [0]
    for row in shown:  # grows while it is walked
        shown.extend([child for child in children[row] if child in open_rows])
    return shown


def _assembled(
    levels: Levels, row: int, children: list[int], inner: list[Patch | None], level: Level, placement: Placement
) -> Patch:
    first_atom, first_net = int(levels.atoms[row]), int(levels.net_starts[row])
    own = int(levels.atoms[row + 1]) - first_atom
    closed = [place for place, patch in enumerate(inner) if patch is None]
    drawn = np.concatenate([np.arange(own), own + np.array(closed, np.int64)]).astype(np.int32)
    boxes = np.column_stack([placement.x - level.left, placement.y, level.left + level.right, level.heights])[drawn]
    folds = [-1 - (children[place] - row) for place in closed]
    frame = np.array([[-placement.left, 0.0, placement.left + placement.right, placement.height]])
    all_boxes, lines, frames = [boxes], [placement.lines], [frame]
    items = [np.concatenate([np.arange(own), folds]).astype(np.int32)]
    owners, rows = [np.zeros(len(drawn), np.int32)], [np.zeros(1, np.int32)]
    line_nets = [placement.line_nets]
    stubs, stub_nets, stub_ends = [placement.stubs], [placement.stub_nets], [placement.stub_ends]
    for place, patch in enumerate(inner):
        if patch is None:
            continue
        child = children[place]
        dx, dy = float(placement.x[own + place]), float(placement.y[own + place])
        all_boxes.append(patch.boxes + np.array([dx, dy, 0.0, 0.0]))
        atom, down = int(levels.atoms[child]) - first_atom, child - row
        items.append(np.where(patch.items < 0, patch.items - down, patch.items + atom))
        owners.append(patch.owners + down)
        lines.append(patch.lines + np.array([dx, dy, dx, dy]))
        nets = int(levels.net_starts[child]) - first_net
        line_nets.append(patch.line_nets + nets)
        stubs.append(patch.stubs + np.array([dx, dy]))
        stub_nets.append(patch.stub_nets + nets)
        stub_ends.append(patch.stub_ends)
        frames.append(patch.frames + np.array([dx, dy, 0.0, 0.0]))
        rows.append(patch.rows + down)
    entries, exits = borders(level, placement)
    return Patch(
        boxes=np.concatenate(all_boxes),
        items=np.concatenate(items),
        owners=np.concatenate(owners),
        lines=np.concatenate(lines),
        line_nets=np.concatenate(line_nets),
        frames=np.concatenate(frames),
        rows=np.concatenate(rows),
        entries=entries,
        exits=exits,
        left=placement.left,
        right=placement.right,
        height=placement.height,
        stubs=np.concatenate(stubs),
        stub_nets=np.concatenate(stub_nets),
        stub_ends=np.concatenate(stub_ends),
    )


@dataclass(frozen=True, eq=False)
class PreparedGraph:
    """A graph ready to be drawn, as often and as far unfolded as one likes."""

    outline: Outline
    _atoms: Atoms
    _levels: Levels
    _sizes: LayoutSizes
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
        """Marks the nets of all levels that are parts of these tensors."""
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


def prepare(
    graph: Graph, *, constants: bool = False, grouped: bool = True, progress: Progress = SILENT
) -> PreparedGraph:
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
    prepared = PreparedGraph(known, own, levels, sizes, titles, fold_labels, len(graph))
    prepared._composer(progress, across=False)
    return prepared


def _sizes(own: Atoms, titles: tuple[str, ...], fold_labels: tuple[str, ...]) -> LayoutSizes:
    rooms = np.ceil((widths(list(titles)) + TITLE_MARGIN) / STEP) * STEP
    folds = widths(list(fold_labels))
    return LayoutSizes(own.widths, np.concatenate([[0.0], folds]), np.concatenate([[0.0], rooms]))


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
