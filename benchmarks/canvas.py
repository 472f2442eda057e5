"""Times the canvas on generated decoders: `python benchmarks/canvas.py [nodes …]` prints CPU milliseconds, p50/p95.

Each size runs in a process of its own, on no screen, with everything unfolded and cut into columns, in a window of
1600 × 1000. Pan, wheel and hover are events of the window with a box selected and its path lit; sharp is the picture
painted in full; recolour is a change of all fills, painted. Memory is what the process grows by above the laid-out
graph: after a large layout less, because what the layout freed is used again.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from generate import of_size
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.engine import LayoutOptions, layout
from errorflow_viewer.canvas.view import Canvas

SIZES = (300, 3_000, 10_000, 30_000, 100_000)
WIDTH, HEIGHT = 1600, 1000
REPEAT = 40


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        for name, value in measured(int(sys.argv[2])):
            print(f"{name}\t{value}")
        return
    sizes = [int(argument) for argument in sys.argv[1:]]
    columns = [_measured_apart(size) for size in sizes or SIZES]
    for row in zip(*columns, strict=True):
        print(row[0][0].ljust(20), *(value.rjust(12) for _, value in row))


def _measured_apart(size: int) -> list[tuple[str, str]]:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1"}
    script = Path(__file__).resolve()
    run = subprocess.run(
        [sys.executable, script, "--one", str(size)], env=environment, capture_output=True, text=True, check=True
    )
    rows = [line.partition("\t") for line in run.stdout.splitlines() if "\t" in line]
    return [(name, value) for name, _, value in rows]


def measured(size: int) -> list[tuple[str, str]]:
    """Name and value of each row for one size."""
    application = QApplication([])
    graph = of_size(size).graph()
    drawing = layout(graph, LayoutOptions(view="columns", aspect=WIDTH / HEIGHT))
    canvas = Canvas()
    canvas.set_reduced_motion(True)
    canvas.resize(WIDTH, HEIGHT)
    canvas.show()
    application.processEvents()
    return [
        ("nodes", str(len(graph))),
        ("boxes", str(len(drawing))),
        ("lines", str(len(drawing.lines))),
        ("groups", str(len(drawing.group_boxes))),
        *Bench(canvas, drawing, graph).rows(),
    ]


@dataclass(frozen=True)
class Bench:
    """One canvas under the stop-watch."""

    canvas: Canvas
    drawing: Drawing
    graph: Graph

    def rows(self) -> list[tuple[str, str]]:
        canvas = self.canvas
        before = _memory()
        rows = [("first picture", _spread([_cpu(self._show)])), ("memory, MB", f"{(_memory() - before) / 1e6:.0f}")]
        rows.append(("sharp at fit", self._times(lambda _: self._paint_anew())))
        rows.append(("recolour at fit", self._times(self._recolour)))
        canvas.set_node_fill(None, ())
        box = len(self.drawing) // 2
        rows.append(("select, path found", _spread([_cpu(lambda: self._select(box))])))
        rows.append(("hover at fit", self._times(lambda i: self._hover(i * 37))))
        canvas.zoom_by(1.5)
        canvas.settle()
        canvas.repaint()
        rows.append(("pan near fit", self._times(self._pan)))
        canvas.fit()
        rows.append(("wheel", self._times(self._wheel)))
        canvas.centre_on(box, 1.0)
        canvas.settle()
        canvas.repaint()
        rows.append(("pan at 1:1", self._times(self._pan)))
        rows.append(("sharp at 1:1", self._times(lambda _: self._paint_anew())))
        rows.append(("hit test", self._times(lambda i: canvas.box_at(_spot(i)))))
        rows.append(("memory at last, MB", f"{(_memory() - before) / 1e6:.0f}"))
        return rows

    def _times(self, work: Callable[[int], object]) -> str:
        return _spread([_cpu(lambda i=i: work(i)) for i in range(REPEAT)])  # type: ignore[misc]  # mypy cannot type it

    def _show(self) -> None:
        self.canvas.show_drawing(self.drawing, self.graph)
        self.canvas.repaint()

    def _paint_anew(self) -> None:
        self.canvas.picture()

    def _recolour(self, turn: int) -> None:
        bins = ((np.arange(len(self.drawing)) // 7 + turn) % 32).astype(np.uint8)
        self.canvas.set_node_fill(bins, [QColor.fromHsv(i * 8, 200, 220) for i in range(32)])
        self.canvas.repaint()

    def _select(self, box: int) -> None:
        self.canvas.select(box)
        QTest.qWait(1)
        self.canvas.repaint()

    def _hover(self, box: int) -> None:
        self.canvas.hover(box % len(self.drawing))
        self.canvas.repaint()

    def _pan(self, turn: int) -> None:
        self.canvas.pan(*((9, 5) if turn % 20 < 10 else (-9, -5)))
        self.canvas.repaint()

    def _wheel(self, turn: int) -> None:
        self.canvas.zoom_at(1.2 if turn % 20 < 10 else 1 / 1.2, QPointF(700, 400))
        self.canvas.repaint()


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def _spread(times: list[float]) -> str:
    middle, high = np.percentile(times, [50, 95])
    return f"{middle:.2f}" if len(times) == 1 else f"{middle:.2f}/{high:.2f}"


def _spot(turn: int) -> QPointF:
    return QPointF(turn * 977 % WIDTH, turn * 613 % HEIGHT)


def _memory() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
