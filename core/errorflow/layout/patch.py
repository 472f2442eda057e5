"""An open group, laid out by itself; and the level that it is made from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.layout.drawing import Bytes, Floats
from errorflow.layout.level import ACROSS, DOWN, Bools, Level, Placement
from errorflow.layout.levels import Levels
from errorflow.layout.sizes import HEIGHT

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
class Sizes:
    """What is known of the widths of everything before anything is laid out."""

    atoms: Floats
    folds: Floats  # (rows,) of groups when they are closed
    titles: Floats  # (rows,) that groups need when they are open
    across: bool = False  # the flow runs to the right, so that what is wide makes rows high


def level_of(
    levels: Levels,
    sizes: Sizes,
    row: int,
    inner: list[Patch | None],
    sides: tuple[Sides, Sides],
    whole: Bools | None = None,
) -> Level:
    """What is laid out when a group is open. `inner` holds the patches of its members, None for a closed one; `sides`
    says for each net of all levels where it comes from and goes to outside; those of `whole` get no stubs.
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
        sides=_sides(levels, nets, ends, count, (from_sides, to_sides), upper + lower),
        framed=row > 0,
        title=float(sizes.titles[row]),
        spacing=ACROSS if sizes.across else DOWN,
    )


def _lying(widths: Floats, *, across: bool) -> tuple[Floats, Floats]:
    """How far boxes of these widths reach to either side of the flow, and how long they are along it."""
    heights = np.full(len(widths), HEIGHT)
    return (heights / 2, widths) if across else (widths / 2, heights)


def _ports(children: Ints, inner_nets: Ints, offsets: list[Floats | None]) -> Floats:
    """Where each line meets an open group, from the group's anchor; NaN: it meets a box."""
    result = np.full(len(children), np.nan)
    for number in np.flatnonzero(inner_nets >= 0).tolist():
        known = offsets[children[number]]
        if known is not None:
            result[number] = known[inner_nets[number]]
    return result


def _stubs(levels: Levels, nets: slice, ends: slice, members: int, whole: Bools | None, *, stacked: bool) -> Bools:
    """Which ends are drawn as stubs: all that enter or leave a stack, and those of tensors that very many read; but
    none along the spine, which is one line all the way.
    """
    numbers, sources = levels.sink_nets[ends], levels.sources[nets]
    crowded = np.bincount(numbers, minlength=len(sources))[numbers] > MANY
    found: Bools = crowded | (stacked & ((sources[numbers] >= members) | (levels.sinks[ends] >= members)))
    found &= ~levels.favoured_ends[ends]
    return found if whole is None else found & ~whole[nets][numbers]


def _sides(levels: Levels, nets: slice, ends: slice, count: int, sides: tuple[Sides, Sides], ports: int) -> Ints:
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
