"""Pages in the middle of the window: the start page, the graph with its panels, or a page in place of both."""

from collections.abc import Iterable

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from errorflow.base.values import dataclass
from errorflow_viewer.kit.settings import LAYOUT_VERSION, Settings
from errorflow_viewer.pages.start.page import StartPage
from errorflow_viewer.window.docks import Dock, Docks
from errorflow_viewer.window.graph_view import GraphView

SIDES = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Arrangement of panels, and how wide their sides are meant to be, in a window so wide."""

    width: int
    layout: QByteArray
    sides: dict[str, tuple[int, int]]


class Pages:
    """Panels are there with the graph only; `layout` is where they are when it is shown the next time."""

    def __init__(
        self, window: QMainWindow, stack: QStackedWidget, start: StartPage, work: QWidget, view: GraphView, docks: Docks
    ) -> None:
        self._window = window
        self._stack = stack
        self._start = start
        self._work = work
        self._view = view
        self._docks = docks
        self._widths = _Widths(window, docks)
        self.layout = QByteArray()

    def restore(self, settings: Settings) -> None:
        """Restores them as at the end of the last start; before anything is shown."""
        self.layout = settings.layout
        self._widths.restore(settings.sides)
        self._docks.begin()

    def remember(self, settings: Settings) -> None:
        """Remembers them for the next start."""
        self._keep_layout()
        settings.layout = self.layout
        settings.sides = self._widths.kept()
        settings.geometry = self._window.saveGeometry()

    def arrange(self) -> None:
        """Arranges them as at the first start, whatever was before."""
        self._docks.arrange()
        self._widths.begin_anew()

    def arrangement(self) -> Arrangement:
        """Finds the arrangement of the panels that are on view."""
        self._widths.keep()
        return Arrangement(self._window.width(), self._window.saveState(LAYOUT_VERSION), self._widths.kept())

    def put_back(self, before: Arrangement) -> None:
        """Puts them back as they were then, in a window that may have another size."""
        with self._docks.settling():
            self._window.restoreState(before.layout, LAYOUT_VERSION)
        self._widths.restore(before.sides)
        if self._window.width() != before.width:
            self._widths.give_back()

    def follow(self, has_model: bool) -> None:
        """Shows with a model the graph in place of the start page, and without one the start page in place of the
        graph.
        """
        if not has_model and self._stack.currentWidget() is self._work:
            self._leave_work()
        elif has_model and self._stack.currentWidget() is self._start:
            self._enter_work()

    def show(self, page: QWidget) -> None:
        """Shows a page in place of the graph and its panels."""
        if self._stack.currentWidget() is self._work:
            self._keep_layout()
            self._docks.hide_all()
        if self._stack.indexOf(page) < 0:
            self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)
        page.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self, has_model: bool) -> None:
        """Back to the graph, or where there is none to the start page."""
        if has_model:
            self._enter_work()
        else:
            self._leave_work()

    def _enter_work(self) -> None:
        self._stack.setCurrentWidget(self._work)
        with self._docks.settling():
            if not self._window.restoreState(self.layout, LAYOUT_VERSION):
                self._docks.arrange()
        self._widths.give_back()
        self._view.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_work(self) -> None:
        self._start.refresh()
        self.show(self._start)

    def _keep_layout(self) -> None:
        if self._stack.currentWidget() is self._work:
            self.layout = self._window.saveState(LAYOUT_VERSION)
            self._widths.keep()


class _Widths(QObject):
    """Widths that the sides are meant to have: a small window takes from them, and larger text needs more. When the
    cause is gone they are as wide again, also at the next start.
    """

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._meant: dict[Qt.DockWidgetArea, int] = {}
        # What became of those that are not as wide as that; another width is the user's.
        self._made: dict[Qt.DockWidgetArea, int] = {}
        # Of the window, when sides changed last.
        self._room = window.width()
        # Before a panel came that takes from them.
        self._before: dict[Qt.DockWidgetArea, int] = {}
        # That were told of the size that the window gets.
        self._told: set[Qt.DockWidgetArea] = set()
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._on_placed)
        for dock in docks.by_key.values():
            dock.comes.connect(self._on_coming)
            dock.goes.connect(self._on_going)
            dock.installEventFilter(self)
        window.installEventFilter(self)

    def restore(self, kept: dict[str, tuple[int, int]]) -> None:
        self._forget()
        for side in SIDES:
            if _name(side) in kept:
                self._meant[side], made = kept[_name(side)]
                if made != self._meant[side]:
                    self._made[side] = made

    def kept(self) -> dict[str, tuple[int, int]]:
        """Lists widths for the next start: the layout knows only what became of them."""
        return {_name(side): (meant, self._made.get(side, meant)) for side, meant in self._meant.items()}

    def keep(self) -> None:
        """Keeps the widths before the panels are hidden."""
        for side, dock in self._now().items():
            self._take(side, dock.width())

    def begin_anew(self) -> None:
        """Begins anew: what sides were before counts no more."""
        self._forget()
        self._lay_out()
        self.keep()

    def _forget(self) -> None:
        for widths in (self._meant, self._made, self._before):
            widths.clear()

    def give_back(self) -> None:
        """Gives the widths back when they are shown again."""
        now = self._now()
        self._widen(now, [side for side in self._made if side in now])
        self._note(now, self._meant.keys() & now.keys())

    def _widen(self, now: dict[Qt.DockWidgetArea, Dock], sides: list[Qt.DockWidgetArea]) -> None:
        if sides:
            self._window.resizeDocks(
                [now[side] for side in sides], [self._meant[side] for side in sides], Qt.Orientation.Horizontal
            )
            self._lay_out()

    def _lay_out(self) -> None:
        layout = self._window.layout()
        if layout is not None:
            layout.activate()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Panels hear of it first when the window gets another size: the layout does its work before the window is
        told."""
        if isinstance(event, QResizeEvent):
            if isinstance(watched, Dock):
                self._on_panel(watched, event.oldSize().width())
            else:
                self._on_window()
        elif event.type() == QEvent.Type.MouseButtonRelease and watched is self._window:
            self.keep()  # what lies between two panels was dragged
        return super().eventFilter(watched, event)

    def _on_coming(self) -> None:
        """A panel may take from the other side when it gets its place."""
        if self._meant and not self._soon.isActive():
            self._lay_out()  # a panel from which another was taken just now is not yet as wide as its side
            self._before = {side: dock.width() for side, dock in self._now().items() if side in self._meant}
            for side, width in self._before.items():
                self._take(side, width)
            self._soon.start()

    def _on_going(self) -> None:
        """Notes that it goes: back in a window of another size, its user's widths cannot be told."""
        if not self._soon.isActive():
            self._lay_out()
            self.keep()

    def _on_placed(self) -> None:
        now = self._now()
        known = {side: self._before.get(side, self._meant[side]) for side in self._meant.keys() & now.keys()}
        self._note(now, [side for side, width in known.items() if now[side].width() < width])
        sides = [side for side, made in self._made.items() if side in now and now[side].width() == made]
        self._widen(now, sides)
        self._note(now, sides)

    def _on_panel(self, dock: Dock, before: int) -> None:
        if self._window.width() != self._room and before > 0 and dock.isVisible():
            side = self._window.dockWidgetArea(dock)
            if self._now().get(side, self._lone(dock, side)) is dock:
                self._told.add(side)
                self._take(side, before)

    def _lone(self, dock: Dock, side: Qt.DockWidgetArea) -> Dock | None:
        """Finds the lone panel of a side: where the window got much narrower, nothing of it seems to be on view until
        all of it has its place; of panels behind others Qt keeps the place outside of the window.
        """
        is_aside = side in SIDES and not dock.isFloating()
        return dock if is_aside and self._window.rect().intersects(dock.geometry()) else None

    def _on_window(self) -> None:
        grows, self._room = self._window.width() > self._room, self._window.width()
        now = self._now()
        for side in now.keys() - self._told:
            self._take(side, now[side].width())  # as wide as before
        self._told.clear()
        if grows and any(side in now and now[side].width() < self._meant[side] for side in self._made):
            self.give_back()
        else:
            self._note(now, self._meant.keys() & now.keys())

    def _take(self, side: Qt.DockWidgetArea, width: int) -> None:
        if width != self._made.get(side):
            self._made.pop(side, None)
            self._meant[side] = width

    def _note(self, now: dict[Qt.DockWidgetArea, Dock], sides: Iterable[Qt.DockWidgetArea]) -> None:
        """Notes what became of them."""
        for side in sides:
            self._made.pop(side, None)
            if now[side].width() != self._meant[side]:
                self._made[side] = now[side].width()

    def _now(self) -> dict[Qt.DockWidgetArea, Dock]:
        """Finds at each side one of the panels there, which are all as wide."""
        return {
            side: dock
            for key, dock in self._docks.by_key.items()
            if (side := self._window.dockWidgetArea(dock)) in SIDES
            and not dock.isFloating()
            and self._docks.is_in_front(key)
        }


def _name(side: Qt.DockWidgetArea) -> str:
    return "left" if side == Qt.DockWidgetArea.LeftDockWidgetArea else "right"
