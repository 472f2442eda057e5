"""Edges at every zoom."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from errorflow_viewer.canvas.edges import rounded
from errorflow_viewer.canvas.scene import SceneLines, coarsened
from viewer.canvas.made_up import grid


def curve(pieces: int, width: float = 100.0, height: float = 40.0) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    share = np.linspace(0, 1, pieces + 1)
    points = np.column_stack([width * (3 * share**2 - 2 * share**3), height * share])
    return np.column_stack([points[:-1], points[1:]])


@given(st.integers(1, 40), st.floats(1.0, 60.0))
def test_chords_begin_and_end_where_the_curve_does(pieces: int, chord: float) -> None:
    lines = curve(pieces)
    chords, tensors = coarsened(lines, np.zeros(pieces, np.int32), chord, 0.0)
    assert len(chords) <= pieces and len(tensors) == len(chords)
    assert chords[0, :2].tolist() == lines[0, :2].tolist()
    assert chords[-1, 2:].tolist() == lines[-1, 2:].tolist()
    assert np.array_equal(chords[1:, :2], chords[:-1, 2:])


def test_pieces_of_two_tensors_are_never_joined() -> None:
    tensors = np.array([1] * 4 + [2] * 4, np.int32)
    chords, owners = coarsened(curve(8), tensors, 1000.0, 0.0)
    assert owners.tolist() == [1, 2]
    assert len(chords) == 2


def test_what_is_shorter_than_a_pixel_is_left_out() -> None:
    lines = np.array([(0.0, 0.0, 0.0, 1.0), (5.0, 0.0, 5.0, 90.0)])
    chords, owners = coarsened(lines, np.array([1, 2], np.int32), 10.0, 4.0)
    assert chords.tolist() == [[5.0, 0.0, 5.0, 90.0]]
    assert owners.tolist() == [2]


def test_no_lines_become_no_chords() -> None:
    chords, owners = coarsened(np.zeros((0, 4)), np.zeros(0, np.int32), 10.0, 4.0)
    assert len(chords) == len(owners) == 0


def test_near_lines_are_as_laid_out_and_far_ones_fewer() -> None:
    drawing, _ = grid(5000, columns=5)
    lines = SceneLines(drawing)
    assert lines.at(1.0).lines is drawing.lines
    assert lines.at(1.0) is lines.at(0.6)
    assert len(lines.at(0.001).lines) < len(drawing.lines)


def test_a_smooth_curve_meets_the_ends_of_its_pieces() -> None:
    lines = curve(8)
    smooth = rounded(lines, np.arange(8), 4.0)
    assert len(smooth) > 8
    points = {(round(x, 6), round(y, 6)) for x, y in smooth[:, :2].tolist()}
    assert all((round(x, 6), round(y, 6)) in points for x, y in lines[:, :2].tolist())


def test_a_smooth_curve_leaves_and_arrives_upright() -> None:
    smooth = rounded(curve(8), np.arange(8), 8.0)
    ordered = smooth[np.lexsort((smooth[:, 0], smooth[:, 1]))]
    for x1, y1, x2, y2 in (ordered[0].tolist(), ordered[-1].tolist()):
        assert abs(x2 - x1) < abs(y2 - y1)


@given(st.floats(-500, 500), st.floats(1, 300))
def test_a_smooth_curve_never_turns_back(width: float, height: float) -> None:
    smooth = rounded(curve(8, width, height), np.arange(8), 4.0)
    assert (smooth[:, 3] >= smooth[:, 1] - 1e-6 * height).all()


def test_small_curves_stay_as_they_are() -> None:
    lines = curve(8, 10.0, 10.0)
    assert np.array_equal(rounded(lines, np.arange(8), 0.5), lines)
