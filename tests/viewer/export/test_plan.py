import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect

from errorflow.base.errors import UsageError
from errorflow_viewer.export.png import LONGEST, MOST_PIXELS, TILE, Plan, blocks


@pytest.mark.parametrize(
    ("width", "height", "scale", "tile", "plan"),
    [
        (100.0, 50.5, 1.0, None, Plan(1.0, 100, 51)),
        (100.0, 50.0, None, None, Plan(2.0, 200, 100)),  # sharp where there is room
        (6000.0, 5000.0, None, None, Plan(1.0, 6000, 5000)),  # no finer than one image can be
        (60_000.0, 5000.0, None, None, Plan(1.0, 60_000, 5000, TILE)),
        (100.0, 50.0, 1.0, 256, Plan(1.0, 100, 50, 256)),
        (3.0, 3.0, 500 / 3.0, None, Plan(500 / 3.0, 500, 500)),  # and not 501
        (1.0, 1.0, 0.01, None, Plan(0.01, 1, 1)),
    ],
)
def test_a_picture_is_as_large_as_asked_for_and_cut_if_it_must(
    width: float, height: float, scale: float | None, tile: int | None, plan: Plan
) -> None:
    assert Plan.of(width, height, scale, tile) == plan


@given(
    st.floats(1, 1e5),
    st.floats(1, 1e5),
    st.one_of(st.none(), st.floats(0.01, 2)),
    st.one_of(st.none(), st.integers(256, 8000)),
)
def test_no_image_is_larger_than_a_machine_can_hold(
    width: float, height: float, scale: float | None, tile: int | None
) -> None:
    try:
        plan = Plan.of(width, height, scale, tile)
    except UsageError:
        return
    places = [place for _, _, place in plan.parts()]
    assert all(max(place.width(), place.height()) <= LONGEST for place in places)
    assert all(place.width() * place.height() <= MOST_PIXELS for place in places)
    assert sum(place.width() * place.height() for place in places) == plan.width * plan.height


def test_tiles_are_numbered_by_row_and_column() -> None:
    plan = Plan(1.0, 700, 300, 256)

    assert [(row, column) for row, column, _ in plan.parts()] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert [place for _, _, place in plan.parts()][-1] == QRect(512, 256, 188, 44)


def test_far_too_many_tiles_are_a_sentence() -> None:
    with pytest.raises(UsageError, match="tiles"):
        Plan.of(100_000, 100_000, 16.0, 256)


@given(st.integers(1, 3000), st.integers(1, 3000), st.integers(100, 2000))
def test_blocks_cover_an_area_once(width: int, height: int, side: int) -> None:
    area = QRect(5, 7, width, height)
    found = list(blocks(area, side))

    assert sum(block.width() * block.height() for block in found) == width * height
    assert all(area.contains(block) for block in found)
