"""What the comparison of layouts counts, on pictures whose numbers are known."""

import numpy as np
import pytest
from peers.joined import unjoined
from peers.measures import crossings, pierced, spine
from peers.pictures import Picture, picture
from peers.tangles import Setting

BOXES = [[0.0, 0.0, 10.0, 10.0], [200.0, 200.0, 5.0, 5.0]]


def drawn(pieces: list[list[float]], tensors: list[int], boxes: list[list[float]] = BOXES) -> Picture:
    numbers = np.array(tensors, np.int32)
    return Picture(
        boxes=np.array(boxes, np.float64).reshape(-1, 4),
        shown_by=np.arange(len(boxes), dtype=np.int32),
        pieces=np.array(pieces, np.float64).reshape(-1, 4),
        tensors=numbers,
        lines=numbers,
        edge_lines=np.array([1], np.int32),
    )


def asked(edges: list[tuple[int, int]], boxes: int) -> Setting:
    starts, ends = (np.array(side, np.int32) for side in zip(*edges, strict=True))
    return Setting(np.full((boxes, 2), 10.0), starts, ends, np.arange(len(edges), dtype=np.int32))


def test_crossings_are_counted_by_the_rule_for_our_own_drawings() -> None:
    assert crossings(drawn([[0, 0, 10, 10], [10, 0, 0, 10]], [1, 1])) == 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ([5, -10, 5, 0], 0),  # ends at the upper border
        ([5, -10, 5, 50], 1),
        ([5, -1000, 5, 1000], 1),
        ([-10, -10, 50, 50], 1),
        ([10, -10, 10, 50], 0),  # along the right border
        ([-10, 15, 15, -10], 1),  # cuts a corner off
        ([-10, 5, -1, 5], 0),
        ([4, 4, 6, 6], 1),  # lies inside
        ([202, 150, 202, 202], 0),  # enters its own box
    ],
)
def test_lines_through_foreign_boxes_are_counted(line: list[float], expected: int) -> None:
    assert pierced(drawn([line], [1]), asked([(1, 1)], 2)) == expected
    assert pierced(drawn([line, line], [1, 1]), asked([(1, 1)], 2)) == expected


def test_swerve_is_that_of_the_straightest_longest_path() -> None:
    boxes = [[x, 0.0, 10.0, 10.0] for x in (0, 30, 4, 0, 500)]
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 4)]
    assert spine(drawn([], [], boxes), asked(edges, 5)) == 4.0


def test_a_cycle_has_no_spine() -> None:
    assert spine(drawn([], []), asked([(0, 1), (1, 0)], 2)) is None


def test_lines_of_peers_lose_points_that_lie_on_the_way() -> None:
    answer = {"boxes": BOXES, "lines": [[[5, 10], [5, 20], [5, 20], [5, 60], [9, 80], [9, 70]]]}
    shown = picture(answer, asked([(0, 1)], 2))
    assert shown.pieces.tolist() == [[5, 10, 5, 60], [5, 60, 9, 80], [9, 80, 9, 70]]
    assert shown.size == (205.0, 205.0)


def test_curves_of_peers_end_where_they_say() -> None:
    answer = {"boxes": BOXES, "lines": [[[0, 10], [0, 20], [30, 20], [30, 30], [30, 40], [30, 50], [30, 60]]]}
    shown = picture(answer | {"curved": True}, asked([(0, 1)], 2))
    assert len(shown.pieces) == 8  # eight of the bend, of which those in the middle are one, and the straight rest
    assert shown.pieces[0, :2].tolist() == [0, 10]
    assert shown.pieces[-1].tolist() == [30, 30, 30, 60]
    middle = shown.pieces[3].reshape(2, 2).mean(axis=0)
    assert middle.tolist() == [15, 20]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([[5, 10, 5, 100], [5, 100, 202, 200]], 0),
        ([[5, 10, 5, 100], [5, 50, 202, 200]], 0),  # branches off on the way
        ([[5, 50, 5, 10], [202, 200, 5.001, 49.999]], 0),
        ([[5, 10, 5, 100], [9, 100, 202, 200]], 1),
        ([[5, 10, 5, 20], [202, 190, 202, 200]], 1),  # its beginning and its end only
        ([], 1),
    ],
)
def test_a_line_has_to_lead_from_box_to_box(pieces: list[list[float]], expected: int) -> None:
    assert unjoined(drawn(pieces, [1] * len(pieces)), asked([(0, 1)], 2)) == expected
