"""What stands round the middle of the window: bars above it, panels, pages in its place, and the line below."""

from collections.abc import Callable, Collection
from functools import partial

from errorflow_viewer.commands.against_bar import AgainstBar
from errorflow_viewer.commands.verdict_bar import VerdictBar
from errorflow_viewer.kit.layouts import stacked
from errorflow_viewer.kit.status import StatusBar
from errorflow_viewer.pages.guide.guiding import Guiding
from errorflow_viewer.panels.problem_count import count_text
from errorflow_viewer.window.comparisons import Host
from errorflow_viewer.window.docks import Docks
from errorflow_viewer.window.file_banners import News
from errorflow_viewer.window.frame import Frame
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.middle_pages import MiddlePages
from errorflow_viewer.window.pages import Pages
from errorflow_viewer.window.sessions import Sessions
from errorflow_viewer.window.whole_pages import WholePages
from errorflow_viewer.window.workings import Workings


class Surroundings:
    """Of one window, which is its frame and its desk."""

    def __init__(
        self, frame: Frame, desk: Host, workings: Workings, view: GraphView, middle: MiddlePages, sessions: Sessions
    ) -> None:
        banners, stack, pair = workings.banners, middle.stack, middle.pair
        bars = VerdictBar(desk, stack, pair), AgainstBar(desk, stack, pair)
        self.guiding = Guiding(desk, stack, pair, lambda: sessions.file, frame)
        frame.setCentralWidget(stacked(banners, self.guiding.bar, *bars, stack))
        self.panels = Docks(frame, desk)
        desk.studies.evaluating.wanted.connect(partial(self.panels.show, "runs"))
        self.pages = Pages(frame, stack, middle.start, pair, view, self.panels)
        leave: Callable[[], None] = desk.leave_page
        self.whole_pages = WholePages(desk, stack, pair, banners, self.pages.show, leave)
        self.news = News(frame, workings.document, sessions, banners, desk.settings, workings.speech)
        self.status = StatusBar(desk.cancel, partial(self.panels.show, "problems"))
        frame.setStatusBar(self.status)
        self._document, self._view = workings.document, view

    def follow(self, fields: Collection[str]) -> None:
        """Another model, and what is odd about it."""
        if "model" in fields:
            model = self._document.model
            self.status.follow(None if model is None else model.path)
            self.news.show_title()
            self.status.show_zoom(None if model is None else self._view.canvas.zoom)
            self.pages.follow(model is not None)
        if {"model", "case"} & set(fields):
            self.status.show_problems(count_text(self._document.state))
