"""Shapes as SVG."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from errorflow.draw.shapes import Dots, Gradient, Group, Lines, Path, Pen, Rect, Rects, Shape, Text, checks, rows
from errorflow.draw.svg import definitions, elements, number, page

SVG = "{http://www.w3.org/2000/svg}"
ODD = ('<&">', "\x00\x07", "\ud800", "名前", "]]>", "tab\tand\nline")


def read(*shapes: Shape) -> ET.Element:
    return ET.fromstring(page(shapes, (40, 30), "#FFFFFF", "a <title>").encode())  # our own output


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.001, "0"), (12.0, "12"), (12.5, "12.5"), (12.345, "12.35"), (-3.1, "-3.1"), (1e6, "1000000")],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("text", ODD)
def test_any_text_makes_a_file_that_can_be_read(text: str) -> None:
    root = read(Group((Text(1, 2, text, "#000000"),), note=text))
    assert [element.tag for element in root.iter() if element.text and element.text.strip()][-1] == f"{SVG}text"


def test_a_page_says_its_title_and_has_a_ground() -> None:
    root = read()
    assert (root.findtext(f"{SVG}title"), root.get("viewBox")) == ("a <title>", "0 0 40 30")
    assert root.find(f"{SVG}rect[@fill='#FFFFFF']") is not None


def test_each_shape_has_an_element_of_its_kind() -> None:
    two = np.array([[1.0, 2.0], [3.0, 4.0]])
    pen = Pen("#112233", 2.0, (3.0, 1.5), 0.5)
    shapes: dict[str, Shape] = {
        "rect": Rect(1, 2, 3, 4, "#445566", radius=1, kind="rect"),
        "rects": Rects(rows(two[:, 0], two[:, 1], 1, 1), "#445566", kind="rects"),
        "lines": Lines(rows(two[:, 0], 0, two[:, 1], 1), pen, kind="lines"),
        "path": Path([two, two + 1], pen=pen, closed=False, kind="path"),
        "dots": Dots(two, 2, "#445566", kind="dots"),
        "text": Text(1, 2, "word", "#445566", kind="text"),
        "group": Group((), kind="group"),
    }
    root = read(*shapes.values())
    assert [element.get("class") for element in root.iter() if element.get("class")] == list(shapes)
    [line] = root.findall(f"{SVG}path[@class='lines']")
    assert line.get("d") == "M1 0L2 1M3 0L4 1"
    assert (line.get("stroke-dasharray"), line.get("stroke-opacity"), line.get("stroke-width")) == ("3 1.5", "0.5", "2")


def test_what_has_no_shape_writes_nothing() -> None:
    empty = np.zeros((0, 2))
    assert "".join(elements([Dots(empty, 2, "#445566"), Path([], "#445566"), Text(1, 2, "", "#445566")])) == ""


def test_patterns_and_gradients_are_defined_once() -> None:
    check, scale = checks("check", 2), Gradient("scale", (0, 0), (9, 0), ((0.0, "#000000"), (1.0, "#FFFFFF")))
    shapes: list[Shape] = [Rect(0, 0, 1, 1, check), Group((Rect(0, 0, 1, 1, scale, Pen(check)),))]
    text = definitions(shapes)
    assert (text.count('id="check"'), text.count('id="scale"')) == (1, 1)
    written = "".join(elements(shapes))
    assert (written.count("url(#check)"), written.count("url(#scale)")) == (2, 1)
