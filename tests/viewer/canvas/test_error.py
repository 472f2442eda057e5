"""Boxes filled by error, bars on what stands for several nodes, and the legend, as they are seen."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.model import State
from errorflow.layout.drawing import Kind
from errorflow.report.legend import Entry, entries
from errorflow_viewer.canvas.colors import colors_of, lightness
from errorflow_viewer.canvas.legend import Places
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from viewer.canvas.made_up import beside, grid, painted
from viewer.canvas.pixels import channels, difference

BOX, SIZE = 5, 22
GOOD, WORST = QColor("#E9EEF3"), QColor("#7B1E3A")


def some(badness: float, other: float = 0.0) -> np.typing.NDArray[np.float64]:
    """One box that differs from all others."""
    every = np.full(SIZE, other)
    every[BOX] = badness
    return every


def corner(canvas: Canvas, box: int) -> QColor:
    """The fill of a box, beside what is written on it."""
    spot = canvas.place_of(box).topLeft() + QPointF(6, 3)
    return canvas.grab().toImage().pixelColor(spot.toPoint())


def near(image: QImage, color: QColor) -> int:
    """How many pixels have about that colour."""
    blue, green, red = channels(image).reshape(-1, 3).T
    return int(((abs(red - color.red()) + abs(green - color.green()) + abs(blue - color.blue())) < 24).sum())


def part(canvas: Canvas, box: int) -> QImage:
    return canvas.grab(canvas.place_of(box).toAlignedRect()).toImage()


def test_badness_colours_the_boxes(chain: Canvas) -> None:
    plain = corner(chain, BOX)
    chain.set_error(painted(some(1.0)))
    assert (corner(chain, BOX), corner(chain, BOX + 1)) == (WORST, GOOD)
    chain.set_error(None)
    assert corner(chain, BOX) == plain


def test_errors_go_with_the_drawing_that_they_were_made_for(chain: Canvas) -> None:
    chain.set_error(painted(some(1.0)))
    chain.show_drawing(*grid(20))
    assert corner(chain, BOX) != WORST


def test_another_theme_has_another_scale(chain: Canvas) -> None:
    chain.set_error(painted(some(1.0)))
    chain.set_colors(colors_of(DARK))
    assert corner(chain, BOX) == QColor("#FF7452")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_not_measured_is_hatched_and_told_apart_from_what_is_good(chain: Canvas, theme: Theme) -> None:
    chain.set_colors(colors_of(theme))
    chain.centre_on(BOX, 2.0)
    chain.set_error(painted(some(np.nan)))
    stripes = near(part(chain, BOX), QColor(theme.not_measured)) / (240 * 48)
    assert 0.05 < stripes < 0.4
    assert near(part(chain, BOX + 1), QColor(theme.not_measured)) < 0.02 * 240 * 48


def test_hatching_stays_within_the_form(chain: Canvas) -> None:
    """An input has round ends."""
    chain.centre_on(0, 2.0)
    chain.set_error(painted(np.full(SIZE, np.nan)))
    ends = chain.place_of(0).toAlignedRect().topLeft()
    image = chain.grab().toImage()
    ground = image.pixelColor(ends - QPoint(6, -20))
    assert {image.pixelColor(ends + QPoint(x, y)).name() for x in range(5) for y in range(5)} == {ground.name()}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_small_boxes_that_nobody_measured_stay_behind_those_that_are_good(theme: Theme) -> None:
    from errorflow_viewer.canvas.scene import BLANK, GOOD
    from errorflow_viewer.canvas.sheet import Style

    colors = colors_of(theme)
    flecks = Style(colors, Canvas().font()).flecks
    ground = lightness(colors.groups[0])
    assert abs(lightness(flecks[GOOD]) - ground) > abs(lightness(flecks[BLANK]) - ground) + 0.03


def test_a_bad_box_is_seen_however_small(canvas: Canvas) -> None:
    drawing, graph = grid(20_000, columns=20)
    canvas.show_drawing(drawing, graph)
    badness = np.zeros(len(drawing))
    badness[9_999] = 1.0
    canvas.set_error(painted(badness))
    assert near(canvas.grab().toImage(), WORST) >= 4


def test_the_worst_is_painted_over_what_is_less_bad(canvas: Canvas) -> None:
    """Where boxes are smaller than a pixel, and all are as bad as can be but one."""
    drawing, graph = grid(60_000, columns=20)
    canvas.show_drawing(drawing, graph)
    badness = np.full(len(drawing), 0.6)
    badness[30_000] = 1.0
    badness[30_001:30_010] = np.nan
    canvas.set_error(painted(badness))
    assert near(canvas.grab().toImage(), WORST) >= 4


def folded(canvas: Canvas, *bands: int, badness: float = 1.0, zoom: float = 2.0) -> Canvas:
    """A closed group of so many nodes in each band, the last: not measured."""
    drawing, graph = grid(20)
    kinds = drawing.kinds.copy()
    kinds[BOX] = Kind.FOLD
    canvas.show_drawing(replace(drawing, kinds=kinds), graph)
    canvas.centre_on(BOX, zoom)
    canvas.settle()
    canvas.set_error(painted(some(badness), {BOX: bands}))
    return canvas


def bar(canvas: Canvas) -> list[tuple[str, int]]:
    """Colour and width of each part of the bar of the box, from the left."""
    place = canvas.place_of(BOX).toAlignedRect()
    image, y = canvas.grab().toImage(), place.bottom() - 4
    parts: list[tuple[str, int]] = []
    for x in range(place.left(), place.right() + 2):
        name = image.pixelColor(x, y).name().upper()
        if parts and parts[-1][0] == name:
            parts[-1] = name, parts[-1][1] + 1
        else:
            parts.append((name, 1))
    known = {color.name().upper() for color in (*colors_of(LIGHT).bands, colors_of(LIGHT).unmeasured)}
    return [(name, width) for name, width in parts if name in known]


def test_a_fold_shows_how_bad_how_many_are_with_the_worst_at_the_right(canvas: Canvas) -> None:
    parts = bar(folded(canvas, 5, 0, 3, 0, 2, 10))
    colors = [color.name().upper() for color in colors_of(LIGHT).bands]
    assert [name for name, _ in parts] == [LIGHT.not_measured, colors[0], colors[2], colors[4]]
    total = sum(width for _, width in parts)
    assert [width / total for _, width in parts] == pytest.approx([0.5, 0.25, 0.15, 0.1], abs=0.03)


def test_one_bad_node_among_very_many_is_seen(canvas: Canvas) -> None:
    name, width = bar(folded(canvas, 9_999, 0, 0, 0, 1, 0))[-1]
    assert name == WORST.name().upper() and width >= 2


def test_a_fold_of_which_nothing_is_known_has_no_bar(canvas: Canvas) -> None:
    folded(canvas, 0, 0, 0, 0, 0, 9, badness=np.nan)
    assert near(part(canvas, BOX), colors_of(LIGHT).background) < 20


@pytest.mark.parametrize(("zoom", "shown"), [(1.0, True), (0.6, True), (0.4, False)])
def test_a_bar_needs_room(canvas: Canvas, zoom: float, shown: bool) -> None:
    canvas.resize(800, 300)
    folded(canvas, 5, 0, 3, 0, 2, 10, zoom=zoom)
    assert (near(part(canvas, BOX), QColor(LIGHT.not_measured)) > 20) == shown


def test_a_search_dims_fills_and_bars(canvas: Canvas) -> None:
    folded(canvas, 1, 1, 1, 1, 1, 1)
    canvas.set_matches(np.zeros(SIZE, np.int64))
    dimmed = part(canvas, BOX)
    assert near(dimmed, WORST) == near(dimmed, colors_of(LIGHT).bands[2]) == 0
    found = np.zeros(SIZE, np.int64)
    found[BOX] = 1
    canvas.set_matches(found)
    bright = part(canvas, BOX)
    assert near(bright, WORST) > 1000 and near(bright, colors_of(LIGHT).bands[2]) > 100
    assert near(canvas.grab().toImage(), colors_of(LIGHT).found) > 100


def test_a_selection_is_seen_over_every_colour(chain: Canvas) -> None:
    for badness in (0.0, 0.33, 0.67, 1.0, np.nan):
        chain.set_error(painted(some(badness)))
        chain.select(None)
        before = near(chain.grab().toImage(), QColor(LIGHT.selection))
        chain.select(BOX)
        assert near(chain.grab().toImage(), QColor(LIGHT.selection)) > before + 300


def test_what_is_no_number_is_framed(chain: Canvas) -> None:
    chain.centre_on(BOX, 2.0)
    chain.set_error(painted(some(1.0), broken=[BOX]))
    image = part(chain, BOX)
    assert min(near(image, QColor(color)) for color in ("#000000", "#FFFFFF")) > 0.05 * 240 * 48
    told = beside(SIZE, states=dict.fromkeys(range(SIZE), State.OVERFLOW))
    chain.set_error(painted(some(1.0), broken=[BOX], signs=told))
    both = part(chain, BOX)
    assert near(both, QColor(LIGHT.overflow)) > 100 and near(both, QColor("#000000")) > 100


def test_bars_are_there_while_boxes_move(canvas: Canvas) -> None:
    folded(canvas, 5, 0, 3, 0, 2, 10, zoom=1.0)
    canvas.set_reduced_motion(False)
    drawing, _ = grid(20)
    kinds = drawing.kinds.copy()
    kinds[BOX] = Kind.FOLD
    scene = canvas._scene
    assert scene is not None
    middle = QPointF(100, 100)
    canvas.change_drawing(replace(drawing, kinds=kinds), scene.graph, middle, middle)
    canvas.set_error(painted(some(1.0), {BOX: (5, 0, 3, 0, 2, 10)}))
    assert canvas.moving
    assert near(canvas.grab().toImage(), QColor(LIGHT.not_measured)) > 20
    canvas.settle()


def test_the_minimap_shows_the_colours(chain: Canvas) -> None:
    chain.zoom_to(6.0)
    chain.settle()
    chain.set_minimap(True)
    chain.set_error(painted(np.full(SIZE, 1.0)))
    chain.pan(0, 4000)  # nothing but the map is seen
    assert near(chain.grab().toImage(), WORST) > 20


def test_the_legend_names_the_measure_below_the_graph(chain: Canvas) -> None:
    spot = QPointF(20, chain.height() - 10)
    whole = chain.place_of(21)
    assert chain.legend_at(spot) == "" and chain.fitted
    chain.set_error(painted(some(1.0)))
    assert chain.legend_at(spot) == "accumulated · Relative error\n√Σ (c − r)² / √Σ r²\nnot measured"
    assert chain.legend_at(chain.place_of(BOX).center()) == ""
    assert chain.box_at(spot) is None and chain.group_at(spot) is None
    strip = chain.grab(QRect(0, chain.height() - 26, chain.width(), 26)).toImage()
    assert near(strip, WORST) > 20 and near(strip, QColor(LIGHT.raised)) > 10_000
    assert chain.fitted and chain.place_of(21).bottom() < chain.height() - 26
    chain.set_error(None)
    assert chain.legend_at(spot) == "" and chain.place_of(21) == whole


def test_the_legend_stays_while_one_drawing_becomes_another(chain: Canvas) -> None:
    """Or the graph would jump."""
    chain.set_error(painted(some(1.0)))
    chain.show_drawing(*grid(20))
    assert chain.legend_at(QPointF(20, chain.height() - 10)) and chain.note_on(BOX) == ""
    chain.set_error(painted(some(0.5)))
    assert chain.note_on(BOX) == f"the error of box {BOX}"
    chain.clear()
    assert chain.legend_at(QPointF(20, chain.height() - 10)) == ""


def test_a_picture_of_the_view_has_the_legend(chain: Canvas) -> None:
    chain.set_error(painted(some(1.0)))
    seen = chain.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    assert chain.picture().size() == seen.size()
    assert int(difference(chain.picture(), seen).max()) == 0
    assert chain.picture(2.0).size() == seen.size() * 2


def test_a_low_window_has_no_room_for_a_legend(chain: Canvas) -> None:
    chain.set_error(painted(some(1.0)))
    chain.resize(300, 120)
    assert chain.legend_at(QPointF(20, 115)) == ""


def test_a_narrow_legend_keeps_the_scale(chain: Canvas) -> None:
    chain.set_error(painted(some(0.0)))
    chain.resize(230, 400)
    strip = chain.grab(QRect(0, chain.height() - 46, chain.width(), 46)).toImage()
    assert near(strip, WORST) > 20


def crowded(canvas: Canvas, width: int) -> tuple[Places, tuple[Entry, ...]]:
    """A legend with much to explain."""
    states = {box: int(state) for box, state in enumerate(State) if state != State.MISSING}
    verdicts = {box: int(verdict) for box, verdict in enumerate(Verdict)}
    signs = beside(SIZE, bars={BOX: 0.5}, states=states, verdicts=verdicts, front=[BOX])
    paint = painted(some(1.0), signs=signs)
    canvas.set_error(paint)
    canvas.resize(width, 400)
    return canvas._screen.legend.places(width, 1.0, canvas._screen.style), entries(paint)


@pytest.mark.parametrize("width", [150, 230, 315, 480, 726, 1200, 2000])
def test_all_that_is_seen_is_explained_or_told_to_be_left_over(chain: Canvas, width: int) -> None:
    found, every = crowded(chain, width)
    assert (*(entry for entry, _ in found.entries), *found.hidden) == every
    spots = [rect for _, rect in found.entries] + ([found.more] if found.hidden else [])
    assert all(rect.bottom() <= found.height + 1 for rect in spots)
    assert all(not one.intersects(other) for one, other in itertools.combinations(spots, 2) if one.top() == other.top())
    assert bool(found.hidden) == (width < 700)
    assert not found.hidden or found.more.right() <= width


def test_what_the_legend_has_no_room_for_is_found_by_a_menu(chain: Canvas, qtbot: QtBot) -> None:
    found, _ = crowded(chain, 315)
    spot = QPoint(round(found.more.center().x()), round(found.more.center().y()) + 400 - found.height)
    chain.event(QHelpEvent(QHelpEvent.Type.ToolTip, spot, chain.mapToGlobal(spot)))
    assert QToolTip.text().splitlines() == [*(entry.text for entry in found.hidden), "Click to find one of them"]
    QToolTip.hideText()
    QTest.mouseClick(chain, Qt.MouseButton.LeftButton, pos=spot)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == [entry.text for entry in found.hidden]
    last = found.hidden[-1]
    with qtbot.waitSignal(chain.legend_picked) as said:
        menu.actions()[-1].trigger()
    assert said.args == [last.query]
    menu.close()


def test_the_tooltip_tells_the_error(chain: Canvas) -> None:
    chain.set_error(painted(some(1.0)))
    spot = chain.place_of(BOX).center().toPoint()
    chain.event(QHelpEvent(QHelpEvent.Type.ToolTip, spot, chain.mapToGlobal(spot)))
    assert QToolTip.text().splitlines()[-1] == f"the error of box {BOX}"
    QToolTip.hideText()


def test_screen_readers_hear_the_error(chain: Canvas) -> None:
    chain.select(BOX)
    chain.set_error(painted(some(1.0)))
    assert chain.accessibleDescription().endswith(f", the error of box {BOX}")
    chain.select(None)
    assert "the error" not in chain.accessibleDescription()
