"""Where lines go on elsewhere."""

import xml.etree.ElementTree as ET

import pytest
from generate import chain, fan

from core.report.conftest import SVG, by_class, parsed
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.layout.prepare import View
from errorflow.report.svg import Picture, svg


def _words(elements: list[ET.Element]) -> list[str]:
    """The second line of each one's title."""
    return [str(element.findtext(f"{SVG}title")).splitlines()[1] for element in elements]


@pytest.mark.parametrize(("view", "word"), [("columns", "column"), ("rows", "row")])
def test_both_ends_of_a_cut_line_say_where_it_goes_on(view: View, word: str) -> None:
    graph = chain(60).graph()
    drawing = layout(graph, LayoutOptions(view=view))
    cuts = by_class(parsed(svg(Picture(drawing, graph))), "path", "cut")

    assert len(cuts) == len(drawing.marks) > 0
    words = sorted(_words(cuts))
    half = len(words) // 2
    assert words == [f"comes from the {word} before"] * half + [f"goes on in the next {word}"] * half


def test_short_pieces_say_who_is_at_the_other_end() -> None:
    graph = fan(400).graph()
    drawing = layout(graph)
    root = parsed(svg(Picture(drawing, graph)))

    stubs = by_class(root, "circle", "stub")
    assert len(stubs) == len(drawing.stubs) > 0
    assert "read by 400 nodes" in _words(stubs)
