"""Words stand beside what they are about and cover nothing of it."""

from itertools import product

import pytest
from PySide6.QtCore import QPoint, QRect, QSize

from errorflow_viewer.window.tour.placing import SIDES, Side, placed

ROOM, SIZE = QRect(0, 0, 1280, 720), QSize(336, 160)


@pytest.mark.parametrize("side", SIDES)
def test_nothing_of_the_thing_is_covered_and_nothing_is_cut(side: Side) -> None:
    for x, y in product(range(0, 1280, 160), range(0, 720, 120)):
        thing = QRect(x, y, 40, 30)
        place = placed(SIZE, thing, ROOM, (side,))
        assert place.side != "over", (x, y)
        assert not place.rect.intersects(thing) and ROOM.contains(place.rect), (x, y)


def test_the_wanted_side_is_taken_where_there_is_room() -> None:
    thing = QRect(600, 300, 40, 30)
    assert [placed(SIZE, thing, ROOM, (side,)).side for side in SIDES] == list(SIDES)


def test_the_arrow_points_at_the_middle_of_the_thing() -> None:
    thing = QRect(600, 300, 40, 30)
    place = placed(SIZE, thing, ROOM, ("left",))
    assert place.rect.top() + place.arrow == thing.center().y()


def test_in_a_corner_the_arrow_keeps_from_the_rounding() -> None:
    place = placed(SIZE, QRect(0, 700, 20, 20), ROOM, ("right",))
    assert 0 < place.arrow < place.rect.height()


def test_below_and_far_to_the_right() -> None:
    place = placed(SIZE, QRect(300, 60, 700, 30), ROOM, ("corner",))
    assert place.side == "below" and place.rect.right() > 1000


@pytest.mark.parametrize("thing", [None, QRect(2000, 2000, 10, 10), QRect(0, 0, 1280, 720)])
def test_what_is_not_in_sight_or_everywhere_has_no_arrow(thing: QRect | None) -> None:
    place = placed(SIZE, thing, ROOM)
    assert place.side == "over" and ROOM.contains(place.rect)
    assert place.rect.bottomRight().x() > ROOM.bottomRight().x() - 20
    assert isinstance(place.rect.topLeft(), QPoint)


@pytest.mark.parametrize(
    ("thing", "covered"),
    [
        (QRect(150, 300, 500, 130), False),  # a legend across the lower half, as in a tiny window
        (QRect(0, 150, 800, 300), True),
    ],
)
def test_where_it_fits_beside_nothing_it_takes_the_corner_that_covers_the_least(thing: QRect, covered: bool) -> None:
    room, size = QRect(0, 0, 800, 600), QSize(500, 280)
    place = placed(size, thing, room)
    assert place.side == "over" and room.contains(place.rect)
    assert place.rect.intersects(thing) is covered
    assert place.rect.top() < 20 or covered
