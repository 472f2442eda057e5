"""Surroundings of the window's middle: bars above it, panels, pages in its place, and the line below."""

from collections.abc import Callable, Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QStackedWidget, QWidget

from errorflow_viewer.commands.verdict_bar import AgainstBar, VerdictBar
from errorflow_viewer.document.finding import problems_text
from errorflow_viewer.kit.banner import Banners
from errorflow_viewer.kit.layouts import stacked
from errorflow_viewer.kit.status import StatusBar
from errorflow_viewer.pages.guide.guiding import Guiding
from errorflow_viewer.window.comparisons import ComparisonHost
from errorflow_viewer.window.desk import WholeDesk
from errorflow_viewer.window.docks import Docks
from errorflow_viewer.window.file_banners import News
from errorflow_viewer.window.frame import WindowFrame
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.middle_pages import MiddlePages
from errorflow_viewer.window.pages import Pages
from errorflow_viewer.window.sessions import Sessions
from errorflow_viewer.window.workings import Workings

if TYPE_CHECKING:
    from errorflow_viewer.pages.align.page import AlignPage
    from errorflow_viewer.pages.keys.page import KeysPage
    from errorflow_viewer.pages.settings.page import SettingsPage
    from errorflow_viewer.pages.ticket.page import TicketPage
    from errorflow_viewer.pages.verdict.page import VerdictPage

    Page = TypeVar("Page", AlignPage, KeysPage, SettingsPage, TicketPage, VerdictPage)


class Surroundings:
    """Surroundings of one window, which is its frame and its desk."""

    def __init__(
        self,
        frame: WindowFrame,
        desk: ComparisonHost,
        workings: Workings,
        view: GraphView,
        middle: MiddlePages,
        sessions: Sessions,
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
        """Follows another model, and what is odd about it."""
        if "model" in fields:
            model = self._document.model
            self.status.follow(None if model is None else model.path)
            self.news.show_title()
            self.status.show_zoom(None if model is None else self._view.canvas.zoom)
            self.pages.follow(model is not None)
        if {"model", "case"} & set(fields):
            self.status.show_problems(problems_text(self._document.state))


class WholePages:
    """`show` puts one in place of the graph, `leave` brings the graph back."""

    def __init__(
        self,
        desk: WholeDesk,
        stack: QStackedWidget,
        work: QWidget,
        banners: Banners,
        show: Callable[[QWidget], None],
        leave: Callable[[], None],
    ) -> None:
        """`work`: the graph, in whose place they are."""
        self._desk = desk
        self._stack = stack
        self._work = work
        self._banners = banners
        self._show = show
        self._leave = leave
        self._shown: list[QWidget] = []
        stack.currentChanged.connect(lambda _: self._follow())

    @property
    def graph_shown(self) -> bool:
        """Whether the graph is on view, and no page in its place."""
        return self._stack.currentWidget() is self._work

    def _follow(self) -> None:
        self._desk.commands.refresh()
        current = self._stack.currentWidget()
        if current in self._shown:
            self._banners.step_back(True)
        elif current is self._work:
            self._banners.step_back(False)

    def _made(self, page: "Page") -> "Page":
        page.left.connect(self._leave)
        self._shown.append(page)
        return page

    def make_way(self) -> None:
        """Makes way: what was opened is seen, from wherever it was opened and whichever page is there."""
        if self._stack.currentWidget() is not self._work:
            self._leave()

    @cached_property
    def align(self) -> "AlignPage":
        from errorflow_viewer.pages.align.page import AlignPage

        return self._made(AlignPage(self._desk))

    def show_align(self) -> None:
        self.align.take_model()
        self._show(self.align)

    @cached_property
    def ticket(self) -> "TicketPage":
        from errorflow_viewer.pages.ticket.page import TicketPage

        return self._made(TicketPage(self._desk))

    def show_ticket(self) -> None:
        """Shows a ticket with what is on view now."""
        self._show(self.ticket)
        self.ticket.take_case()

    @cached_property
    def settings(self) -> "SettingsPage":
        from errorflow_viewer.pages.settings.page import SettingsPage

        return self._made(SettingsPage(self._desk))

    def show_settings(self) -> None:
        self._show(self.settings)

    @cached_property
    def keys(self) -> "KeysPage":
        from errorflow_viewer.pages.keys.page import KeysPage

        return self._made(KeysPage(self._desk))

    def show_keys(self) -> None:
        self._show(self.keys)

    @cached_property
    def verdict(self) -> "VerdictPage":
        from errorflow_viewer.pages.verdict.page import VerdictPage

        return self._made(VerdictPage(self._desk))

    def turn_verdict(self) -> None:
        """Goes there, or back from it to the graph."""
        if self._stack.currentWidget() is self.verdict:
            self._leave()
        else:
            self._show(self.verdict)
