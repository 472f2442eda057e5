"""A tall drawing in columns."""

from collections import Counter

import numpy as np
import pytest
from generate import Sketch, chain, decoder, fan, unet

from core.layout.conftest import random_graph, real_graph, some_groups
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.columns import APART, FOOT, GAP, NAME, STRIP
from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import View, prepare


@pytest.fixture(scope="module")
def both() -> tuple[Drawing, Drawing, Graph]:
    graph = decoder(8).graph()
    prepared = prepare(graph)
    return prepared.draw(), prepared.draw(view="columns"), graph


def lengths(lines: np.ndarray) -> float:
    return float(np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]).sum())


def test_the_picture_gets_the_shape_of_a_window(both: tuple[Drawing, Drawing, Graph]) -> None:
    down, columns, _ = both
    assert down.size[1] > 10 * down.size[0]
    assert 0.8 < columns.size[0] / columns.size[1] < 3.2


def test_nothing_is_lost(both: tuple[Drawing, Drawing, Graph]) -> None:
    """Groups get higher where they are cut, and lines longer, up to the marks in the strips there."""
    down, columns, _ = both
    assert np.array_equal(down.boxes[:, 2:], columns.boxes[:, 2:])
    assert set(columns.line_tensors.tolist()) == set(down.line_tensors.tolist())
    deepest = int(down.group_depths.max()) + 1
    for tensor in np.unique(down.line_tensors).tolist():
        marks = int((columns.mark_tensors == tensor).sum())
        before, after = (lengths(each.lines[each.lines_of_tensor(tensor)]) for each in (down, columns))
        assert before - 0.01 <= after <= before + marks * (STRIP + deepest * NAME + APART * len(columns.marks)) + 0.01
    for group in down.group_ids.tolist():
        pieces = columns.group_boxes[columns.group_ids == group, 3]
        height = float(down.group_boxes[down.group_ids == group, 3].sum())
        assert height <= pieces.sum() <= height + (len(pieces) - 1) * deepest * (NAME + FOOT)


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


def test_groups_that_go_on_say_so(both: tuple[Drawing, Drawing, Graph]) -> None:
    down, columns, _ = both
    first = dict(zip(down.group_ids.tolist(), down.group_labels, strict=True))
    seen: set[int] = set()
    for group, label, continued in zip(
        columns.group_ids.tolist(), columns.group_labels, columns.group_continued.tolist(), strict=True
    ):
        assert continued == (group in seen)
        assert label == first[group] + (" (continued)" if continued else "")
        seen.add(group)
    assert columns.group_continued.any()
    assert seen == set(first)


@pytest.mark.parametrize("view", ["columns", "rows"])
@pytest.mark.parametrize("sketch", [decoder(8), decoder(4, experts=9), unet(12), chain(300)])
def test_borders_of_groups_that_are_cut_keep_clear_of_what_is_in_them(sketch: Sketch, view: View) -> None:
    drawing = prepare(sketch.graph()).draw(view=view)
    assert drawing.group_continued.any()
    assert_clear(drawing)


@pytest.mark.parametrize("view", ["columns", "rows"])
@pytest.mark.parametrize("sketch", [decoder(8), decoder(16, scoped=False), decoder(4, experts=9), unet(30), fan(120)])
@pytest.mark.parametrize("grouped", [True, False])
def test_marks_never_touch(sketch: Sketch, grouped: bool, view: View) -> None:
    assert_apart(prepare(sketch.graph(), grouped=grouped).draw(view=view))


@pytest.mark.parametrize("view", ["columns", "rows"])
@pytest.mark.parametrize("aspect", [0.4, 1.6, 3.0])
def test_random_graphs_are_cut_clear_of_borders_and_marks(aspect: float, view: View) -> None:
    for seed in range(0, 600, 24):
        prepared = prepare(random_graph(seed, 120))
        drawing = prepared.draw(some_groups(prepared.outline, seed), view, aspect)
        assert_clear(drawing)
        assert_apart(drawing)


def assert_clear(drawing: Drawing) -> None:
    """Nothing in a group that is cut comes close to its border."""
    frames, depths = drawing.group_boxes, drawing.group_depths
    corners = np.concatenate([drawing.boxes, frames])
    corners = np.column_stack([corners[:, :2], corners[:, :2] + corners[:, 2:]])
    deep = np.concatenate([np.full(len(drawing.boxes), 99), depths])
    pieces = Counter(drawing.group_ids.tolist())
    for (x, y, wide, high), group, depth in zip(frames, drawing.group_ids.tolist(), depths, strict=True):
        inside = (corners[:, 0] >= x) & (corners[:, 2] <= x + wide) & (corners[:, 1] >= y) & (corners[:, 3] <= y + high)
        inner = corners[inside & (deep > depth)]
        if pieces[group] > 1:
            assert (inner[:, :2] >= (x + 10, y + 10)).all()
            assert (inner[:, 2:] <= (x + wide - 10, y + high - 10)).all()


