"""Lays a tangle out by igraph, which knows no sizes: everything gets the room of the widest box."""

import igraph  # type: ignore[import-not-found]  # installed in a folder of its own
from peers.exchange import Line, Tangle, answer, asked, boxes_round, clocked, from_border_to_border


def main() -> None:
    tangle = asked()
    graph = igraph.Graph(n=len(tangle.sizes), edges=tangle.edges, directed=True)
    across, down = tangle.widest + tangle.gaps["boxes"], tangle.highest + tangle.gaps["rows"]
    layout, spent = clocked(lambda: graph.layout_sugiyama(hgap=across, vgap=down))
    boxes = boxes_round([(x, y) for x, y in layout.coords], tangle.sizes)
    answer(igraph.__version__, spent, boxes=boxes, lines=_lines(tangle, boxes, layout.edge_routing))


def _lines(tangle: Tangle, boxes: list[list[float]], routing: list[list[list[float]]]) -> list[Line]:
    lines = []
    for edge, bends in zip(tangle.edges, routing, strict=True):
        between = [(x, y) for x, y in bends]
        down = boxes[edge[0]][1] <= boxes[edge[1]][1]
        lines.append(from_border_to_border(boxes, edge, sorted(between, key=lambda point: point[1], reverse=not down)))
    return lines


if __name__ == "__main__":
    main()
