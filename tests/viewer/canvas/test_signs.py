"""States without a number, the second mark, and what a search has found, as they are seen."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QColor, QImage

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.model import State
from errorflow.layout.drawing import Kind
from errorflow.report.box_marks import ON_RING, STATE_GLYPHS
from errorflow.report.box_signs import TOLD
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from viewer.canvas.made_up import beside, grid, painted
from viewer.canvas.pixels import channels
from viewer.canvas.visions import seen_by

BOX, SIZE = 5, 22
FOUND = colors_of(LIGHT).found.name()


def marked(canvas: Canvas, state: State, zoom: float = 2.0) -> Canvas:
    canvas.centre_on(BOX, zoom)
    canvas.settle()
    canvas.set_error(painted(np.zeros(SIZE), signs=beside(SIZE, states={BOX: state})))
    return canvas


def part(canvas: Canvas, box: int, around: int = 3) -> QImage:
    return canvas.grab(canvas.place_of(box).toAlignedRect().adjusted(-around, -around, around, around)).toImage()


def share(image: QImage, color: str) -> float:
    """How much of a picture has a colour, about."""
    wanted = QColor(color)
    blue, green, red = channels(image).reshape(-1, 3).T.astype(int)
    off = abs(red - wanted.red()) + abs(green - wanted.green()) + abs(blue - wanted.blue())
    return float((off < 24).mean())


@pytest.mark.parametrize("state", [State.NAN, State.INF])
def test_what_is_no_number_is_framed_in_black_and_white_and_its_label_stays_readable(
    chain: Canvas, state: State
) -> None:
    image = part(marked(chain, state), BOX)
    assert share(image, "#000000") > 0.08 and share(image, "#FFFFFF") > 0.08
    assert share(image, "#000000") < 0.5


def test_what_overflows_is_outlined(chain: Canvas) -> None:
    assert share(part(marked(chain, State.OVERFLOW), BOX), LIGHT.overflow) > 0.05
    assert share(part(chain, BOX - 1), LIGHT.overflow) == 0


def test_states_come_together(chain: Canvas) -> None:
    image = part(marked(chain, State.OVERFLOW | State.NAN), BOX)
    assert share(image, LIGHT.overflow) > 0.05 and share(image, "#000000") > 0.04


@pytest.mark.parametrize("both", [State.NAN | State.INF, State.NAN])
def test_nan_comes_before_infinite(chain: Canvas, both: State) -> None:
    assert part(marked(chain, both), BOX) == part(marked(chain, State.NAN), BOX)


SEEN_FROM_AFAR = [
    *((State.OVERFLOW, LIGHT.overflow), (State.NAN, "#000000"), (State.INF, "#000000")),
    *((state, LIGHT.node_text) for state in STATE_GLYPHS),
]


@pytest.mark.parametrize(("state", "color"), SEEN_FROM_AFAR)
def test_a_state_is_seen_however_small_the_box(canvas: Canvas, state: State, color: str) -> None:
    drawing, graph = grid(20_000, columns=20)
    canvas.show_drawing(drawing, graph)
    size = len(drawing)
    canvas.set_error(painted(np.zeros(size), signs=beside(size, states={9_999: state})))
    assert share(canvas.grab().toImage(), color) * 800 * 600 >= 4


STATES = (*(State.NAN, State.INF, State.OVERFLOW, State.MISSING, State.INCOMPARABLE), *STATE_GLYPHS)
VIEWS = ("usual", "grey", "protanopia", "deuteranopia", "tritanopia")


def pictures_of_states(canvas: Canvas, theme: Theme, zoom: float) -> dict[State, QImage]:
    """The same box in every state; nothing is measured of it where a state says why."""
    canvas.set_colors(colors_of(theme))
    canvas.show_drawing(*grid(20))
    canvas.centre_on(BOX, zoom)
    canvas.settle()
    found = {}
    for state in (State(0), *STATES):
        unknown = state in (State.MISSING, State.INCOMPARABLE)
        badness = np.zeros(SIZE)
        badness[BOX] = np.nan if unknown else 0.3
        canvas.set_error(painted(badness, signs=beside(SIZE, states={BOX: state})))
        found[state] = part(canvas, BOX)
    return found


@pytest.mark.parametrize("vision", VIEWS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("zoom", [1.0, 0.5])
def test_no_state_looks_like_another(canvas: Canvas, theme: Theme, zoom: float, vision: str) -> None:
    """Told apart by lightness alone, too: a copy on paper, or any kind of colour vision."""
    seen = {state: seen_by(image, vision) for state, image in pictures_of_states(canvas, theme, zoom).items()}
    for one, other in combinations(seen, 2):
        apart = np.abs(seen[one] - seen[other]).max(axis=2)
        # As many pixels as the smallest of signs has, or a texture all over.
        assert (apart > 40).sum() >= 9 or (apart > 16).sum() >= 90, (one, other)


def test_a_bar_at_the_left_edge_is_the_second_mark(chain: Canvas) -> None:
    chain.centre_on(BOX, 2.0)
    fills = np.zeros(SIZE)
    fills[BOX + 1] = 1.0
    chain.set_error(painted(fills, signs=beside(SIZE, bars={BOX: 1.0, BOX + 1: 0.0})))
    worst, good = (colors_of(LIGHT).error[step] for step in (-1, 0))
    image = chain.grab().toImage()
    for box, color in ((BOX, worst), (BOX + 1, good)):
        place = chain.place_of(box)
        assert image.pixelColor((place.topLeft() + QPointF(2, place.height() / 2)).toPoint()) == color
    after = chain.place_of(BOX)
    assert image.pixelColor((after.topLeft() + QPointF(12, after.height() / 2)).toPoint()) == good
    assert share(part(chain, BOX + 2), worst.name()) == 0


def test_the_bar_of_a_low_box_leaves_the_label_alone(canvas: Canvas) -> None:
    drawing, graph = grid(200, columns=2)
    canvas.show_drawing(drawing, graph)
    canvas.centre_on(BOX, 0.45)
    canvas.settle()
    size = len(drawing)
    pictures = []
    for bars in ({}, {BOX: 1.0}):
        canvas.set_error(painted(np.zeros(size), signs=beside(size, bars=bars)))
        pictures.append(canvas.grab().toImage())
    inside = canvas.place_of(BOX).toAlignedRect().adjusted(1, 0, 0, 0)
    without, barred = pictures
    assert without.copy(inside) == barred.copy(inside)
    before = inside.adjusted(-4, 0, 0, 0)
    assert without.copy(before) != barred.copy(before)


def test_what_is_good_both_ways_is_calm(chain: Canvas) -> None:
    chain.centre_on(BOX, 2.0)
    chain.set_error(painted(np.zeros(SIZE), signs=beside(SIZE)))
    without = chain.grab(chain.place_of(BOX).toAlignedRect()).toImage()
    chain.set_error(painted(np.zeros(SIZE), signs=beside(SIZE, bars={BOX: 0.0})))
    assert chain.grab(chain.place_of(BOX).toAlignedRect()).toImage() == without


def test_a_bar_is_told_from_a_fill_of_the_same_colour(chain: Canvas) -> None:
    chain.centre_on(BOX, 2.0)
    chain.set_error(painted(np.ones(SIZE), signs=beside(SIZE, bars={BOX: 1.0})))
    place, image = chain.place_of(BOX), chain.grab().toImage()
    y = round(place.center().y())
    row = {image.pixelColor(round(place.left()) + x, y).name() for x in range(1, 8)}
    assert colors_of(LIGHT).background.name() in row


@pytest.mark.parametrize("zoom", [2.0, 1.0, 0.5])
def test_verdicts_have_different_forms_and_carriers_none(chain: Canvas, zoom: float) -> None:
    chain.centre_on(BOX, zoom)
    chain.settle()
    pictures = []
    for verdict in (*TOLD, Verdict.CARRIER, None):
        told = {BOX: int(verdict)} if verdict in TOLD else {}
        chain.set_error(painted(np.zeros(SIZE), signs=beside(SIZE, verdicts=told)))
        # On small boxes signs stand aside, so that they leave the label free.
        pictures.append(seen_by(part(chain, BOX, 8), "grey"))
    for one, other in combinations(pictures[:4], 2):
        assert (np.abs(one - other).max(axis=2) > 40).sum() >= 9
    assert (pictures[3] == pictures[4]).all()


def test_from_afar_there_are_no_verdicts(canvas: Canvas) -> None:
    drawing, graph = grid(200, columns=2)
    canvas.show_drawing(drawing, graph)
    canvas.centre_on(BOX, 0.35)
    canvas.settle()
    size = len(drawing)
    pictures = []
    for told in ({BOX: int(Verdict.HEALER)}, {BOX + 1: int(Verdict.HEALER)}):
        canvas.set_error(painted(np.zeros(size), signs=beside(size, verdicts=told)))
        pictures.append(canvas.grab().toImage())
    assert canvas.zoom == pytest.approx(0.35) and pictures[0] == pictures[1]


def test_the_front_is_outlined_and_its_beginning_is_marked(chain: Canvas) -> None:
    chain.centre_on(BOX, 1.0)
    chain.settle()
    colors = colors_of(LIGHT)
    chain.set_error(painted(np.zeros(SIZE), signs=beside(SIZE, front=[BOX, BOX + 1], ends=[BOX])))
    ring = [colour_at(chain, chain.place_of(box).topLeft() + QPointF(60, -4)) for box in (BOX, BOX + 1, BOX + 3)]
    assert ring[:2] == [colors.box_text.name(), colors.front.name()] and ring[2] not in ring[:2]


def colour_at(canvas: Canvas, spot: QPointF) -> str:
    """The strongest of three pixels one above the other beside the line of an edge."""
    image, x, y = canvas.grab().toImage(), round(spot.x()) - 20, round(spot.y())
    return min((image.pixelColor(x, y + step) for step in (-1, 0, 1)), key=QColor.lightness).name()


def test_marks_go_with_the_drawing_that_they_were_made_for(chain: Canvas) -> None:
    marked(chain, State.OVERFLOW)
    chain.show_drawing(*grid(20))
    graph = QRect(0, 0, chain.width(), chain.height() - 46)  # the legend waits for what comes next
    assert share(chain.grab(graph).toImage(), LIGHT.overflow) == 0


def test_a_shifted_pattern_has_no_seams(chain: Canvas) -> None:
    chain.centre_on(BOX, 3.0)
    chain.set_error(painted(np.full(22, np.nan)))
    chain.repaint()
    chain.pan(0, -37)
    shifted = chain.grab().toImage()
    chain.set_error(painted(np.full(22, np.nan)))
    assert chain.grab().toImage() == shifted


def found(canvas: Canvas, *boxes: int) -> Canvas:
    counts = np.zeros(22, np.int64)
    counts[list(boxes)] = 3
    canvas.set_matches(counts)
    return canvas


def test_what_is_found_is_ringed_and_the_rest_steps_back(chain: Canvas) -> None:
    chain.centre_on(BOX, 1.0)
    plain = chain.grab().toImage()
    found(chain, BOX)
    assert share(part(chain, BOX), FOUND) > 0.05
    assert share(part(chain, BOX + 1), FOUND) < 0.02
    other = chain.place_of(BOX + 1).topLeft() + QPointF(12, 5)
    now, then = (image.pixelColor(other.toPoint()).lightness() for image in (chain.grab().toImage(), plain))
    assert now > then
    chain.set_matches(None)
    assert chain.grab().toImage() == plain


def test_a_closed_group_says_how_many_are_found_in_it(canvas: Canvas) -> None:
    from dataclasses import replace

    drawing, graph = grid(20)
    folds = drawing.folds.copy()
    folds[BOX] = 0
    kinds = drawing.kinds.copy()
    kinds[BOX] = Kind.FOLD
    for counted in (folds, drawing.folds):
        canvas.show_drawing(replace(drawing, folds=counted, kinds=kinds), graph)
        canvas.centre_on(BOX, 1.0)
        found(canvas, BOX)
        corner = canvas.place_of(BOX).topRight() + QPointF(2, -2)
        inside = canvas.grab().toImage().pixelColor(corner.toPoint()) == QColor(FOUND)
        assert inside == (counted is folds)


def test_few_calls_paint_many_marks(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(30_000, columns=300))
    size = 30_002
    states = {box: State.NAN << (box % 7) for box in range(size)}
    told = beside(size, states=states, bars=dict.fromkeys(range(size), 1.0), front=range(0, size, 2), ends=[7])
    canvas.set_error(painted(np.zeros(size), signs=told))
    canvas.set_matches(np.arange(size, dtype=np.int64) % 2)
    canvas.repaint()
    assert canvas.counts.calls <= 80


@pytest.mark.parametrize("front", [False, True])
def test_no_ring_lies_over_the_sign_of_a_verdict(chain: Canvas, front: bool) -> None:
    found = beside(SIZE, verdicts={BOX: Verdict.ORIGIN}, front=[BOX] if front else [], ends=[BOX] if front else [])
    chain.centre_on(BOX, 2.0)
    chain.settle()
    chain.set_path(False)
    chain.set_error(painted(np.zeros(SIZE), signs=found))
    out = 2 * round(ON_RING) if front else 0
    corner = chain.place_of(BOX).topLeft().toPoint()
    star = QRect(corner.x() - out // 2 - 3, corner.y() - out // 2 - 3, 6, 6)
    plain = chain.grab(star).toImage()
    assert share(plain, colors_of(LIGHT).box_text.name()) > 0.3
    chain.select(BOX)
    assert chain.grab(star).toImage() == plain


def test_a_sign_stands_over_the_name_of_the_group_around(canvas: Canvas) -> None:
    drawing, graph = grid(20)
    left, top, _, _ = drawing.boxes[0].tolist()
    # The name of the group reaches to where the sign is.
    groups = drawing.group_boxes.copy()
    groups[0, :2] = left - 36.0, top - 19.0
    signs = beside(len(drawing), verdicts={0: Verdict.ORIGIN})
    canvas.set_minimap(False)
    pictures = []
    for labels in (("",), ("block.0 and more",)):
        canvas.show_drawing(replace(drawing, group_boxes=groups, group_labels=labels), graph)
        canvas.set_error(painted(np.zeros(len(drawing)), signs=signs))
        canvas.centre_on(0, 1.0)
        canvas.settle()
        canvas.select(1)
        corner = canvas.place_of(0).topLeft().toPoint()
        pictures.append(channels(canvas.grab(QRect(corner.x() - 6, corner.y() - 7, 14, 14)).toImage()).astype(int))
    plain, named = pictures
    star = plain.max(axis=2) < 60
    assert star.sum() > 20 and (plain != named).any()
    assert (plain[star] == named[star]).all()
