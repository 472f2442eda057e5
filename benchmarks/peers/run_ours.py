"""Lays a graph out by Errorflow: `python -m peers.run_ours question answer name flat|groups`.

The clock runs for all that turns a graph into a drawing: choosing what is drawn, sizes of boxes, layout, lines.
"""

import sys

import numpy.ma  # noqa: F401 - numpy imports it at the first np.unique; imports are not what is measured
from peers.exchange import answer, clocked
from peers.graphs import make
from peers.tangles import order

from errorflow import __version__
from errorflow.layout.engine import LayoutOptions, layout


def main() -> None:
    name, form = sys.argv[3:]
    graph = make(name)
    options = LayoutOptions(grouped=form == "groups")
    drawing, spent = clocked(lambda: layout(graph, options))
    answer(
        __version__,
        spent,
        boxes=drawing.boxes.tolist(),
        shown_by=order(drawing, graph),
        pieces=drawing.lines.tolist(),
        tensors=drawing.line_tensors.tolist(),
    )


if __name__ == "__main__":
    main()
