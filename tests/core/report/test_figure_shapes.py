"""A plot as a file shows all that it has to say."""

import re
from xml.etree import ElementTree

import numpy as np

from errorflow.draw.svg import elements
from errorflow.explain.inspect.figure import Axis, Band, Figure, Line, Rules
from errorflow.report.figure_shapes import LIGHT_LOOK, Area, colors_in_the_dark, figure_svg, mark_shapes

SVG = "{http://www.w3.org/2000/svg}"

LONG = "6 scales along axis 1 from 0.03 to 0.82, 8 bits (written down by the run): each channel lies on its own steps"


def test_a_long_note_goes_on_in_the_next_line_and_the_picture_grows() -> None:
    axis = Axis("x", 0, 1)
    root = ElementTree.fromstring(figure_svg(Figure("Title", axis, axis, (), (LONG, "short")), 460, 290))
    lines = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]
    at = next(place for place, line in enumerate(lines) if line.startswith("6 scales"))
    assert " ".join(lines[at:-1]) == LONG and lines[-1] == "short"
    assert float(root.attrib["height"]) == 290 + 16 * (len(lines[at:-1]) - 1)
    assert all(
        float(each.attrib["y"]) < float(root.attrib["height"]) for each in root.iter("{http://www.w3.org/2000/svg}text")
    )


def test_steps_thresholds_and_lines_have_marks_of_their_own() -> None:
    x = np.zeros(1)
    layers = (Rules("strong", "Steps", x, ticks=True), Rules("strong", "Thresholds", x), Line("strong", "Line", x, x))
    marks = ["".join(elements(mark_shapes(layer, Area(2, 2, 10, 10), LIGHT_LOOK))) for layer in layers]
    assert len(set(marks)) == len(layers)


def test_a_file_names_thresholds_and_hatches_what_nothing_stands_for_as_the_window_does() -> None:
    rules = Rules("strong", "Thresholds", np.array([0.2, 0.7]), ("low", "high"))
    text = figure_svg(Figure("Title", Axis("x", 0, 1), Axis("y", 0, 1), (Band("Never", 0.8, 0.9), rules)))
    assert all(f">{name}</text>" in text for name in ("low", "high", "Thresholds", "Never"))
    assert 'fill="url(#hatch)"' in text and '<pattern id="hatch"' in text


def test_what_lies_outside_stays_in_a_file() -> None:
    far = Line("error", "Far", np.array([-50.0, 60.0]), np.array([-5.0, 8.0]))
    root = ElementTree.fromstring(figure_svg(Figure("Title", Axis("x", 0, 1), Axis("y", 0, 1), (far,))))
    color = LIGHT_LOOK.roles["error"]
    [_, way] = [each for each in root.iter(f"{SVG}path") if each.get("stroke") == color]
    numbers = [float(part) for part in re.findall(r"[\d.]+", way.get("d", ""))]
    assert min(numbers) > 0 and max(numbers) < 640


def test_every_colour_has_one_for_the_dark() -> None:
    light, dark = colors_in_the_dark().keys(), set(colors_in_the_dark().values())
    assert len(light) == len(dark) == 8
