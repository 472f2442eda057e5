"""Lays a tangle out by dot, called as a library: what is measured is neither reading nor writing of its language."""

import ctypes
import json
import sys
import tempfile
from ctypes.util import find_library
from itertools import pairwise
from pathlib import Path
from typing import Any

from peers.exchange import Line, Tangle, answer, asked, clocked

POINTS = 72.0  # to an inch, in which dot wants sizes


def libraries() -> tuple[str, str] | None:
    """Graphviz's two libraries, if it is installed."""
    layout, graphs = find_library("gvc"), find_library("cgraph")
    return (layout, graphs) if layout and graphs else None


def main() -> None:
    found = libraries()
    if found is None:
        sys.exit("Error: Graphviz is not installed")
    layout, graphs = (ctypes.CDLL(name) for name in found)
    layout.gvContext.restype = graphs.agmemread.restype = ctypes.c_void_p
    layout.gvcVersion.restype = ctypes.c_char_p
    tangle = asked()
    context = ctypes.c_void_p(layout.gvContext())
    graph = ctypes.c_void_p(graphs.agmemread(_text(tangle).encode()))
    failed, spent = clocked(lambda: layout.gvLayout(context, graph, b"dot"))
    if failed:
        sys.exit("Error: dot could not lay the graph out")
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        layout.gvRenderFilename(context, graph, b"json", file.name.encode())
        drawn = json.loads(Path(file.name).read_text())
    boxes, lines = _boxes(drawn), _lines(drawn, len(tangle.edges))
    answer(layout.gvcVersion(context).decode(), spent, boxes=boxes, lines=lines, curved=True)


def _text(tangle: Tangle) -> str:
    gaps = f"nodesep={tangle.gaps['boxes'] / POINTS};ranksep={tangle.gaps['rows'] / POINTS}"
    nodes = [
        f"{box}[width={width / POINTS:.6f},height={height / POINTS:.6f}]"
        for box, (width, height) in enumerate(tangle.sizes)
    ]
    edges = [f"{start}->{end}[id={number}]" for number, (start, end) in enumerate(tangle.edges)]
    look = 'node[shape=box,fixedsize=true,label=""];edge[arrowhead=none]'
    return f"digraph{{{gaps};{look};{';'.join(nodes + edges)}}}"


def _shapes(item: dict[str, Any], kinds: str) -> list[Line]:
    """What dot would paint for a node or an edge, turned so that y grows downwards."""
    return [[(x, -y) for x, y in step["points"]] for step in item["_draw_"] if step["op"] in kinds]


def _boxes(drawn: dict[str, Any]) -> list[list[float]]:
    boxes = []
    for node in sorted(drawn["objects"], key=lambda node: int(node["name"])):
        corners = _shapes(node, "pP")[0]
        (left, right), (top, bottom) = ((min(values), max(values)) for values in zip(*corners, strict=True))
        boxes.append([left, top, right - left, bottom - top])
    return boxes


def _lines(drawn: dict[str, Any], count: int) -> list[Line]:
    lines: list[Line] = [[] for _ in range(count)]
    for edge in drawn.get("edges", []):
        curves = _shapes(edge, "bB")
        line = curves[0]
        for before, curve in pairwise(curves):
            gap = (before[-1], curve[0])
            line = [*line, gap[0], gap[1], *curve]
        lines[int(edge["id"])] = line
    return lines


if __name__ == "__main__":
    main()
