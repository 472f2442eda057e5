"""Shapes of blobs, and what they have in common."""

from collections.abc import Iterable, Sequence

# What Caffe can hold.
MAX_AXES = 32
MAX_SIZE = 2**31 - 1
# One blob's shape; None where a size is open until the network runs.
Sizes = tuple[int | None, ...]


class Odd(Exception):  # noqa: N818 - not an error: the shape stays unknown, and the reason becomes a note
    """Says why something cannot have a shape, in words that follow its name."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def checked(sizes: Sizes) -> Sizes:
    """The shape, if there can be a blob of it."""
    if len(sizes) > MAX_AXES:
        raise Odd(f"{len(sizes):,} axes are more than Caffe has")
    for size in sizes:
        if size is not None and not 0 < size <= MAX_SIZE:
            raise Odd("it would be larger than Caffe can hold" if size > 0 else f"it would be {shown(sizes)}")
    return sizes


def shown(sizes: Sizes) -> str:
    """`1×3×224×224`, with `?` for what is open."""
    return "×".join("?" if size is None else str(size) for size in sizes) if sizes else "a scalar"


def agreed(shapes: Sequence[Sizes]) -> Sizes:
    """The one shape that all have; a size that one leaves open may be known from another."""
    found = shapes[0]
    for sizes in shapes[1:]:
        if sizes != found:
            if not alike(found, sizes):
                raise Odd(f"{shown(found)} does not go with {shown(sizes)}")
            found = tuple(b if a is None else a for a, b in zip(found, sizes, strict=True))
    return found


def alike(one: Sizes, other: Sizes) -> bool:
    """Whether both can be the same."""
    if len(one) != len(other):
        return False
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


def product(sizes: Iterable[int | None]) -> int | None:
    total = 1
    for size in sizes:
        if size is None:
            return None
        total *= size
    return total


def total(sizes: Iterable[int | None]) -> int | None:
    found = 0
    for size in sizes:
        if size is None:
            return None
        found += size
    return found
