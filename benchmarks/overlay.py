"""Times what lies over the graph, at 10 000 and 100 000 nodes: `python benchmarks/overlay.py [nodes …]`.

CPU milliseconds, p50/p95, on no screen, a process for each size. Every row is the way from a decision of the user to
the painted or listed result: another metric or limits on the canvas with everything unfolded, the node list sorted and
filtered, the profile painted anew, zoomed, and with the pointer moved, the matches sorted and filtered. In brackets
how many times longer the straightforward way takes for the same: rows as items of a `QStandardItemModel` behind a
`QSortFilterProxyModel`, and for the profile every node drawn. The inspector's first picture is that of a tensor of
100 MB on each side, from reading it to the histogram. Memory is what the process grows by.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from by_size import Row, print_table
from canvas import HEIGHT, REPEAT, WIDTH, _cpu, _memory, _spread, found
from generate import of_size
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSortFilterProxyModel, Qt
from PySide6.QtGui import QImage, QPainter, QPen, QPolygonF, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication

from errorflow.case.session.model import Painting
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Comparison
from errorflow.compare.pairs import match_by_name
from errorflow.explain.findings.change import change_scale
from errorflow.explain.findings.columns import Sheet
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.profile import RELATIVE, Profile
from errorflow.explain.inspect.figures import values_figure
from errorflow.explain.inspect.overview import first_look, overview
from errorflow.explain.inspect.tensors import read_pair
from errorflow.formats import read_tensors
from errorflow.graph.dump import TensorInfo
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.report.findings_paint import FindingsPaint
from errorflow.report.profile_shapes import profile_colors
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.panels.lines.table import LineTable
from errorflow_viewer.panels.matches.rows import CHOICES, COLUMNS, ERROR, MatchLine, MatchRows
from errorflow_viewer.panels.node_table import KEYS, SHARE, NodeTable
from errorflow_viewer.panels.profile.plot import ProfileView
from errorflow_viewer.plots.span import Span

SIZES = (10_000, 100_000)
TURNS = 12
# So many bytes has each side of the tensor that the inspector looks at.
TENSOR = 100_000_000
QUERIES = ("conv", "type:Mul", "depth:100..900", "verdict:origin", "cos<0.9", "cos<0.9 verdict:origin layers.1")
PLOT = (1600, 220)


def main() -> None:
    print_table(__file__, SIZES, measured, 28, 22)


def measured(size: int) -> list[Row]:
    """Name and value of each row for one size."""
    application = QApplication([])
    assert isinstance(application, QApplication)
    look = Appearance(application, "light")
    assert look.theme is LIGHT
    graph = of_size(size).graph()
    before = _memory()
    findings = found(graph)
    grown = _memory() - before
    return [
        ("nodes", f"{len(graph):,}"),
        ("findings, MB", f"{grown / 1e6:.0f}"),
        *_canvas(findings),
        *_nodes(findings),
        *_profile(findings),
        *_matches(findings.comparison),
        *_inspector(),
    ]


def _times(work: Callable[[int], object], turns: int = REPEAT) -> list[float]:
    return [_cpu(lambda turn=turn: work(turn)) for turn in range(turns)]  # type: ignore[misc]  # mypy cannot type it


def _beside(ours: list[float], plain: list[float]) -> str:
    """The spread, and how many times longer the plain way takes."""
    return f"{_spread(ours)} ({np.median(plain) / max(float(np.median(ours)), 1e-3):.0f}×)"


def _canvas(findings: Findings) -> list[Row]:
    graph = findings.graph
    drawing = layout(graph, LayoutOptions(view="columns", aspect=WIDTH / HEIGHT))
    canvas = Canvas()
    canvas.resize(WIDTH, HEIGHT)
    canvas.show()
    QApplication.processEvents()
    canvas.show_drawing(drawing, graph)
    paint = FindingsPaint(drawing, findings, drawing.node_boxes)

    def painted(painting: Painting) -> None:
        canvas.set_error(paint.by(painting))
        canvas.repaint()

    painted(Painting())
    metric = _times(lambda turn: painted(Painting(METRICS[turn % len(METRICS)].key)))
    limits = _times(lambda turn: painted(Painting(limits={RELATIVE.key: (0.01 + turn / 1000, 0.5)})))
    beside = findings.beside("Run 2", worsened(findings))
    paint = FindingsPaint(drawing, beside, drawing.node_boxes)
    canvas.set_colors(colors_of(LIGHT, diverging=True))
    painted(Painting())
    change = _times(lambda turn: painted(Painting(METRICS[turn % len(METRICS)].key)))
    change_key = change_scale(RELATIVE).key
    drag = _times(lambda turn: painted(Painting(limits={change_key: (-3 - turn / 10, 3 + turn / 10)})))
    canvas.close()
    return [
        ("another metric", _spread(metric)),
        ("limits dragged", _spread(limits)),
        ("another metric's change", _spread(change)),
        ("its limits dragged", _spread(drag)),
    ]


def worsened(findings: Findings) -> Findings:
    """Another run: every third tensor is worse there, every fifth better."""
    rows = tuple(
        replace(
            row,
            values={
                key: value * (1.5 if at % 3 == 0 else 0.5 if at % 5 == 0 else 1.0) for key, value in row.values.items()
            },
        )
        for at, row in enumerate(findings.comparison.rows)
    )
    return Findings.of(findings.graph, Comparison(rows)).beside("Run 1", None)


def _nodes(findings: Findings) -> list[Row]:
    sheet, rows = Sheet(findings, RELATIVE.key, {}), rows_of(findings.graph)
    rows.prepare()
    table = NodeTable()
    table.show_rows(rows, "", sheet)
    order = (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder)
    texts = [[table.text(node, column) for column in range(4)] for node in range(len(findings.graph))]
    proxy, plain_memory = _items(texts)
    by_share = _times(lambda turn: table.sort(SHARE, order[turn % 2]))
    by_key = (KEYS.index("accumulated"), KEYS.index("change"))
    sort = _times(lambda turn: table.sort(by_key[turn % 2], order[turn % 2]))
    plain_sort = _times(lambda turn: proxy.sort(turn % 2, order[turn % 2]), 2)
    for query in QUERIES:
        table.filter(query)
    each = [_cpu(lambda query=query: table.filter(query)) for query in (*QUERIES, *QUERIES[::-1])]  # type: ignore[misc]  # mypy cannot type it
    plain_filter = _times(lambda turn: proxy.setFilterFixedString(("conv", "Mul")[turn % 2]), 2)
    return [
        ("nodes: sorted", _beside(sort, plain_sort)),
        ("nodes: sorted by share", _beside(by_share, plain_sort)),
        ("nodes: filtered", _beside(each, plain_filter)),
        ("the items' rows, MB", f"{plain_memory / 1e6:.0f}"),
    ]


def _items(texts: list[list[str]]) -> tuple[QSortFilterProxyModel, int]:
    """The same rows as items, and what they take."""
    before = _memory()
    model = QStandardItemModel()
    for row in texts:
        model.appendRow([QStandardItem(text) for text in row])
    proxy = QSortFilterProxyModel()
    model.setParent(proxy)
    proxy.setSourceModel(model)
    proxy.setFilterKeyColumn(-1)
    return proxy, _memory() - before


@dataclass(frozen=True)
class _Sketch:
    """Every node drawn, point by point."""

    profile: Profile

    def paint(self) -> None:
        image = QImage(*PLOT, QImage.Format.Format_ARGB32_Premultiplied)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(Qt.GlobalColor.darkGray, 1.25))
        step, points = PLOT[0] / len(self.profile), []
        for place, height in enumerate(self.profile.curves[0].heights):
            points.append(QPointF(place * step, PLOT[1] * (1 - height / 4)))
        painter.drawPolyline(QPolygonF(points))
        introduced = self.profile.introduced
        for place, height in enumerate([] if introduced is None else introduced.heights):
            painter.drawLine(QPointF(place * step, PLOT[1]), QPointF(place * step, PLOT[1] * (1 - height / 4)))
        painter.end()


def _profile(findings: Findings) -> list[Row]:
    def made(turn: int) -> Profile:
        profile = Profile.of(
            [("", findings)], METRICS[turn % len(METRICS)].key, {RELATIVE.key: (0.01, 0.5 + turn / 100)}
        )
        assert profile is not None, "measured"
        return profile

    plot = ProfileView(profile_colors("light", "ember"))
    plot.resize(*PLOT)
    plot.show()
    QApplication.processEvents()
    profile = made(1)
    plot.show_profile(profile)
    count = len(profile)

    def anew(_: int) -> None:
        plot.refresh()
        plot.repaint()

    def zoomed(turn: int) -> None:
        plot.look_at(Span(turn, count - 1 - turn))
        plot.repaint()

    def pointed(turn: int) -> None:
        plot.point_at(turn * 977 % count)
        plot.repaint()

    def switched(turn: int) -> None:
        plot.show_profile(made(turn))
        plot.repaint()

    rows = [
        ("profile: painted", _beside(_times(anew), _times(lambda _: _Sketch(profile).paint(), 2))),
        ("profile: zoomed", _spread(_times(zoomed))),
        ("profile: pointer moved", _spread(_times(pointed))),
        ("profile: another metric", _spread(_times(switched))),
    ]
    plot.close()
    return rows


@dataclass(frozen=True, slots=True)
class _Named:
    """A tensor that nobody reads."""

    name: str

    @property
    def info(self) -> TensorInfo:
        return TensorInfo(self.name, "float32", (1,), 4)

    @property
    def path(self) -> str:
        return ""

    def read(self) -> NDArray[np.generic]:
        return np.zeros(1, np.float32)


def _matches(comparison: Comparison) -> list[Row]:
    pairs = tuple(
        Pair(row.tensor, _Named(row.tensor), _Named(row.tensor) if at % 10 else None, "tensor-name" if at % 10 else "")
        for at, row in enumerate(comparison.rows)
    )
    rows: list[MatchRows] = []
    listed = _times(lambda _: rows.append(MatchRows.of(Match(pairs)).prepare()), 3)
    table: LineTable[MatchRows, MatchLine] = LineTable(COLUMNS)
    table.show_rows(rows[-1])
    texts = [
        [rows[-1].cell(row, column) for column in range(len(COLUMNS.titles)) if column != ERROR]
        for row in range(len(pairs))
    ]
    proxy, _ = _items(texts)
    order = (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder)
    first = _times(lambda _: table.sort(0), 1)
    sort = _times(lambda turn: table.sort(0, order[turn % 2]))
    plain_sort = _times(lambda turn: proxy.sort(0, order[turn % 2]), 2)
    words = ("layers.1", "mlp", "same", "nowhere")
    filtered = _times(lambda turn: table.filter(words[turn % 4], CHOICES[turn % 3]))
    plain_filter = _times(lambda turn: proxy.setFilterFixedString(words[turn % 2]), 2)
    return [
        ("matches: listed, by a job", _spread(listed)),
        ("matches: sorted, first time", _spread(first)),
        ("matches: sorted", _beside(sort, plain_sort)),
        ("matches: filtered", _beside(filtered, plain_filter)),
    ]


def _inspector() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        chance = np.random.default_rng(0)
        golden = chance.standard_normal(TENSOR // 4, np.float32).reshape(1, 100, -1)
        np.savez(Path(folder) / "golden.npz", t=golden)
        np.savez(
            Path(folder) / "mine.npz", t=golden + np.float32(0.01) * chance.standard_normal(golden.shape, np.float32)
        )
        golden_run, mine = (read_tensors(Path(folder) / name) for name in ("golden.npz", "mine.npz"))
        pair = match_by_name(golden_run, mine).pairs[0]
        before = _memory()
        first = _times(lambda _: values_figure(first_look(read_pair(pair)), False), 5)
        every = _times(lambda _: values_figure(overview(read_pair(pair)), False), 3)
        return [
            ("inspector: first picture", _spread(first)),
            ("inspector: all values", _spread(every)),
            ("its memory, MB", f"{(_memory() - before) / 1e6:.0f}"),
        ]


if __name__ == "__main__":
    main()
