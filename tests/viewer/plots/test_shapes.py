"""The same shapes painted by Qt and written as SVG look alike."""

import math
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from errorflow.draw.shapes import Dots, Gradient, Group, Lines, Path, Pen, Rect, Rects, Shape, Text, checks, rows
from errorflow.draw.svg import page
from errorflow.draw.text import LETTERS
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.axis import window
from errorflow.explain.findings.model import State
from errorflow.explain.findings.profile import INTRODUCED, RELATIVE, Profile
from errorflow.explain.findings.profile import ProfileCurve as Measure
from errorflow.explain.inspect.figure import Axis, Band, Bars, Figure, Line, Points, Rules
from errorflow.quant.switching import Kept
from errorflow.report.box_marks import STATE_GLYPHS, TURN_GLYPHS, VERDICT_GLYPHS, kept_mark, sign
from errorflow.report.box_signs import TOLD
from errorflow.report.colors import LIGHT
from errorflow.report.curve_look import curve_look
from errorflow.report.curve_shapes import CurvePlot, ShownCurves, legend_entries, legend_shapes
from errorflow.report.curve_strokes import CurveRoom
from errorflow.report.figure_shapes import LIGHT_LOOK, Area, FigurePlot
from errorflow.report.legend import UNKNOWN, Entry, legend, swatch
from errorflow.report.marks import mark
from errorflow.report.profile_shapes import ProfilePlot, ProfileRoom, head_entries, head_shapes, profile_colors
from errorflow_viewer.kit.look import FAMILIES
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.plots.figures import in_our_font
from errorflow_viewer.plots.shapes import paint_shapes
from viewer.canvas.made_up import beside
from viewer.canvas.made_up import painted as painted_by
from viewer.canvas.pixels import difference
from viewer.panels.curves.made import curve, curves

SIDE, FINE = 40, 4
ALL = Area(0, 0, 330, 220)
INK, GROUND = "#1B232C", "#FAFBFC"
SPOTS = np.array([[6.0, 8.0], [20.0, 30.0], [34.0, 12.0]])
ENDS = rows(SPOTS[:, 0], SPOTS[:, 1], SPOTS[:, 1], SPOTS[:, 0])
PEN = Pen("#2C6CB0", 2.0)
WAVE = rows(np.linspace(2, 38, 60), 20 + 9 * np.sin(np.arange(60) / 9))
RISING = Gradient("rising", (4, 0), (34, 0), ((0, "#E9EEF3"), (0.5, "#F2C14E"), (1, "#7B1E3A")))

PLAIN: dict[str, tuple[Shape, ...]] = {
    "rect": (Rect(4, 5, 20, 12, "#E4572E", PEN, 3.0),),
    "half a fill": (Rect(4, 5, 20, 12, "#E4572E", opacity=0.5),),
    "rects": (Rects(rows(SPOTS[:, 0], SPOTS[:, 1], 4, 6), "#E4572E", PEN),),
    "lines": (Lines(ENDS, PEN),),
    "dashes": (Lines(ENDS, Pen("#2C6CB0", 2.0, (6.0, 3.0), 0.5)),),
    "polygon": (Path([SPOTS], "#E4572E", PEN),),
    "way": (Path([SPOTS, SPOTS[:, ::-1]], pen=Pen("#2C6CB0", 3.0, round=True), closed=False),),
    "many points": (
        Path([rows(np.linspace(2, 38, 900), 20 + 9 * np.sin(np.arange(900) / 99))], pen=PEN, closed=False),
    ),
    "dots": (Dots(SPOTS, 4.0, "#E4572E", PEN),),
    "gradient": (
        Rect(4, 5, 30, 12, Gradient("g", (4, 0), (34, 0), ((0, "#E9EEF3"), (0.5, "#F2C14E"), (1, "#7B1E3A")))),
    ),
    "moved": (Group((Rect(0, 0, 9, 9, "#E4572E"), Group((Dots(SPOTS, 3.0, "#2C6CB0"),), 2, 3)), 5, 1),),
    "at the start": (Text(4, 20, "begin", INK),),
    "at the end": (Text(38, 20, "end", INK, 14, "end", strong=True),),
    "in the middle": (Text(20, 20, "mid", INK, 9, "middle"),),
    "upwards": (Text(20, 36, "upwards", INK, upwards=True),),
}
SIGNS: dict[str, tuple[Shape, ...]] = {
    **{f"mark {family}": (mark(family, 24, INK),) for family in (*FAMILIES, "constant", "fold")},
    **{f"sign {each.name}": (sign(each, 20, 20, INK, GROUND),) for each in VERDICT_GLYPHS},
    **{f"sign {each.name}": (sign(each, 20, 20, INK, GROUND),) for each in TURN_GLYPHS},
    **{f"sign {each.name}": (sign(each, 20, 20, INK, GROUND),) for each in STATE_GLYPHS},
    **{f"kept {kept.name}": (kept_mark(kept, 38, 20, INK, GROUND),) for kept in Kept},
    **{
        f"swatch {entry.sort} {entry.sign!r}": swatch(entry, 4, 4, LIGHT)
        for entry in (Entry("bar", ""), Entry("front", ""), Entry("kept", "", Kept.FLOAT), UNKNOWN)
    },
    **{f"swatch {state.name}": swatch(Entry("state", "", state), 4, 4, LIGHT) for state in State},
}
SHAPES = PLAIN | SIGNS


