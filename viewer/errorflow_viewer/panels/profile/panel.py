"""Joins the plot with the document: nodes in, nodes out."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from errorflow.case.session.model import Painting
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.plots import offer_plot
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import fill, pages
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.panels.empty import Empty, NoRuns
from errorflow_viewer.plots.large import Large, open_button
from errorflow_viewer.plots.span import brushed, with_brush, without_brush

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings
    from errorflow.explain.findings.profile import Profile
    from errorflow_viewer.panels.profile.plot import ProfileView

# The job that measures.
COMPARING = "compare"
_STALE = frozenset(("model", "case", "findings"))
_WILL_BE = "How far the error has grown at each node, from the first to the last, is shown here."


def _measured_by(painting: Painting) -> tuple[str, Mapping[str, tuple[float, float]]]:
    """Chooses what the curves depend on: all else that is decided about painting leaves them as they are."""
    return painting.metric, painting.limits


class ProfilePanel(QWidget):
    """Panel of the profile; nothing is computed, nor imported, before the curves are shown."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        # None: not shown yet.
        self.plot: ProfileView | None = None
        self._stale = True
        self._places = np.zeros(0, np.int32)
        # Of what the user decided, that by which the curves are drawn.
        self._drawn_by = _measured_by(self._document.session.painting)
        self._palette = self._document.session.painting.palette
        self.large = Large(desk, "profile", "Profile")
        self.enlarge = open_button()
        self.enlarge.setEnabled(False)
        self.enlarge.clicked.connect(lambda: self.large.open(self))
        desk.plots.offer("profile", self.enlarge)
        self.title_buttons = (self.enlarge,)
        self.nothing = Empty(_WILL_BE, "Open a model…", desk.ask_for_file)
        self.not_compared = NoRuns(desk, _WILL_BE, "Compare two runs…")
        self.not_measured = Empty("Nothing of these runs could be measured at the nodes of this graph.")
        self.measuring = Empty("The runs are being measured: the curves are here as soon as there are numbers.")
        self.stack = pages(self.nothing, self.not_compared, self.measuring, self.not_measured)
        fill(self, self.stack)
        reads = *_STALE, "session.painting", "node", "search"
        follow(self, self._document.changed, self._on_changed, reads, self._holds)
        self._document.pointed.connect(self._on_pointed)
        desk.appearance.changed.connect(self._dress)
        self._refresh()

    def series(self) -> "Sequence[tuple[str, Findings]]":
        """The runs whose curves are shown; the bars are of the first one."""
        findings = self._document.state.findings
        if findings is None or findings.against is None:
            return [] if findings is None else [("", findings)]
        return [(findings.name, findings), (findings.against.name, findings.against)]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _on_changed(self, fields: Collection[str]) -> None:
        painting = self._document.session.painting
        self._stale |= not _STALE.isdisjoint(fields) or _measured_by(painting) != self._drawn_by
        if painting.palette != self._palette:
            self._dress()
        if self._stale and (self._seen or self._document.state.findings is None):
            self._refresh()
        elif {"node", "search"} & set(fields):
            self._mark()

    def _holds(self) -> bool:
        """Whether it is seen elsewhere, or shows what is there no more."""
        return self.large.is_open or self._document.state.findings is None

    @property
    def _seen(self) -> bool:
        """Here, or in a window of its own."""
        return self.isVisible() or self.large.is_open

    def _refresh(self) -> None:
        """Shows what is known now; the curves only if one can see them."""
        state = self._document.state
        if not self._seen and state.findings is not None:
            return
        series = self.series()
        if series and self._draw(series):
            assert self.plot is not None, "just drawn"
            self.stack.setCurrentWidget(self.plot)
            self.enlarge.setEnabled(True)
            self._stale = False
            return
        self.large.show(None)
        self.enlarge.setEnabled(False)
        if self.plot is not None:
            self.plot.show_profile(None)  # what is no longer seen is not kept
        if state.model is None:
            self.stack.setCurrentWidget(self.nothing)
        else:
            self.stack.setCurrentWidget(self._reason())
        self._stale = False

    def _reason(self) -> QWidget:
        """Explains why there are no curves of the model on view."""
        state = self._document.state
        if state.case is None:
            return self.not_compared
        going_on = not state.case.complete and self._desk.jobs.running(COMPARING)
        return self.measuring if going_on or state.findings is None else self.not_measured

    def _draw(self, series: "Sequence[tuple[str, Findings]]") -> bool:
        from errorflow.explain.findings.profile import Profile

        painting = self._document.session.painting
        self._drawn_by = _measured_by(painting)
        profile = Profile.of(series, painting.metric, painting.limits)
        plot = self._plot()
        plot.show_profile(profile)
        if profile is not None:
            self._places = np.argsort(profile.nodes).astype(np.int32)
            self._enlarge(profile, series[0][1])
            self._mark()
        return profile is not None

    def _plot(self) -> "ProfileView":
        """Made when it is first needed."""
        if self.plot is not None:
            return self.plot
        from errorflow.report.profile_shapes import profile_colors
        from errorflow_viewer.panels.profile.plot import ProfileView

        painting = self._document.session.painting
        plot = self.plot = ProfileView(profile_colors(self._desk.appearance.theme.name, painting.palette))
        offer_plot(self._desk, plot, plot.given())
        self.stack.addWidget(plot)
        plot.pointed.connect(lambda place: self._document.pointed.emit(self._node(place)))
        plot.picked.connect(lambda place: self._document.pick(self._node(place)))
        plot.walked.connect(lambda place: self._document.walk(self._node(place)))
        plot.enlarged.connect(lambda: self.large.open(self))
        plot.opened.connect(self._open)
        plot.brushed.connect(self._brush)
        plot.cleared.connect(lambda: self._document.search_for(without_brush(self._document.state.search)))
        return plot

    def _dress(self, _theme: Theme | None = None) -> None:
        self._palette = self._document.session.painting.palette
        if self.plot is not None:
            from errorflow.report.profile_shapes import profile_colors

            palette = self._document.session.painting.palette
            self.plot.dress(profile_colors(self._desk.appearance.theme.name, palette))
        self.large.dress()

    def _mark(self) -> None:
        """Marks what is selected, and the part that the search is narrowed to."""
        if self.plot is not None:
            self.plot.select(self._place(self._document.state.node))
            self.plot.show_brush(brushed(self._document.state.search))
            self.large.mark(self.plot.selected, self.plot.hovered)

    def _open(self, place: int) -> None:
        node = self._node(place)
        if node is not None:
            self._document.show(node)

    def _brush(self, first: int, last: int) -> None:
        self._document.search_for(with_brush(self._document.state.search, first, last))

    def _on_pointed(self, node: int | None) -> None:
        if self.plot is not None and self._seen:
            self.plot.point_at(self._place(node))
            self.large.mark(self.plot.selected, self.plot.hovered)

    def _enlarge(self, profile: "Profile", findings: "Findings") -> None:
        """Shows the same in the large window. What is kept there of another graph has no nodes any more."""
        from errorflow.report.profile_shapes import ProfileColors, profile_colors
        from errorflow_viewer.plots.large import ProfileContent

        document, appearance = self._document, self._desk.appearance

        def colors() -> ProfileColors:
            return profile_colors(appearance.theme.name, document.session.painting.palette)

        def node(place: int | None) -> int | None:
            there = place is not None and findings.graph is document.graph
            return int(profile.nodes[place]) if there and place is not None else None

        def pointed(place: int | None) -> None:
            document.pointed.emit(node(place))

        def picked(place: int) -> None:
            document.pick(node(place))

        def walked(place: int) -> None:
            document.walk(node(place))

        model = document.model
        name = "" if model is None else model.path.name
        self.large.show(ProfileContent(name, profile, colors, pointed, picked, walked))

    def _node(self, place: int | None) -> int | None:
        profile = None if self.plot is None else self.plot.profile
        return None if place is None or profile is None else int(profile.nodes[place])

    def _place(self, node: int | None) -> int | None:
        profile = None if self.plot is None else self.plot.profile
        if profile is None or node is None or node >= len(self._places):
            return None
        return int(self._places[node])
