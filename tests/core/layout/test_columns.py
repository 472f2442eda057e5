"""A tall drawing in columns."""

import numpy as np
import pytest
from generate import chain, decoder

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import View, prepare


@pytest.fixture(scope="module")
def both() -> tuple[Drawing, Drawing, Graph]:
    graph = decoder(8).graph()
    prepared = prepare(graph)
    return prepared.draw(), prepared.draw(view="columns"), graph


def lengths(drawing: Drawing) -> float:
    lines = drawing.lines
    return float(np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]).sum())


def test_the_picture_gets_the_shape_of_a_window(both: tuple[Drawing, Drawing, Graph]) -> None:
    down, columns, _ = both
    assert down.size[1] > 10 * down.size[0]
    assert 0.8 < columns.size[0] / columns.size[1] < 3.2


def test_nothing_is_lost(both: tuple[Drawing, Drawing, Graph]) -> None:
    down, columns, _ = both
    assert np.array_equal(down.boxes[:, 2:], columns.boxes[:, 2:])
    assert lengths(columns) == pytest.approx(lengths(down))
    assert set(columns.line_tensors.tolist()) == set(down.line_tensors.tolist())
    heights = {g: down.group_boxes[down.group_ids == g, 3].sum() for g in down.group_ids.tolist()}
    for group, height in heights.items():
        assert columns.group_boxes[columns.group_ids == group, 3].sum() == pytest.approx(height)


def test_every_line_that_leaves_a_column_comes_in_at_the_next(both: tuple[Drawing, Drawing, Graph]) -> None:
    _, columns, _ = both
    out, back = columns.mark_tensors[columns.mark_ends == 1], columns.mark_tensors[columns.mark_ends == 0]
    assert len(out) > 0
    assert sorted(out.tolist()) == sorted(back.tolist())


def test_marks_are_where_lines_end(both: tuple[Drawing, Drawing, Graph]) -> None:
    _, columns, _ = both
    for point, tensor in zip(columns.marks.tolist(), columns.mark_tensors.tolist(), strict=True):
        ends = columns.lines[columns.lines_of_tensor(tensor)].reshape(-1, 2)
        assert np.abs(ends - point).sum(axis=1).min() < 0.01


def test_columns_are_filled_one_after_the_other(both: tuple[Drawing, Drawing, Graph]) -> None:
    """Along the drawing the boxes go down, and jump up again only from one column to the next."""
    down, columns, _ = both
    order = np.argsort(down.boxes[:, 1], kind="stable")
    left, top = columns.boxes[order, 0], columns.boxes[order, 1]
    jumps = np.flatnonzero(np.diff(top) < 0)
    assert len(jumps) >= 2
    assert (left[jumps + 1] > left[jumps]).all()


def test_groups_that_go_on_are_named_together_at_the_top(both: tuple[Drawing, Drawing, Graph]) -> None:
    down, columns, _ = both
    later = [
        (name, box)
        for name, box, before, group in zip(
            columns.group_labels,
            columns.group_boxes[:, 1],
            [-1, *columns.group_ids[:-1]],
            columns.group_ids,
            strict=True,
        )
        if before == group
    ]
    assert later
    assert {name.split(" › ")[0] for name, _ in later if name} == {"model"}
    assert {y for _, y in later} == {columns.group_boxes[:, 1].min()}
    assert set(down.group_labels) <= set(columns.group_labels)


def test_a_wide_window_gets_more_columns() -> None:
    prepared = prepare(chain(60).graph(), grouped=False)
    narrow, wide = prepared.draw(view="columns", aspect=0.5), prepared.draw(view="columns", aspect=3.0)
    assert narrow.size[0] < wide.size[0]
    assert narrow.size[1] > wide.size[1]


def test_a_drawing_that_is_wide_already_stays_as_it_is() -> None:
    prepared = prepare(chain(2).graph())
    assert prepared.draw(view="columns", aspect=0.01).size == prepared.draw().size


def test_what_runs_to_the_right_is_cut_into_rows() -> None:
    prepared = prepare(decoder(8).graph())
    right, rows = prepared.draw(view="right"), prepared.draw(view="rows")
    assert rows.across
    assert np.array_equal(right.boxes[:, 2:], rows.boxes[:, 2:])
    assert 0.8 < rows.size[0] / rows.size[1] < 3.2
    order = np.argsort(right.boxes[:, 0], kind="stable")
    left, top = rows.boxes[order, 0], rows.boxes[order, 1]
    jumps = np.flatnonzero(np.diff(left) < 0)
    assert len(jumps) >= 2
    assert (top[jumps + 1] > top[jumps]).all()


def test_what_is_wide_already_is_not_cut_into_rows() -> None:
    prepared = prepare(chain(2).graph())
    assert prepared.draw(view="rows", aspect=100.0).size == prepared.draw(view="right").size


@pytest.mark.parametrize("view", ["columns", "rows"])
def test_every_box_lies_in_a_piece_of_its_group(view: View) -> None:
    drawing = prepare(decoder(4, experts=9).graph()).draw(view=view)
    for box, group in zip(drawing.boxes.tolist(), drawing.groups.tolist(), strict=True):
        frames = drawing.group_boxes[drawing.group_ids == group]
        left, top = frames[:, 0] <= box[0], frames[:, 1] <= box[1]
        right = frames[:, 0] + frames[:, 2] >= box[0] + box[2]
        bottom = frames[:, 1] + frames[:, 3] >= box[1] + box[3]
        assert group < 0 or (left & top & right & bottom).any()


def test_a_piece_of_a_group_is_only_as_wide_as_what_is_in_it() -> None:
    """A group that is wide somewhere, and elsewhere one chain."""
    builder = GraphBuilder()
    builder.input("t")
    for branch in range(7):
        builder.node("Relu", ["t"], [f"b{branch}"], name=f"wide/b{branch}")
    builder.node("Concat", [f"b{branch}" for branch in range(7)], ["c0"], name="wide/c")
    for step in range(40):
        builder.node("Conv", [f"c{step}"], [f"c{step + 1}"], name=f"wide/{step}")
    builder.output("c40")
    prepared = prepare(builder.build())
    (whole,) = prepared.draw().group_boxes[:, 2].tolist()
    widths = prepared.draw(view="columns").group_boxes[:, 2]
    assert len(widths) >= 3
    assert widths[0] == whole
    assert widths[1:].max() < whole / 3


def test_lines_stay_in_the_pieces_of_the_groups_that_they_are_in() -> None:
    """All that is cut here is cut in a group, and a piece of it reaches to where the line goes on."""
    drawing = prepare(decoder(4).graph()).draw(view="columns")
    frames = drawing.group_boxes
    for x, y in drawing.marks.tolist():
        inside = (frames[:, 0] <= x) & (x <= frames[:, 0] + frames[:, 2])
        edge = (np.abs(frames[:, 1] - y) < 1.0) | (np.abs(frames[:, 1] + frames[:, 3] - y) < 1.0)
        assert (inside & edge).any()
