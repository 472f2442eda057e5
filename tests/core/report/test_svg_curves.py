import re
from dataclasses import replace

import numpy as np
import pytest
from generate import decoder

from core.report.conftest import branches
from errorflow.layout.drawing import Drawing, Floats
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.layout.route import PIECES, s_curves
from errorflow.report import svg
from errorflow.report.svg import paths


def _drawing(lines: Floats, tensors: list[int]) -> Drawing:
    nothing, none = np.zeros((0, 4)), np.zeros(0, np.int32)
    return Drawing(
        boxes=nothing,
        kinds=np.zeros(0, np.uint8),
        nodes=none,
        tensors=none,
        groups=none,
        folds=none,
        labels=(),
        lines=lines,
        line_tensors=np.array(tensors, np.int32),
        group_boxes=nothing,
        group_depths=np.zeros(0, np.uint8),
        group_ids=none,
        group_labels=(),
        size=(100.0, 100.0),
    )


def _curve(x1: float, y1: float, x2: float, y2: float) -> Floats:
    pieces: Floats = s_curves(*(np.array([value]) for value in (x1, y1, x2, y2)))[0]
    return pieces


def test_pieces_of_a_curve_become_that_curve() -> None:
    drawing = _drawing(_curve(0, 0, 40, 60), [3] * PIECES)

    assert list(paths(drawing)) == [(3, "M0 0C0 30 40 30 40 60")]


def test_lines_that_meet_are_one_stroke_and_others_begin_anew() -> None:
    lines = np.array([[5, 0, 5, 10], [5, 10, 5, 20], [9, 0, 9, 5.25]], float)

    assert list(paths(_drawing(lines, [0, 0, 0]))) == [(0, "M5 0V10V20M9 0V5.25")]


def test_curve_after_curve_stay_two() -> None:
    lines = np.concatenate([_curve(0, 0, 40, 60), _curve(40, 60, 0, 90)])

    assert list(paths(_drawing(lines, [0] * 2 * PIECES))) == [(0, "M0 0C0 30 40 30 40 60C40 75 0 75 0 90")]


def test_what_runs_to_the_right_is_written_with_x_and_y_exchanged() -> None:
    down = np.concatenate([np.array([[0, -9.5, 0, 0]]), _curve(0, 0, 40, 60), np.array([[1, 2, 3, 5]])])
    right = replace(_drawing(down[:, [1, 0, 3, 2]], [0] * len(down)), across=True)

    assert list(paths(right)) == [(0, "M-9.5 0H0C30 0 30 40 60 40M2 1L5 3")]


def test_a_part_of_a_curve_goes_through_the_same_points() -> None:
    part = _curve(0, 0, 40, 60)[2:7]

    [(_, path)] = paths(_drawing(part, [0] * len(part)))
    found = np.array([list(map(float, curve.split()[-2:])) for curve in re.findall(r"C([^MCVL]*)", path)])
    assert found == pytest.approx(part[:, 2:], abs=0.01)


def test_a_lone_slope_is_a_line() -> None:
    assert list(paths(_drawing(np.array([[0.0, 0.0, 3.0, 4.0]]), [0]))) == [(0, "M0 0L3 4")]


def test_tensors_do_not_run_into_each_other() -> None:
    lines = np.array([[5, 0, 5, 10], [5, 10, 5, 20]], float)

    assert list(paths(_drawing(lines, [0, 1]))) == [(0, "M5 0V10"), (1, "M5 10V20")]


@pytest.mark.parametrize("view", ["down", "columns"])
def test_every_line_of_a_real_drawing_is_drawn(view: str) -> None:
    drawing = layout(branches(), LayoutOptions(view="columns" if view == "columns" else "down"))

    ends = {point for _, path in paths(drawing) for point in _ends(path)}
    joints = {(round(x, 2), round(y, 2)) for x, y in drawing.lines[:, 2:].tolist()}
    assert ends <= joints
    straight = drawing.lines[drawing.lines[:, 0] == drawing.lines[:, 2]]
    assert {(round(x, 2), round(y, 2)) for x, y in straight[:, 2:].tolist()} <= ends


def test_however_many_lines_are_looked_at_together_the_paths_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = layout(decoder(2).graph())
    together = list(paths(drawing))
    monkeypatch.setattr(svg, "_AT_A_TIME", 7)

    assert list(paths(drawing)) == together
    assert [tensor for tensor, _ in together] == list(dict.fromkeys(drawing.line_tensors.tolist()))


def _ends(path: str) -> list[tuple[float, float]]:
    x, ends = 0.0, []
    for command, text in re.findall(r"([MCVL])([^MCVL]*)", path):
        values = list(map(float, text.split()))
        x = x if command == "V" else values[-2]
        if command != "M":
            ends.append((x, values[-1]))
    return ends
