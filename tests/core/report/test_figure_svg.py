"""A plot as a file shows all that it has to say."""

from xml.etree import ElementTree

from errorflow.explain.inspect.figure import Axis, Figure
from errorflow.report.figure_svg import figure_svg

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
