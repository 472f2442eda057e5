"""Walk by arrow keys: along the edges, and between siblings."""

from enum import Enum

import numpy as np

from errorflow.layout.drawing import Drawing, Kind
from errorflow_viewer.canvas.links import Links


class Way(Enum):
    DOWN = "down"
    UP = "up"
    LEFT = "left"
    RIGHT = "right"


# What a direction means where the flow runs to the right.
_TURNED = {Way.RIGHT: Way.DOWN, Way.LEFT: Way.UP, Way.UP: Way.LEFT, Way.DOWN: Way.RIGHT}
_ENDS = (Kind.INPUT, Kind.OUTPUT, Kind.CONSTANT)
_BACK = {Way.DOWN: Way.UP, Way.UP: Way.DOWN}


class Walk:
    """Remembers the last step, so that the opposite key leads back."""

    def __init__(self, drawing: Drawing, links: Links) -> None:
        self._drawing = drawing
        self._links = links
        self._last: tuple[int, Way, int] | None = None

    def step(self, box: int, way: Way) -> int | None:
        """The next box in a direction."""
        way = _TURNED[way] if self._drawing.across else way
        back = self._way_back(box, way)
        goal = back if back is not None else self._next(box, way)
        if goal is not None:
            self._last = box, way, goal
        return goal

    def first(self) -> int | None:
        """Finds where the flow begins: the first input, or the first node."""
        return self._end(Kind.INPUT, 0)

    def last(self) -> int | None:
        """Finds where the flow ends: the last output, or the last node."""
        return self._end(Kind.OUTPUT, -1)

    def _way_back(self, box: int, way: Way) -> int | None:
        if self._last is None:
            return None
        origin, taken, arrived = self._last
        return origin if arrived == box and _BACK.get(taken) == way else None

    def _next(self, box: int, way: Way) -> int | None:
        if way is Way.DOWN:
            return self._straightest(box, self._links.consumers(box))
        if way is Way.UP:
            return self._straightest(box, self._links.producers(box))
        return self._beside(box, way)

    def _straightest(self, box: int, boxes: list[int]) -> int | None:
        """The one that lies straight on; an input, an output or a constant only where the flow has no other way."""
        beside, ends = self._middle(box)[0], np.isin(self._drawing.kinds, _ENDS)
        return min(boxes, key=lambda other: (ends[other], abs(self._middle(other)[0] - beside)), default=None)

    def _beside(self, box: int, way: Way) -> int | None:
        """The nearest box on that side that has a producer or a consumer in common."""
        links = self._links
        siblings = {sibling for producer in links.producers(box) for sibling in links.consumers(producer)}
        siblings |= {sibling for consumer in links.consumers(box) for sibling in links.producers(consumer)}
        x, y = self._middle(box)
        sign = 1 if way is Way.RIGHT else -1
        side = [other for other in siblings - {box} if (self._middle(other)[0] - x) * sign > 0]
        return min(side, key=lambda other: self._distance(other, x, y), default=None)

    def _distance(self, box: int, x: float, y: float) -> tuple[float, int]:
        middle = self._middle(box)
        return abs(middle[0] - x) + 2 * abs(middle[1] - y), box

    def _end(self, kind: Kind, position: int) -> int | None:
        ends = np.flatnonzero(self._drawing.kinds == kind).tolist()
        shown = self._drawing.node_boxes
        boxes = ends if ends else shown[shown >= 0].tolist()
        return boxes[position] if boxes else None

    def _middle(self, box: int) -> tuple[float, float]:
        """Finds where a box is across the flow, and along it."""
        x, y, width, height = self._drawing.boxes[box].tolist()
        middle = x + width / 2, y + height / 2
        return middle[::-1] if self._drawing.across else middle
