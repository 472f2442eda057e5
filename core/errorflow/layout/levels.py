"""Levels of groups, each laid out when its group is open: its members, and the nets between them.

A tensor that is made and read in different groups shows up in every group that it passes: it leaves one through a port
on the lower border and enters the next through a port on the upper one. Items of a level are numbered: atoms, groups,
upper ports, lower ports.
"""

import numpy as np

from errorflow.base import Progress, dataclass
from errorflow.base.arrays import Ints, Longs, Ragged
from errorflow.layout.atoms import Atoms
from errorflow.layout.level import Bools
from errorflow.layout.outline import Outline
from errorflow.layout.tree import STEPS


@dataclass(frozen=True, eq=False)
class Levels:
    """Rows of `starts` arrays are groups, shifted by one: row 0 is the outermost level, row g + 1 is group g."""

    atoms: Ints  # (rows + 1,) own atoms of row r are atoms[r] … atoms[r + 1] - 1
    children: Ragged  # (rows) rows of the groups directly inside
    ends: Ints  # (rows,) everything inside row r, at any depth, is in rows r … ends[r] - 1
    net_starts: Ints  # (rows + 1,)
    nets: Ints  # (n,) net of the atoms that each net of a level is a part of
    sources: Ints  # (n,) item
    source_nets: Ints  # (n,) which net of the source's own level it continues; -1: the source is no group
    favoured: Bools  # (n,)
    sink_starts: Ints  # (rows + 1,)
    sink_nets: Ints  # (e,) net within the level
    sinks: Ints  # (e,) item
    favoured_ends: Bools  # (e,)
    inner_nets: Ints  # (e,) which net of the sink's own level goes on; -1: the sink is no group
    upper: Ints  # (rows,) number of ports on the upper border
    lower: Ints
    stacks: frozenset[int]  # rows

    def __len__(self) -> int:
        return len(self.ends)


@dataclass(frozen=True, eq=False)
class _Passages:
    """Ways of tensors through levels: in which row, of which net, from which member to which."""

    rows: Longs
    nets: Longs
    sources: Longs
    sinks: Longs
    edges: Longs


def build(atoms: Atoms, outline: Outline, spine: Bools, progress: Progress) -> Levels:
    """`spine` says which ends of nets lie on the longest path of the whole graph."""
    count, rows = len(atoms.kinds), len(outline) + 1
    owners = atoms.groups + 1
    atom_starts = np.searchsorted(owners, np.arange(rows + 1)).astype(np.int32)
    parents = np.concatenate([[-1], outline.parents + 1]).astype(np.int32)
    children = Ragged.grouped(parents[1:], np.arange(1, rows, dtype=np.int32), rows)
    progress.step(2, STEPS, "Finding groups")
    way = _passages(atoms, _ancestors(parents, outline)[owners], count, rows)
    progress.step(2, STEPS, "Finding groups")
    members = _Members(count, rows, atom_starts, children, parents)
    inside, outside = count + rows, count + rows + 1  # stand for ports

    keys = way.rows * len(atoms.sources) + way.nets
    net_keys, first, net_of = np.unique(keys, return_index=True, return_inverse=True)
    net_rows = way.rows[first]
    net_starts = np.searchsorted(net_rows, np.arange(rows + 1))
    entering = way.sources[first] == inside
    progress.step(2, STEPS, "Finding groups")
    pairs, end_of = np.unique(net_of * (outside + 1) + way.sinks, return_inverse=True)
    sink_net, sink = pairs // (outside + 1), pairs % (outside + 1)
    sink_rows = net_rows[sink_net]
    leaving = sink == outside
    upper = np.bincount(net_rows[entering], minlength=rows)
    lower = np.bincount(sink_rows[leaving], minlength=rows)

    plain = members.sizes()
    sources = members.local(np.where(entering, 0, way.sources[first]))
    sources[entering] = (plain[net_rows] + _rank(net_rows, entering, rows))[entering]
    sinks = members.local(np.where(leaving, 0, sink))
    sinks[leaving] = ((plain + upper)[sink_rows] + _rank(sink_rows, leaving, rows))[leaving]
    favoured = np.zeros(len(net_keys), bool)
    on_spine = spine[way.edges]
    favoured[net_of[on_spine]] = True
    favoured_ends = np.zeros(len(pairs), bool)
    favoured_ends[end_of[on_spine]] = True
    net_numbers = net_keys % max(1, len(atoms.sources))
    source_nets = _continued(way.sources[first], net_numbers, count, rows, len(atoms.sources), net_keys, net_starts)
    inner_nets = _continued(sink, net_numbers[sink_net], count, rows, len(atoms.sources), net_keys, net_starts)
    return Levels(
        atoms=atom_starts,
        children=children,
        ends=np.concatenate([[rows], outline.ends + 1]).astype(np.int32),
        net_starts=net_starts.astype(np.int32),
        nets=net_numbers.astype(np.int32),
        sources=sources.astype(np.int32),
        source_nets=source_nets,
        favoured=favoured,
        sink_starts=np.searchsorted(sink_rows, np.arange(rows + 1)).astype(np.int32),
        sink_nets=(sink_net - net_starts[sink_rows]).astype(np.int32),
        sinks=sinks.astype(np.int32),
        favoured_ends=favoured_ends,
        inner_nets=inner_nets,
        upper=upper.astype(np.int32),
        lower=lower.astype(np.int32),
        stacks=frozenset((np.flatnonzero(outline.copies) + 1).tolist()),
    )


