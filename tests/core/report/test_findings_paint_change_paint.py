"""What became better or worse, painted on a drawing."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from core.explain.findings.test_change import graph_of, run
from core.report.test_findings_paint import chain_of
from core.report.test_scale import VISION, _seen
from errorflow.case.session.model import PALETTES, Painting, Palette
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import prepare
from errorflow.report.colors import DARK, LIGHT, DrawingColors, painted_in
from errorflow.report.findings_paint import FindingsPaint
from errorflow.report.legend import entries
from errorflow.report.paint import Paint
from errorflow.report.scale import Rgb, change_scale_of, luminance
from errorflow.report.svg import Picture, svg

NOW, BEFORE = {"a": 20.0, "b": 10.0, "c": 30.0, "d": 20.5}, dict.fromkeys("abcd", 20.0)
SQNR = Painting("sqnr")


def compared(graph: Graph) -> Findings:
    return run(graph, NOW, "Run 2", run(graph, BEFORE, "Run 1"))


def drawn(graph: Graph, folded: bool = False) -> Drawing:
    prepared = prepare(graph)
    return prepared.draw(frozenset() if folded else prepared.outline.everything, "down", 1.0)


def painted(graph: Graph, painting: Painting = SQNR, folded: bool = False) -> tuple[Paint, Drawing]:
    drawing = drawn(graph, folded)
    paint = FindingsPaint(drawing, compared(graph), drawing.node_boxes).by(painting)
    assert paint is not None
    return paint, drawing


def box_of(graph: Graph, drawing: Drawing, name: str) -> int:
    node = graph.node_index(name)
    assert node is not None
    return int(drawing.node_boxes[node])


def test_fills_say_how_much_and_arrows_which_way() -> None:
    graph = graph_of("a", "b", "c", "d", "e")
    paint, drawing = painted(graph)
    boxes = [box_of(graph, drawing, f"/{name}") for name in "abcde"]
    np.testing.assert_allclose(paint.errors.badness[boxes], [0.5, 1.0, 0.0, 0.5 - 0.5 / 12, np.nan])
    assert paint.signs is not None and paint.signs.turns is not None
    assert paint.signs.turns[boxes].tolist() == [0, Turn.WORSE, Turn.BETTER, 0, 0]


def test_the_legend_names_both_runs_and_what_the_arrows_mean() -> None:
    paint, _ = painted(graph_of("a", "b", "c", "d"))
    assert paint.measure == "Run 2 against Run 1 · change of SQNR"
    assert (paint.good, paint.bad) == ("+6 dB", "−6 dB")
    told = [(entry.text, entry.query) for entry in entries(paint) if entry.sort == "turn"]
    assert told == [("worse by 1 dB or more", "change<=-1"), ("better by 1 dB or more", "change>=1")]


def test_the_pointer_is_told_both_numbers() -> None:
    graph = graph_of("a", "b", "c", "d", "e")
    paint, drawing = painted(graph)
    told = paint.note(box_of(graph, drawing, "/b"))
    assert told == "Run 2 against Run 1: worse – b\nSQNR 10.00 dB, before 20.00 dB: −10.00 dB"
    assert "about the same" in paint.note(box_of(graph, drawing, "/a"))
    assert paint.note(box_of(graph, drawing, "/e")) == "Run 2 against Run 1: not measured in both"


def test_a_closed_group_shows_what_is_most_to_be_looked_at() -> None:
    graph = chain_of("in/a", "in/c", "in/d", "e")
    paint, drawing = painted(graph, folded=True)
    fold = box_of(graph, drawing, "in/a")
    assert paint.errors.badness[fold] == 0.0, "one is better, and the others are the same"
    assert "better, 1 of 4: in/c" in paint.note(fold)
    mixed = chain_of("in/b", "in/c", "in/d", "e")
    paint, drawing = painted(mixed, folded=True)
    assert paint.errors.badness[box_of(mixed, drawing, "in/b")] == 1.0, "worse comes before better"


def test_verdicts_and_edges_of_one_run_stay_calm() -> None:
    paint, _ = painted(graph_of("a", "b", "c", "d"))
    assert paint.tints is None and not paint.bar
    assert paint.signs is not None and not paint.signs.verdicts.any() and np.isnan(paint.signs.bars).all()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_file_shows_the_same(theme: DrawingColors) -> None:
    graph = graph_of("a", "b", "c", "d")
    paint, drawing = painted(graph)
    text = "".join(svg(replace(Picture(drawing, graph, paint=paint), colors=theme)))
    scale = change_scale_of("ember", theme is DARK)
    for name, badness in (("/a", 0.5), ("/b", 1.0), ("/c", 0.0)):
        found = re.search(rf'<g id="node-{graph.node_index(name)}">.*?fill:(#\w+)', text, re.DOTALL)
        assert found is not None and found[1] == scale.hex(badness)
    assert "Run 2 against Run 1" in text and "worse by 1 dB or more" in text


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("palette", PALETTES)
def test_what_is_the_same_is_the_ground(palette: Palette, dark: bool) -> None:
    theme = DARK if dark else LIGHT
    scale = painted_in(theme, palette, diverging=True).error
    assert scale is not painted_in(theme, palette).error
    assert {scale.hex(badness) for badness in (0.42, 0.5, 0.58)} == {painted_in(theme, "ember").error.hex(0.0)}


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("palette", PALETTES)
def test_both_ways_lead_away_from_the_ground_for_all_eyes(palette: Palette, dark: bool, vision: str) -> None:
    scale, sign = change_scale_of(palette, dark), 1 if dark else -1
    for end in (0.0, 1.0):
        steps = [0.5 + (end - 0.5) * (1 / 6 + 5 / 6 * step / 10) for step in range(11)]
        seen = [_seen(scale.color(step), vision) for step in steps]
        assert all(sign * (b - a) > 0.003 for a, b in pairwise(seen))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("palette", PALETTES)
def test_better_and_worse_are_told_apart_by_all_eyes(palette: Palette, dark: bool, vision: str) -> None:
    scale = change_scale_of(palette, dark)
    for away in (0.25, 0.35, 0.5):
        better, worse = (_lab(scale.color(0.5 + sign * away), vision) for sign in (-1, 1))
        assert float(np.linalg.norm(better - worse)) > 20.0


def _lab(color: Rgb, vision: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """CIE Lab of what that kind of vision sees."""
    linear = np.clip(np.array(VISION[vision]) @ (np.array(color) / 255) ** 2.2, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    x, y, z = np.cbrt(np.maximum(xyz / (0.9505, 1.0, 1.089), 1e-6))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_luminance_is_that_of_the_ground_in_the_middle() -> None:
    assert luminance(change_scale_of("ember", dark=False).color(0.5)) > 0.8
