"""Shapes behind layers that keep, join, cut or regroup axes."""

from itertools import pairwise

from errorflow.formats.caffe.parameters import Parameters
from errorflow.formats.caffe.sizes import MAX_AXES, Odd, Sizes, agreed, alike, product, shown, total


def same(_about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    return bottoms[:1]


def split(_about: Parameters, bottoms: list[Sizes], tops: int) -> list[Sizes]:
    return bottoms[:1] * tops


def eltwise(_about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    return [agreed(bottoms)]


def scale(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    """Factors or summands may be read, too; they belong to axes of the first input in a row."""
    sizes = bottoms[0]
    for factors in bottoms[1:]:
        axis = about.axis("axis", 1, len(sizes)) if factors else 0
        if not alike(sizes[axis : axis + len(factors)], factors):
            raise Odd(f"{shown(factors)} does not fit {shown(sizes)} from axis {axis}")
    return [sizes]


def inner_product(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    axis = about.axis("axis", 1, len(bottoms[0]))
    made = about.number("num_output", 0)
    if made < 1:
        raise Odd("it has no num_output")
    return [(*bottoms[0][:axis], made)]


def concat(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    axis = _cut_axis(about, "concat_dim", len(bottoms[0]))
    without = [sizes[:axis] + sizes[axis + 1 :] for sizes in bottoms]
    if any(len(sizes) != len(bottoms[0]) for sizes in bottoms):
        raise Odd(f"it joins {shown(bottoms[0])} with a blob of another number of axes")
    rest = agreed(without)
    return [(*rest[:axis], total(sizes[axis] for sizes in bottoms), *rest[axis:])]


def slices(about: Parameters, bottoms: list[Sizes], tops: int) -> list[Sizes]:
    """Parts between the points, or equal ones."""
    sizes = bottoms[0]
    axis = _cut_axis(about, "slice_dim", len(sizes))
    parts = _parts(about.numbers("slice_point"), sizes[axis], tops)
    return [(*sizes[:axis], part, *sizes[axis + 1 :]) for part in parts]


def _parts(points: list[int], size: int | None, tops: int) -> list[int | None]:
    if not points:
        if size is not None and tops and size % tops:
            raise Odd(f"{size} does not make {tops} equal parts")
        return [None if size is None or not tops else size // tops] * tops
    if len(points) != tops - 1:
        raise Odd(f"{len(points)} points do not make {tops} parts")
    known: list[int | None] = [end - start for start, end in pairwise([0, *points])]
    known.append(None if size is None else size - points[-1])
    if any(part is not None and part < 1 for part in known):
        raise Odd(f"its slice_point does not cut {'?' if size is None else size} into parts")
    return known


def flatten(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    sizes = bottoms[0]
    start = about.axis("axis", 1, len(sizes))
    end = about.axis("end_axis", -1, len(sizes)) + 1
    if end < start:
        raise Odd(f"its end_axis lies before axis {start}")
    return [(*sizes[:start], product(sizes[start:end]), *sizes[end:])]


def reshape(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    """Replaces some axes: 0 keeps a size, -1 takes what is left over."""
    sizes, wanted = bottoms[0], about.message("shape").numbers("dim")
    start, end = _replaced(about, len(sizes))
    if len(wanted) > MAX_AXES:
        raise Odd(f"{len(wanted):,} axes are more than Caffe has")
    if min(wanted, default=0) < -1 or wanted.count(-1) > 1:
        raise Odd("its shape has sizes below zero")
    kept = [start + at for at, size in enumerate(wanted) if size == 0]
    if kept and kept[-1] >= len(sizes):
        raise Odd(f"{shown(sizes)} has no axis {kept[-1]} to keep")
    made: list[int | None] = [sizes[start + at] if size == 0 else size for at, size in enumerate(wanted)]
    left = _left_over(sizes, [*range(start), *kept, *range(end, len(sizes))], [size for size in wanted if size > 0])
    if -1 in wanted:
        made[wanted.index(-1)] = left
    elif left not in (None, 1):
        raise Odd(f"{shown(sizes)} has not as many values as {shown((*sizes[:start], *made, *sizes[end:]))}")
    return [(*sizes[:start], *made, *sizes[end:])]


def _replaced(about: Parameters, rank: int) -> tuple[int, int]:
    start, count = about.number("axis", 0), about.number("num_axes", -1)
    start = start if start >= 0 else rank + start + 1
    end = rank if count == -1 else start + count
    if not 0 <= start <= end <= rank:
        raise Odd(f"its axis and num_axes are not within {rank} axes")
    return start, end


def _left_over(sizes: Sizes, kept: list[int], given: list[int]) -> int | None:
    """Counts the values for each one in the axes that are kept or given; None: not known."""
    rest, twice = list(range(len(sizes))), []
    for axis in kept:
        if axis in rest:
            rest.remove(axis)
        else:
            twice.append(sizes[axis])
    count, used = product(sizes[axis] for axis in rest), product([*given, *twice])
    if count is None or used is None:
        return None
    if count % used:
        raise Odd(f"the values of {shown(sizes)} do not fill its shape")
    return count // used


def permute(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    """Axes that are not named follow in their order."""
    sizes, order = bottoms[0], about.numbers("order")
    if len(set(order)) < len(order) or not set(order) <= set(range(len(sizes))):
        raise Odd(f"its order is none of {len(sizes)} axes")
    rest = [axis for axis in range(len(sizes)) if axis not in order]
    return [tuple(sizes[axis] for axis in (*order, *rest))]


def crop(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    """Crops from `axis` on to the size of the second input."""
    sizes, like = bottoms
    axis = about.axis("axis", 2, len(sizes))
    count, offsets = len(sizes) - axis, about.numbers("offset")
    if len(offsets) < 2:
        offsets = (offsets if offsets else [0]) * count
    if len(offsets) != count or len(like) != len(sizes):
        raise Odd(f"it cannot cut {shown(sizes)} from axis {axis} to {shown(like)} at {len(offsets)} offsets")
    for size, wanted, offset in zip(sizes[axis:], like[axis:], offsets, strict=True):
        if size is not None and wanted is not None and (offset < 0 or offset + wanted > size):
            raise Odd(f"{wanted} from {offset} on is not within {size}")
    return [sizes[:axis] + like[axis:]]


def reduction(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    return [bottoms[0][: about.axis("axis", 0, len(bottoms[0]))]]


def arg_max(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    """Finds the shape without an axis: the best of each sample, and with `out_max_val` their values."""
    sizes, best = bottoms[0], about.number("top_k", 1)
    axis = about.axis("axis", 0, len(sizes))
    among = sizes[axis] if "axis" in about else product(sizes[1:])
    if best < 1 or (among is not None and best > among):
        raise Odd(f"the best {best} cannot be among {'?' if among is None else among}")
    if "axis" in about:
        return [(*sizes[:axis], best, *sizes[axis + 1 :])]
    pair = 2 if about.is_set("out_max_val") else 1
    return [(*sizes[:1], pair, best, *[1] * (len(sizes) - 3))]


def tile(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    sizes, tiles = bottoms[0], about.number("tiles", 0)
    axis = about.axis("axis", 1, len(sizes))
    if tiles < 1:
        raise Odd("it has no tiles")
    return [(*sizes[:axis], product((sizes[axis], tiles)), *sizes[axis + 1 :])]


def _cut_axis(about: Parameters, old: str, rank: int) -> int:
    """The axis, which older files give by another name."""
    if old in about and "axis" in about:
        raise Odd(f"it gives both axis and {old}")
    return about.axis(old if old in about else "axis", 1, rank)