def assert_apart(drawing: Drawing) -> None:
    """A mark is 8.4 px wide with its stroke; lines of one tensor may share theirs."""
    points = np.unique(drawing.marks, axis=0)
    apart = np.abs(points[:, None] - points[None]).max(axis=2) + np.diag(np.full(len(points), np.inf))
    assert not len(points) or apart.min() >= 8.4


@pytest.mark.parametrize("view", ["columns", "rows"])
@pytest.mark.parametrize("graph", [real_graph("resnet50"), decoder(16).graph(), decoder(24, scoped=False).graph()])
def test_columns_are_about_as_high(graph: Graph, view: View) -> None:
    drawing = prepare(graph).draw(view=view)
    lengths = column_lengths(drawing)
    assert len(lengths) > 3
    assert min(lengths) >= 0.88 * max(lengths)


def column_lengths(drawing: Drawing) -> list[float]:
    """How far down each column reaches."""
    along, aside = (0, 1) if drawing.across else (1, 0)
    things = np.concatenate([drawing.boxes, drawing.group_boxes])
    things = things[np.argsort(things[:, aside], kind="stable")]
    reach = np.maximum.accumulate(things[:, aside] + things[:, aside + 2])
    starts = np.flatnonzero(np.append(np.inf, things[1:, aside] - reach[:-1]) >= GAP / 2)
    ends = things[:, along] + things[:, along + 2]
    return [float(part.max()) for part in np.split(ends, starts[1:])]


def test_a_cancel_strikes_while_columns_are_cut() -> None:
    """Between all steps that look at every line, and for each column."""
    prepared = prepare(decoder(8).graph())
    prepared.draw()
    told = Told()
    columns = column_lengths(prepared.draw(view="columns", progress=told))
    assert told.texts.count("Cutting columns") >= 20 + len(columns)


class Told:
    """Everything that progress was told."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def step(self, done: int, total: int, text: str) -> None:
        self.texts.append(text)


def test_a_wide_window_gets_more_columns() -> None:
    prepared = prepare(chain(60).graph(), grouped=False)
    narrow, wide = prepared.draw(view="columns", aspect=0.5), prepared.draw(view="columns", aspect=3.0)
    assert narrow.size[0] < wide.size[0]
    assert narrow.size[1] > wide.size[1]


@pytest.mark.parametrize("aspect", [1.0, 1.6])
def test_a_drawing_that_is_wide_at_one_place_only_fills_the_window_too(aspect: float) -> None:
    sketch = Sketch("late-fan")
    x = sketch.input("x")
    for _ in range(200):
        x = sketch.op("Relu", "", x)
    sketch.output(sketch.op("Concat", "", *[sketch.op("Sigmoid", "", x) for _ in range(8)]), "y")
    width, height = prepare(sketch.graph(), grouped=False).draw(view="columns", aspect=aspect).size
    assert 0.75 < width / height / aspect < 1.35


def test_what_goes_on_of_a_group_has_room_for_its_name() -> None:
    drawing = prepare(decoder(17).graph()).draw(view="columns")
    pieces = drawing.group_boxes[drawing.group_continued > 0]
    assert len(pieces)
    for left, top, width, height in pieces.tolist():
        x, y = drawing.boxes[:, :2].T
        inside = (x > left) & (x < left + width) & (y > top) & (y < top + height)
        assert y[inside].min() - top >= NAME


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


@pytest.mark.parametrize("aspect", [0.8, 1.0, 1.6, 2.4])
@pytest.mark.parametrize("sketch", [decoder(5), decoder(17), unet(12)], ids=lambda sketch: sketch.name)
def test_no_group_is_cut_so_close_to_its_border_that_its_name_has_no_room(sketch: Sketch, aspect: float) -> None:
    prepared = prepare(sketch.graph())
    for groups in (prepared.outline.at_first(), None):
        drawing = prepared.draw(groups, "rows", aspect)
        pieces = np.bincount(drawing.group_ids)[drawing.group_ids]
        assert drawing.group_boxes[pieces > 1, 2].min(initial=np.inf) >= 60


def test_lines_leave_by_the_borders_of_the_pieces_of_their_groups() -> None:
    """All that is cut here is cut in a group; the marks are in the strip above or below it."""
    drawing = prepare(decoder(4).graph()).draw(view="columns")
    frames = drawing.group_boxes[drawing.group_depths == 0]
    for x, y in drawing.marks.tolist():
        inside = (frames[:, 0] <= x) & (x <= frames[:, 0] + frames[:, 2])
        strip = (np.abs(frames[:, 1] - STRIP - y) < 1.0) | (np.abs(frames[:, 1] + frames[:, 3] + STRIP - y) < 1.0)
        assert (inside & strip).any()
