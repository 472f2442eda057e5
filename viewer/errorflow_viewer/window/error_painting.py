"""Paints the graph on view by the findings on it."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.base.arrays import Ints
from errorflow.explain.findings.change import even
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.report.box_marks import kept_of_boxes, told_of_boxes, with_kept
from errorflow.report.legend import OLDER
from errorflow.report.paint import Paint
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.simulation_work import precisions, wished
from errorflow_viewer.kit.drawings import Unfolded
from errorflow_viewer.kit.look import Theme

if TYPE_CHECKING:
    from errorflow.report.findings_paint import FindingsPaint
    from errorflow.report.ranking_paint import RankingPaint

RANKED_BEFORE = "ranked for the plan before: rank again to know it for the one on view"
# What the user's steps are called.
MOVED, RESET = "Move the limits", "Reset the limits"


class ErrorPainting(QObject):
    """Derived from the document's findings, what the user decided, and the picture: whenever one of them changes."""

    def __init__(self, document: Document, canvas: Canvas, shown: Callable[[], Unfolded | None], theme: Theme) -> None:
        super().__init__()
        self._document = document
        self._canvas = canvas
        self._shown = shown
        self._theme = theme
        self._on = True
        self._paint: Paint | None = None
        self._painter: FindingsPaint | None = None
        # What it was made of.
        self._made_of: tuple[Unfolded, Findings] | None = None
        self._ranks: RankingPaint | None = None
        canvas.limits.moved.connect(self._move)
        canvas.limits.settled.connect(document.end_merging)
        canvas.limits.reset.connect(self.reset_limits)
        canvas.legend_picked.connect(self._find)
        document.changed.connect(self._on_changed)
        self._dress()

    @property
    def paint(self) -> "Paint | None":
        """Paint of the picture; None: not by error."""
        return self._paint

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._dress()

    def set_on(self, on: bool) -> None:
        """Whether it is painted at all when it can be."""
        if on != self._on:
            self._on = on
            self.refresh()

    def refresh(self) -> None:
        """Paints the picture that is shown now."""
        paint = self._ranked()
        if paint is None:
            painter = self._find_painter()
            found = None if painter is None else painter.by(self._document.session.painting)
            paint = None if painter is None else self._marked(painter.boxes, found)
        self._paint = paint if paint is not None and paint.errors.measured.any() else None
        if self._diverging != (self._paint is not None and self._paint.diverging):
            self._dress()
        self._canvas.set_error(self._paint)
        self._mark()

    def _mark(self) -> None:
        """Marks what was switched where nothing is painted, too."""
        shown, graph = self._shown(), self._document.graph
        has_marks = self._paint is not None and self._paint.signs is not None
        known = None if has_marks or shown is None else precisions(self._document) or wished(self._document)
        if known is None or shown is None or graph is None or not _alike(graph, shown.draft.graph):
            self._canvas.set_switched(None)
            return

        boxes, count = shown.boxes_of_nodes(), len(shown.drawing)
        kept = kept_of_boxes(known.kept, boxes, count) if known.kept.any() else None
        self._canvas.set_switched(kept, told_of_boxes(boxes, count, known.told))

    def reset_limits(self) -> None:
        """Resets the limits: those of the metric on view are its own again."""
        painting, metric = self._document.session.painting, None if self._paint is None else self._paint.metric
        if metric is not None:
            limits = {key: ends for key, ends in painting.limits.items() if key != metric.key}
            self._document.edit(RESET, painting=replace(painting, limits=limits, preset=""))

    def _move(self, good: float, bad: float) -> None:
        from errorflow.report.findings_paint import moved

        painting, metric = self._document.session.painting, None if self._paint is None else self._paint.metric
        if metric is not None:
            diverging = self._paint is not None and self._paint.diverging
            good, bad = even(metric, (good, bad)) if diverging else (good, bad)
            limits = moved(painting.limits, metric.key, good, bad)
            self._document.edit(MOVED, merge=True, painting=replace(painting, limits=limits, preset=""))

    def _find(self, query: str) -> None:
        """Shows where something is that the legend explains; the second time all again."""
        self._document.search_for("" if self._document.state.search == query else query)

    def _dress(self) -> None:
        self._diverging = self._paint is not None and self._paint.diverging
        self._canvas.set_colors(colors_of(self._theme, self._document.session.painting.palette, self._diverging))
        self._palette = self._document.session.painting.palette

    def _on_changed(self, fields: Collection[str]) -> None:
        if "session.painting" in fields and self._document.session.painting.palette != self._palette:
            self._dress()
        ranks = "ranking" in fields and bool(self._document.session.painting.ranked)
        if ranks or {"findings", "session.painting", "session.simulation"} & set(fields):
            self.refresh()
        elif "simulated" in fields:
            self._mark()

    def _marked(self, boxes: Ints, paint: "Paint | None") -> "Paint | None":
        """Adds marks of what was switched away from the plan, in which the errors may not be known yet."""
        known = None if paint is None else precisions(self._document) or wished(self._document)
        if paint is None or known is None:
            return paint

        return with_kept(paint, known.kept, boxes, known.told)

    def _ranked(self) -> "Paint | None":
        """Paints by how much nodes matter; None: that is not wished, not known, or about another graph than the one
        shown.
        """
        shown, ranking, painting = self._shown(), self._document.state.ranking, self._document.session.painting
        if not (self._on and painting.ranked) or shown is None or ranking is None or not self._is_ranked(shown):
            self._ranks = None
            return None
        from errorflow.report.ranking_paint import RankingPaint

        graph = shown.draft.graph
        if self._ranks is None or self._ranks.drawing is not shown.drawing or self._ranks.ranking is not ranking:
            self._ranks = RankingPaint(shown.drawing, graph, shown.boxes_of_nodes(), ranking)
        paint = self._marked(self._ranks.boxes, self._ranks.by(painting))
        simulation = self._document.session.simulation
        is_of_plan = simulation is not None and simulation.plan == ranking.plan
        return paint if paint is None or is_of_plan else _older(paint)

    def _is_ranked(self, shown: Unfolded) -> bool:
        """Whether the ranking is about the graph that is shown."""
        simulated = self._document.state.simulated
        return simulated is not None and _alike(simulated.bench.engine.graph, shown.draft.graph)

    def _find_painter(self) -> "FindingsPaint | None":
        """Finds the painter; None: there is nothing to paint, or what was found is about another graph than the one
        shown.
        """
        shown, findings = self._shown(), self._document.state.findings
        if not self._on or shown is None or findings is None or not _alike(findings.graph, shown.draft.graph):
            self._painter = self._made_of = None
            return None
        if self._painter is None or self._made_of is None or self._made_of != (shown, findings):
            from errorflow.report.findings_paint import FindingsPaint

            self._painter = FindingsPaint(shown.drawing, findings, shown.boxes_of_nodes())
            self._made_of = shown, findings
        return self._painter


def _older(paint: Paint) -> Paint:
    """Paints what is older all the same, as it tells where to go on, but marks it as not of the plan on view."""

    def note(box: int) -> str:
        told = paint.note(box)
        return f"{told}\n{RANKED_BEFORE}" if told else ""

    return replace(paint, measure=f"{OLDER}{paint.measure}", note=note, older=True)


def _alike(one: Graph, other: Graph) -> bool:
    """Whether numbers of tensors mean the same in both."""
    return one is other or one.tensor_names == other.tensor_names
