"""The numbers that drawings are held to, on drawings whose numbers are known."""

import numpy as np
import pytest
from drawing_quality.quality import crossings, overlaps, pierced

from errorflow.layout.drawing import Drawing


def drawing(boxes: list[list[float]], lines: list[list[float]], tensors: list[int]) -> Drawing:
    count = len(boxes)
    none = np.full(count, -1, np.int32)
    return Drawing(
        boxes=np.array(boxes, np.float64).reshape(-1, 4),
        kinds=np.zeros(count, np.uint8),
        nodes=none,
        tensors=none,
        groups=none,
        folds=none,
        labels=("",) * count,
        lines=np.array(lines, np.float64).reshape(-1, 4),
        line_tensors=np.array(tensors, np.int32),
        group_boxes=np.zeros((0, 4)),
        group_depths=np.zeros(0, np.uint8),
        group_ids=np.zeros(0, np.int32),
        group_labels=(),
        size=(100.0, 100.0),
    )


@pytest.mark.parametrize(
    ("other", "expected"),
    [([20, 0, 10, 10], 0), ([10, 0, 10, 10], 0), ([5, 5, 10, 10], 1), ([2, 2, 2, 2], 1), ([0, 10, 10, 10], 0)],
)
def test_boxes_that_share_room_are_counted(other: list[float], expected: int) -> None:
    assert overlaps(np.array([[0, 0, 10, 10], other], np.float64)) == expected
    assert overlaps(np.array([other, [0, 0, 10, 10]], np.float64)) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ([5, -10, 5, 0], 0),  # ends at the upper border
        ([5, -10, 5, 50], 1),
        ([-10, -10, 50, 50], 1),
        ([10, -10, 10, 50], 0),  # along the right border
        ([-10, 15, 15, -10], 1),  # cuts a corner off
        ([-10, 5, -1, 5], 0),
        ([4, 4, 6, 6], 1),  # lies inside
    ],
)
def test_lines_through_boxes_are_counted(line: list[float], expected: int) -> None:
    assert pierced(drawing([[0, 0, 10, 10], [200, 200, 5, 5]], [line], [0])) == expected


@pytest.mark.parametrize(
    ("second", "tensor", "expected"),
    [
        ([0, 10, 10, 0], 2, 1),
        ([0, 10, 10, 0], 1, 1),  # of the same tensor, but through it
        ([5, 5, 10, 6], 1, 0),  # branches off
        ([20, 0, 30, 10], 2, 0),
        ([5, 0, 5, 10], 2, 1),
        ([0, 0, 10, 10], 2, 0),  # on top of each other
    ],
)
def test_crossings_of_lines_are_counted(second: list[float], tensor: int, expected: int) -> None:
    assert crossings(drawing([], [[0, 0, 10, 10], second], [1, tensor])) == expected
