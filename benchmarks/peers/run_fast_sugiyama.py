"""Lays a tangle out by fast-sugiyama, which knows one distance only: that of the widest box, and rows are squeezed."""

from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from fast_sugiyama import from_edges  # type: ignore[import-not-found]  # installed in a folder of its own
from peers.exchange import Line, Point, answer, asked, boxes_round, clocked, from_border_to_border


def main() -> None:
    tangle = asked()
    joined = sorted({box for edge in tangle.edges for box in edge})
    number = {box: index for index, box in enumerate(joined)}
    edges = [(number[start], number[end]) for start, end in tangle.edges]
    across, down = tangle.widest + tangle.gaps["boxes"], tangle.highest + tangle.gaps["rows"]
    parts, spent = clocked(
        lambda: from_edges(edges, vertex_spacing=across, dummy_vertices=True).dot_layout(spacing=across)
    )
    centres: list[Point] = [(0.0, 0.0)] * len(tangle.sizes)
    bends: dict[tuple[int, int], list[Line]] = defaultdict(list)
    for positions, _, _, pieces in parts:
        places = {vertex: (x, -y * down / across) for vertex, (x, y) in positions}
        for vertex, place in places.items():
            if vertex < len(joined):
                centres[joined[vertex]] = place
        for edge, line in _bends(pieces, places, len(joined)):
            bends[joined[edge[0]], joined[edge[1]]].append(line)
    _place_lonely(centres, set(range(len(tangle.sizes))) - set(joined), (across, down))
    boxes = boxes_round(centres, tangle.sizes)
    lines = [from_border_to_border(boxes, edge, bends[edge].pop(0) if bends[edge] else []) for edge in tangle.edges]
    answer(version("fast-sugiyama"), spent, boxes=boxes, lines=lines)


def _bends(pieces: Any, places: dict[int, Point], real: int) -> Iterator[tuple[tuple[int, int], Line]]:
    """Each edge that passes invisible vertices, and where these are."""
    after = {start: end for start, end in pieces if start >= real}
    for start, end in pieces:
        if start >= real:
            continue
        line, vertex = [], end
        while vertex >= real:
            line.append(places[vertex])
            vertex = after[vertex]
        yield (start, vertex), line


def _place_lonely(centres: list[Point], lonely: set[int], step: tuple[float, float]) -> None:
    """Boxes without edges, which the engine does not take, stand in a row below."""
    below = max((y for _, y in centres), default=0.0) + step[1]
    for place, box in enumerate(sorted(lonely)):
        centres[box] = (place * step[0], below)


if __name__ == "__main__":
    main()
