"""Where labels of a plot stand so that they cover neither its points nor each other."""

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF

# Logical px between a label and what it is of.
_AWAY = 4.0


def placed(wishes: Iterable[QRectF], taken: Sequence[QRectF], room: QRectF) -> QRectF:
    """The first of the wishes, which are moved into the room, that covers nothing; if all do, what covers least."""
    inside = [_inside(each, room) for each in wishes]
    return min(inside, key=lambda each: sum(_area(each.intersected(other)) for other in taken))


def along(y: float, size: QSizeF, room: QRectF) -> Iterator[QRectF]:
    """Above and below a line through the room: at its left end, at its right one, and in between."""
    spare = room.width() - size.width() - 2 * _AWAY
    for share in (0.0, 1.0, 0.5, 0.25, 0.75):
        left = room.left() + _AWAY + max(spare, 0.0) * share
        for top in (y - size.height() - 1, y + 1):
            if room.top() <= top and top + size.height() <= room.bottom():
                yield QRectF(QPointF(left, top), size)
    yield QRectF(QPointF(room.left() + _AWAY, y - size.height() - 1), size)


def around(spot: QPointF, reach: float, size: QSizeF) -> Iterator[QRectF]:
    """Above a point, at its right, at its left, and below it."""
    away = reach + _AWAY
    middle = spot - QPointF(size.width() / 2, size.height() / 2)
    side, down = QPointF(away + size.width() / 2, 0.0), QPointF(0.0, away + size.height() / 2)
    for corner in (middle - down, middle + side, middle - side, middle + down):
        yield QRectF(corner, size)


def _inside(label: QRectF, room: QRectF) -> QRectF:
    left = min(max(label.left(), room.left()), max(room.right() - label.width(), room.left()))
    top = min(max(label.top(), room.top()), max(room.bottom() - label.height(), room.top()))
    return QRectF(QPointF(left, top), label.size())


def _area(shared: QRectF) -> float:
    return max(shared.width(), 0.0) * max(shared.height(), 0.0)
