"""Times the canvas on generated decoders: `python benchmarks/canvas.py [nodes …]` prints CPU milliseconds, p50/p95.

Each size runs in a process of its own, on no screen, with everything unfolded and cut into columns, in a window of
1600 × 1000. Pan, wheel and hover are events of the window with a box selected and its path lit; sharp is the picture
painted in full; recolour is the way from the rows of a comparison by another metric to all fills, and folded to the
bars as well, painted. Memory is what the process grows by above the laid-out
graph: after a large layout less, because what the layout freed is used again.

The rows of the window drive the whole app, opened on the overview: open and close a group (from the command to the
picture, and each frame of the transition), go to a node that is hidden, all groups opened in the background and the
longest time that the window was not free meanwhile, a key in the search field until the list and the marks are there.
Three rows are of the clock: "arrive" is a journey with motion to a node in a closed group until it is sharp there,
"open all" and "export SVG" are seconds, and in brackets the longest time that the window did not answer meanwhile.
"""

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from by_size import print_table
from generate import of_size
from PySide6.QtCore import QPointF, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from errorflow.case.session.model import Painting
from errorflow.compare import Comparison, Row
from errorflow.compare.metrics import METRICS
from errorflow.explain.blame.model import Blame, ModelVerdict, Verdict
from errorflow.explain.findings.model import Findings
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph, Model
from errorflow.layout.drawing import Drawing
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.report.box_signs import TOLD
from errorflow.report.findings_paint import FindingsPaint, ready
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.kit.drawings import Unfolded
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow

SIZES = (300, 3_000, 10_000, 30_000, 100_000)
WIDTH, HEIGHT = 1600, 1000
REPEAT = 40
JOURNEYS = 12
# What someone types, key by key and otherwise.
QUERIES = ("m", "ml", "mlp", "mlp/", "layers.1", "type:Mat", "type:MatMul", "name:layers.1 type:Mul", "tensor:mask")


def main() -> None:
    print_table(__file__, SIZES, measured, 20, 12)


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
        *WindowBench.of(graph).rows(),
    ]


def made_up(graph: Graph) -> Comparison:
    """Every tensor measured: most are good, some are bad."""
    chance = np.random.default_rng(0)
    values = [chance.lognormal(-4.0, 2.0, len(graph.tensor_names)).tolist() for _ in METRICS]
    info = TensorInfo("", "float32", (1,), 4)
    keys = [metric.key for metric in METRICS]
    rows = zip(graph.tensor_names, *values, strict=True)
    return Comparison(tuple(Row(name, info, info, dict(zip(keys, row, strict=True))) for name, *row in rows))


