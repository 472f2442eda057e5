"""Parts of a level side by side."""

import numpy as np
import pytest

from errorflow.layout.level import Level
from errorflow.layout.parts import arrange_level


def lanes(sides: list[int], favoured: int | None = None) -> Level:
    """So many lines that each come in from above, pass one box and go out again; boxes first, then ports."""
    count = len(sides)
    boxes, tops, bottoms = (np.arange(count, dtype=np.int32) + first for first in (0, count, 2 * count))
    places = np.arange(3 * count)
    extents = np.where(places < count, 20.0, 0.0)
    on_spine = np.zeros(2 * count, bool)
    if favoured is not None:
        on_spine[[favoured, count + favoured]] = True
    return Level(
        left=extents,
        right=extents,
        heights=extents,
        sources=np.concatenate([tops, boxes]),
        nets=np.arange(2 * count, dtype=np.int32),
        sinks=np.concatenate([boxes, bottoms]),
        source_ports=np.full(2 * count, np.nan),
        sink_ports=np.full(2 * count, np.nan),
        tops=(places >= count) & (places < 2 * count),
        bottoms=places >= 2 * count,
        favoured=on_spine,
        stubs=np.zeros(2 * count, bool),
        sides=np.concatenate([np.zeros(count, np.int32), sides, sides]).astype(np.int32),
        framed=True,
        title=50.0,
    )


@pytest.mark.parametrize(
    ("sides", "favoured", "expected"),
    [
        ([0, 1, 2, 3], None, [0, 1, 2, 3]),
        ([0, 3, 1, 2], None, [0, 2, 3, 1]),
        ([0, -1, 1, -2], None, [3, 1, 0, 2]),
        ([0, -1, 1, -2], 2, [3, 1, 2, 0]),
    ],
)
def test_parts_stand_in_the_order_in_which_their_lines_come_in(
    sides: list[int], favoured: int | None, expected: list[int]
) -> None:
    placement = arrange_level(lanes(sides, favoured))
    x = placement.x[: len(sides)]
    assert np.argsort(x).tolist() == expected
    assert x[0 if favoured is None else favoured] == 0
    assert np.diff(np.sort(x)).min() >= 60


def test_what_has_no_ports_keeps_clear_of_lines_to_the_lower_border() -> None:
    """It stands on both sides of them."""
    level = lanes([0])
    count = 12
    extra = np.full(count, 20.0)
    loose = np.zeros(count, bool)
    wide = Level(
        left=np.concatenate([level.left, extra]),
        right=np.concatenate([level.right, extra]),
        heights=np.concatenate([level.heights, extra]),
        sources=level.sources,
        nets=level.nets,
        sinks=level.sinks,
        source_ports=level.source_ports,
        sink_ports=level.sink_ports,
        tops=np.concatenate([level.tops, loose]),
        bottoms=np.concatenate([level.bottoms, loose]),
        favoured=level.favoured,
        stubs=level.stubs,
        sides=np.concatenate([level.sides, np.zeros(count, np.int32)]),
        framed=True,
    )
    placement = arrange_level(wide)
    x, y = placement.x[3:], placement.y[3:]
    assert (np.abs(x) >= 40).all()
    assert (x < 0).any()
    assert (x > 0).any()
    assert len(np.unique(y)) > 1
    assert placement.y[2] == placement.height
