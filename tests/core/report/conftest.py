"""Drawings to make pictures of, and a reader of SVG that is not ours."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable

import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.engine import layout
from errorflow.report.svg import Picture

SVG = "{http://www.w3.org/2000/svg}"
# What no file should be trusted with.
ODD_NAMES = ('<&">', "]]>", "tab\tand\nline", "\x00\x07\x1b", "\ud800", "名前/畳み込み", "x" * 5000, "", "‮rtl", "&amp;")


def chain(names: Iterable[str]) -> Graph:
    """x → Relu → Relu … with nodes and tensors of these names."""
    builder = GraphBuilder("chain")
    builder.tensor("x", dtype="float32", shape=(1, 3))
    builder.input("x")
    last = "x"
    for number, name in enumerate(names):
        made = f"{name}:{number}"
        builder.node("Relu", [last], [made], name=f"{name}#{number}")
        last = made
    builder.output(last)
    return builder.build()


def branches() -> Graph:
    """Two groups, a skip over one of them, and a control edge."""
    builder = GraphBuilder("branches")
    builder.input("x")
    builder.node("Conv", ["x"], ["a"], name="stem/conv")
    builder.node("Relu", ["a"], ["b"], name="stem/relu")
    builder.node("Conv", ["b"], ["c"], name="body/conv")
    builder.node("Relu", ["c"], ["d"], name="body/relu")
    builder.node("Add", ["b", "d"], ["y"], name="add", waits_for=["stem/conv"])
    builder.output("y")
    return builder.build()


@pytest.fixture
def picture_of() -> Callable[[Graph], Picture]:
    def make(graph: Graph) -> Picture:
        return Picture(layout(graph), graph, "net")

    return make


def parsed(pieces: Iterable[str]) -> ET.Element:
    return ET.fromstring("".join(pieces).encode())  # our own output


def by_class(root: ET.Element, tag: str, name: str) -> list[ET.Element]:
    return [element for element in root.iter(f"{SVG}{tag}") if name in element.get("class", "").split()]


def box_elements(root: ET.Element) -> list[ET.Element]:
    """A group of elements for each box."""
    return [group for group in root.iter(f"{SVG}g") if group.get("id") is not None]