def found(graph: Graph) -> Findings:
    """With a verdict on every node, and a front through a part of it; what each metric says is read beforehand."""
    chance, size = np.random.default_rng(1), len(graph)
    introduced, front = chance.lognormal(-4.0, 2.0, size), np.zeros(size, np.bool_)
    front[size // 3 : size // 2] = True
    verdicts = chance.choice([Verdict.CLEAN, *[Verdict.CARRIER] * 4, *TOLD], size).astype(np.int8)
    half, exact = np.full(size, 0.5), np.zeros(size, np.bool_)
    columns = (verdicts, introduced, introduced, introduced, half, half, exact)
    blame = Blame(graph, *columns, {}, ModelVerdict("nothing", ""), front)
    findings = Findings.of(graph, made_up(graph), blame)
    ready(findings)
    return findings


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
        findings = found(self.graph)
        paint = FindingsPaint(self.drawing, findings, self.drawing.node_boxes)
        rows.append(("recolour at fit", self._times(lambda turn: self._recolour(paint, turn))))
        rows.append(("limits at fit", self._times(lambda turn: self._move_limits(paint, turn))))
        canvas.set_error(None)
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

    def _recolour(self, paint: FindingsPaint, turn: int) -> None:
        """All the way from the numbers of another metric to the picture, with verdicts, states, edges and the front."""
        self.canvas.set_error(paint.by(Painting(METRICS[turn % len(METRICS)].key)))
        self.canvas.repaint()

    def _move_limits(self, paint: FindingsPaint, turn: int) -> None:
        """As a hand does that moves a limit."""
        self.canvas.set_error(paint.by(Painting(limits={"relative_l2": (0.01 + turn / 1000, 0.5)})))
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


@dataclass(frozen=True)
class WindowBench:
    """The whole window under the stop-watch."""

    window: MainWindow
    graph: Graph

    @classmethod
    def of(cls, graph: Graph) -> "WindowBench":
        folder = Path(tempfile.mkdtemp())
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
        settings.switch("still", True)
        application = QApplication.instance()
        assert isinstance(application, QApplication), "made at the start"
        window = MainWindow(settings, Appearance(application, "light"), folder / "errorflow.log")
        window.setWindowState(Qt.WindowState.WindowNoState)
        window.show()
        window.resize(WIDTH, HEIGHT)
        window.document.open(Model(folder / "generated.onnx", "ONNX model", graph))
        bench = cls(window, graph)
        bench.settle()
        window.view.set_reduced_motion(True)
        return bench

    def rows(self) -> list[tuple[str, str]]:
        folds = [int(box) for box in np.flatnonzero(self._shown().drawing.folds >= 0)]
        groups = [int(self._shown().drawing.folds[box]) for box in folds]
        turns = [groups[turn * 7 % len(groups)] for turn in range(REPEAT)] if groups else []
        self.window.view.centre_on(folds[0] if folds else 0, 1.0)
        times = [(_cpu(lambda g=g: self._open(g)), _cpu(lambda g=g: self._close(g))) for g in turns]  # type: ignore[misc]  # mypy cannot type it
        opened, closed = zip(*times, strict=True) if times else ([0.0], [0.0])
        rows = [("open a group", _spread(list(opened))), ("close a group", _spread(list(closed)))]
        rows.append(("transition frame", self._transition(groups[0]) if groups else "-"))
        rows.append(("go to a node", _spread([_cpu(lambda i=i: self._go(i)) for i in range(REPEAT)])))  # type: ignore[misc]  # mypy cannot type it
        rows.append(("recolour, folded", self._recolour()))
        rows_of(self.graph).prepare()
        rows.append(("search: list", _spread([_cpu(lambda t=t: self._list(t)) for t in QUERIES])))  # type: ignore[misc]  # mypy cannot type it
        rows.append(("search: marks", _spread([_cpu(lambda t=t: self._mark(t)) for t in QUERIES])))  # type: ignore[misc]  # mypy cannot type it
        self.window.document.search_for("")
        rows.append(("arrive, ms", self._arrivals()))
        rows.append(("open all, s", self._open_all()))
        rows.append(("export SVG, s", self._export()))
        self.window.close()
        return rows

    def settle(self) -> None:
        """Until nothing runs any more."""
        while self.window.jobs.steps:
            QTest.qWait(1)
        QTest.qWait(100)

    def _shown(self) -> Unfolded:
        shown = self.window._graph_view.shown
        assert shown is not None, "opened above"
        return shown

    def _open(self, group: int) -> None:
        self.window.folds.open_group(group)
        self.window.view.repaint()

    def _close(self, group: int) -> None:
        self.window.folds.close_group(group)
        self.window.view.repaint()

    def _transition(self, group: int) -> str:
        """Each frame painted while boxes move."""
        self.window.view.set_reduced_motion(False)
        self._open(group)
        times = [_cpu(self.window.view.repaint) for _ in range(REPEAT)] if self.window.view.moving else [0.0]
        self.window.view.set_reduced_motion(True)
        self._close(group)
        return _spread(times)

    def _recolour(self) -> str:
        """As in `Bench`, with as many bars as there are folds."""
        shown, canvas = self._shown(), self.window.view
        paint = FindingsPaint(shown.drawing, found(self.graph), shown.boxes_of_nodes())
        canvas.fit()
        canvas.settle()

        def recolour(turn: int) -> None:
            canvas.set_error(paint.by(Painting(METRICS[turn % len(METRICS)].key)))
            canvas.repaint()

        times = [_cpu(lambda i=i: recolour(i)) for i in range(REPEAT)]  # type: ignore[misc]  # mypy cannot type it
        canvas.set_error(None)
        return _spread(times)

    def _go(self, turn: int) -> None:
        self.window.document.show((turn * 7919 + 13) % len(self.graph))
        self.window.view.settle()
        self.window.view.repaint()

    def _arrivals(self) -> str:
        """From asking for a hidden node until its picture is sharp in its place, with motion, on the clock."""
        self.window.view.set_reduced_motion(False)
        times = []
        for turn in range(JOURNEYS):
            self.window.folds.close_all()
            self.settle()
            start = time.perf_counter()
            self.window.document.show((turn * 7919 + 13) % len(self.graph))
            while self.window.jobs.steps or self.window.view._viewpoint.flying or self.window.view.moving:
                QApplication.processEvents()
            self.window.view.repaint()
            times.append((time.perf_counter() - start) * 1000)
        self.window.view.set_reduced_motion(True)
        return _spread(times)

    def _list(self, text: str) -> None:
        self.window.document.search_for(text)

    def _mark(self, text: str) -> None:
        self.window.document.search_for(text)
        self.window._graph_view._mark_found()
        self.window.view.repaint()

    def _open_all(self) -> str:
        """Seconds until the picture is there, and the longest time without an event handled, in ms."""
        self.window.view.fit()
        return self._watched(self.window.folds.open_all)

    def _export(self) -> str:
        """The same for the first file of a session with all that is open now."""
        path = Path(tempfile.mkdtemp()) / "graph.svg"
        told = self._watched(lambda: self.window.exports._save_graph("svg", path, 1))
        assert path.stat().st_size, "written"
        return told

    def _watched(self, begin: Callable[[], object]) -> str:
        start = last = time.perf_counter()
        worst = 0.0
        begin()
        while self.window.jobs.steps:
            QApplication.processEvents()
            worst, last = max(worst, time.perf_counter() - last), time.perf_counter()
        self.window.view.repaint()
        worst = max(worst, time.perf_counter() - last)
        return f"{time.perf_counter() - start:.2f} ({worst * 1000:.0f} ms)"


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
