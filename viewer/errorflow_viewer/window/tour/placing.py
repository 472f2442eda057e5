"""Placing of words beside what they are about."""

from typing import Literal

from PySide6.QtCore import QPoint, QRect, QSize

from errorflow.base.values import dataclass

# On which side of the thing it stands; "over": nowhere else is room, or there is no such thing.
# "corner": below it, as far to the right as there is room.
Side = Literal["left", "right", "above", "below", "corner", "over"]
SIDES: tuple[Side, ...] = ("right", "left", "below", "above")
# Logical px: of the arrow, from the arrow to the thing, to the rim of the window, and from a corner to the arrow.
ARROW, GAP, RIM, CORNER = 10, 6, 8, 14


@dataclass(frozen=True, slots=True)
class TourPlace:
    """Place of the words, on which side, and how far along its edge the arrow is."""

    rect: QRect
    side: Side
    arrow: int = 0


def placed(size: QSize, thing: QRect | None, room: QRect, wanted: tuple[Side, ...] = SIDES) -> TourPlace:
    """Places on the first side where it covers nothing of the thing and is all in the room."""
    inside = room.adjusted(RIM, RIM, -RIM, -RIM)
    seen = None if thing is None else thing.intersected(room)
    if seen is not None and not seen.isEmpty():
        for side in (*wanted, *(each for each in SIDES if each not in wanted)):
            rect = _beside(size, seen, inside, side)
            if inside.contains(rect):
                middle = seen.center() - rect.topLeft()
                along, length = (middle.y(), rect.height()) if side in ("left", "right") else (middle.x(), rect.width())
                return TourPlace(rect, "below" if side == "corner" else side, min(max(along, CORNER), length - CORNER))
    return TourPlace(_in_a_corner(size, seen, inside), "over")


def _in_a_corner(size: QSize, thing: QRect | None, inside: QRect) -> QRect:
    """Places in the corner where it covers the least of the thing; of equals at the bottom, at the right."""
    tops = (inside.bottom() + 1 - size.height(), inside.top())
    lefts = (inside.right() + 1 - size.width(), inside.left())
    corners = [QRect(QPoint(left, top), size) for top in tops for left in lefts]
    return corners[0] if thing is None else min(corners, key=lambda rect: _area(rect.intersected(thing)))


def _area(rect: QRect) -> int:
    return 0 if rect.isEmpty() else rect.width() * rect.height()


def _beside(size: QSize, thing: QRect, inside: QRect, side: Side) -> QRect:
    away = ARROW + GAP
    rect = QRect(QPoint(0, 0), size)
    rect.moveCenter(thing.center())
    if side in ("left", "right"):
        rect.moveTop(max(min(rect.top(), inside.bottom() + 1 - size.height()), inside.top()))
        rect.moveLeft(thing.right() + 1 + away if side == "right" else thing.left() - away - size.width())
    else:
        last = inside.right() + 1 - size.width()
        rect.moveLeft(last if side == "corner" else max(min(rect.left(), last), inside.left()))
        rect.moveTop(thing.top() - away - size.height() if side == "above" else thing.bottom() + 1 + away)
    return rect