def image(size: tuple[int, int] = (SIDE, SIDE)) -> QImage:
    found = QImage(size[0] * FINE, size[1] * FINE, QImage.Format.Format_RGB32)
    found.fill(GROUND)
    return found


def painted(shapes: tuple[Shape, ...], size: tuple[int, int] = (SIDE, SIDE)) -> QImage:
    found = image(size)
    painter = QPainter(found)
    paint_shapes(painter, shapes, scale=FINE)
    painter.end()
    return found


def written(shapes: tuple[Shape, ...], size: tuple[int, int] = (SIDE, SIDE)) -> QImage:
    text = in_our_font(page(shapes, size, GROUND).encode())
    found = image(size)
    painter = QPainter(found)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(QByteArray(text)).render(painter, QRectF(found.rect()))
    painter.end()
    return found


@pytest.mark.parametrize("name", SHAPES)
def test_both_look_alike(appearance: Appearance, name: str) -> None:
    shapes = SHAPES[name]
    ours, theirs = painted(shapes), written(shapes)
    assert (difference(ours, image()) > 48).mean() > 0.002, "something is painted"
    # Smooth edges may differ by a shade; letters are placed to half a px.
    most = 0.03 if "kept" in name or any(isinstance(shape, Text) for shape in shapes) else 0.004
    assert (difference(ours, theirs) > 96).mean() < most


def test_what_is_clipped_is_not_seen(appearance: Appearance) -> None:
    whole = Rect(0, 0, SIDE, SIDE, "#E4572E")
    found = painted((Group((whole,), clip=(0, 0, SIDE / 2, SIDE)),))
    left, right = (found.pixelColor(x * FINE, 20 * FINE).name().upper() for x in (10, 30))
    assert (left, right) == ("#E4572E", GROUND)


def test_patterns_are_as_fine_as_the_device(appearance: Appearance) -> None:
    found = painted((Rect(0, 0, SIDE, SIDE, checks("check", 1)),))
    colors = [found.pixelColor(x, 2).lightness() for x in range(2 * FINE)]
    assert colors == [0] * FINE + [255] * FINE


def figure() -> Iterable[Shape]:
    edges = np.linspace(-4, 4, 17)
    bars = Bars("reference", "Reference", edges, 60 - (edges[:-1] + 0.25) ** 2 * 3)
    rules = Rules("strong", "Thresholds", np.array([-3.2, 3.1]), ("low", "high"))
    layers = (Band("Never", 2.8, 3.6), bars, rules, Line("error", "Trend", edges, edges**2 * 3, named=True))
    points = Points("candidate", "Values", edges, 20 + edges)
    return FigurePlot(
        Figure("", Axis("Value", -4, 4), Axis("Count", 0, 66), (*layers, points)), LIGHT_LOOK, ALL
    ).shapes()


def profile() -> Iterable[Shape]:
    values = np.array([0.01, 0.3, np.nan, 0.2, 0.7, 0.05, 0.1, np.nan, 0.9])
    known = ~np.isnan(values)
    verdicts = np.where(np.arange(9) == 1, Verdict.ORIGIN, Verdict.CLEAN).astype(np.int8)
    made = [Measure(RELATIVE, values, known), Measure(RELATIVE, values / 2, known, measure=INTRODUCED)]
    found = Profile(
        (made[0],), made[1], np.arange(9, dtype=np.int32), verdicts, np.zeros(9, np.uint16), lambda _: ("", "")
    )
    room = ProfileRoom(50, 310, 30, 170, 0, 9, *window(*found.bounds()))
    colors = profile_colors("light", "ember")
    return (*head_shapes(head_entries(found), colors, 10, 12), *ProfilePlot(found, room, colors).shapes())


def curves_shapes() -> Iterable[Shape]:
    errors: list[float | None] = [0.01, 0.05, None, 0.02, 0.4, 0.0, math.inf, 0.1, 0.3]
    alone = curve("alone", [0.02] * 9, "impact", "marks")
    shown = ShownCurves(curves(curve("weights", errors, "recovery"), alone, kind="partial"), "relative_l2")
    entries = legend_entries(shown, curve_look("light"), 300, LETTERS)
    room = CurveRoom(50, 310, 40, 150, 0, 9)
    return (*legend_shapes(entries, curve_look("light"), 8, 0), *CurvePlot(shown, room, curve_look("light")).shapes())


def legend_of_all() -> Iterable[Shape]:
    every = (0, *State)
    signs = beside(
        len(every),
        bars={1: 0.5},
        states=dict(enumerate(every)),
        verdicts={box: TOLD[box % len(TOLD)] for box in range(3)},
        front=[2],
    )
    return legend(painted_by(np.linspace(0, 1, len(every)), signs=signs), LIGHT)


@pytest.mark.parametrize("plot", [figure, profile, curves_shapes, legend_of_all])
def test_plots_and_legends_look_alike_in_a_file_and_in_the_window(
    appearance: Appearance, plot: Callable[[], Iterable[Shape]]
) -> None:
    shapes, size = tuple(plot()), (round(ALL.width), round(ALL.height))
    ours, theirs = painted(shapes, size), written(shapes, size)
    assert (difference(ours, image(size)) > 48).mean() > 0.01, "something is painted"
    # Qt writes no crisp edges from an SVG: lines of a px may lie on two rows there.
    assert (difference(ours, theirs) > 96).mean() < 0.01