def _ancestors(parents: Ints, outline: Outline) -> Ints:
    """(rows, depth): for each row the rows around it from the outermost to itself, then -1."""
    depths = np.concatenate([[0], outline.depths + 1])
    table = np.full((len(parents), int(depths.max()) + 1), -1, np.int32)
    table[:, 0] = 0
    for depth in range(1, table.shape[1]):
        rows = np.flatnonzero(depths == depth)
        table[rows] = table[parents[rows]]
        table[rows, depth] = rows
    return table


def _passages(atoms: Atoms, around: Ints, count: int, rows: int) -> _Passages:
    source, sink = atoms.sources[atoms.nets], atoms.sinks
    above, below = around[source], around[sink]
    meet = ((above == below) & (above >= 0)).sum(axis=1) - 1
    edges = np.arange(len(source))
    columns: list[list[Longs]] = [[], [], [], [], []]

    def member(atom: Ints, path: Ints, depth: int) -> Longs:
        """Finds what of the row at this depth holds the atom."""
        if depth + 1 >= path.shape[1]:
            return atom.astype(np.int64)
        return np.where(path[:, depth + 1] >= 0, count + path[:, depth + 1], atom).astype(np.int64)

    def add(mask: Bools, row: Ints, start: Longs | int, end: Longs | int) -> None:
        parts = (row, atoms.nets, start, end, edges)
        for column, part in zip(columns, parts, strict=True):
            column.append(np.broadcast_to(part, row.shape)[mask].astype(np.int64))

    for depth in range(around.shape[1]):
        start, end = member(source, above, depth), member(sink, below, depth)
        add(meet == depth, above[:, depth], start, end)
        add((meet < depth) & (above[:, depth] >= 0), above[:, depth], start, count + rows + 1)
        add((meet < depth) & (below[:, depth] >= 0), below[:, depth], count + rows, end)
    return _Passages(*(np.concatenate(column) for column in columns))


@dataclass(frozen=True, eq=False)
class _Members:
    """Atoms (by number) and groups (by count + row) as items of the level that they are in."""

    count: int
    rows: int
    atoms: Ints
    children: Ragged
    parents: Ints

    def sizes(self) -> Longs:
        """Counts the members of each row."""
        own: Longs = (np.diff(self.atoms) + np.diff(self.children.starts)).astype(np.int64)
        return own

    def local(self, codes: Longs) -> Longs:
        table = np.zeros(self.count + self.rows, np.int64)
        own = np.diff(self.atoms)
        table[: self.count] = np.arange(self.count) - np.repeat(self.atoms[:-1], own)
        children = self.children.values
        place = np.arange(len(children)) - self.children.starts[self.children.owners()]
        table[self.count + children] = own[self.parents[children]] + place
        result: Longs = table[codes]
        return result


def _rank(rows: Longs, chosen: Bools, count: int) -> Longs:
    """The how-manieth chosen one of its row each is; rows ascend."""
    before: Longs = np.cumsum(chosen) - chosen
    first = np.searchsorted(rows, np.arange(count))
    start = np.append(before, chosen.sum())[first]
    rank: Longs = before - start[rows]
    return rank


def _continued(
    codes: Longs, nets: Longs, count: int, rows: int, width: int, net_keys: Longs, net_starts: Longs
) -> Ints:
    """Finds members that are groups which of their level's nets is this one, else -1."""
    result = np.full(len(codes), -1, np.int32)
    inner = (codes >= count) & (codes < count + rows)
    row = codes[inner] - count
    result[inner] = np.searchsorted(net_keys, row * width + nets[inner]) - net_starts[row]
    return result
