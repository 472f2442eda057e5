"""The panels as docks round the graph."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QDockWidget,
    QFrame,
    QLayoutItem,
    QMainWindow,
    QScrollArea,
    QToolButton,
    QWidget,
)

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.menu_key import press_held
from errorflow_viewer.kit.following import Follower
from errorflow_viewer.kit.layouts import Items, text_label
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.kit.scaling import keep_width, px
from errorflow_viewer.panels import PANELS
from errorflow_viewer.panels.panel import Panel, Sighted, Typed, WithButtons

if TYPE_CHECKING:
    from errorflow_viewer.panels.nodes import NodesPanel

# Logical px round it, and between its parts.
RIM, GAP = 4, 6
# A width that nobody knows.
SOME = -1


class DockTitle(QWidget):
    """A quiet title with a cross; dragging it moves the dock."""

    def __init__(self, dock: QDockWidget, text: str) -> None:
        super().__init__(dock)
        title = text_label(text, role="title")
        close = QToolButton()
        close.setToolTip(f"Hide {text.lower()}")
        close.setAccessibleName(f"Hide {text.lower()}")
        close.clicked.connect(dock.close)
        icons.follow(close, "close")
        self._is_seen = False
        dock.visibilityChanged.connect(self._on_seen)
        self._parts = _Parts()
        self._parts.setContentsMargins(PADDING + RIM, RIM, RIM, RIM)
        self._parts.addWidget(title)
        self._parts.addWidget(close)
        self.setLayout(self._parts)

    def add(self, buttons: Sequence[QAbstractButton]) -> None:
        """Adds buttons before the cross."""
        for button in buttons:
            self._parts.addWidget(button)

    def minimumSizeHint(self) -> QSize:
        """A dock asks for no height at a width: it is as high as it is at its own, which is known once it is seen."""
        return self._parts.hint(self.width() if self._is_seen else SOME, least=True, as_seen=self.isVisible())

    def sizeHint(self) -> QSize:
        """Hints a size; behind another tab it has a width that says nothing."""
        return self._parts.hint(self.width() if self._is_seen else SOME)

    def _on_seen(self, seen: bool) -> None:
        self._is_seen = seen
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class _Parts(Items):
    """Title and cross at the ends of the first line, and buttons before the cross; or in lines of their own."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = -1
        # A window asks for them two thousand times while its panels find their places.
        self._hints: dict[tuple[int, bool, bool], QSize] = {}

    def invalidate(self) -> None:
        self._whole = -1
        self._hints.clear()
        super().invalidate()

    def hint(self, width: int, least: bool = False, as_seen: bool = True) -> QSize:
        """Finds the room that it needs at a width; `SOME` where that is unknown."""
        found = self._hints.get((width, least, as_seen))
        if found is None:
            found = self._hints[width, least, as_seen] = self._find_hint(width, least, as_seen)
        return found

    def _find_hint(self, width: int, least: bool, as_seen: bool) -> QSize:
        smallest = self.minimumSize()
        high = self.heightForWidth(width) if width != SOME and as_seen else smallest.height()
        return QSize(smallest.width() if least else self.whole(), high)

    def _find_least(self) -> QSize:
        """Finds the width of title and cross, or of the widest of the buttons."""
        margins, (title, close, *buttons) = self.contentsMargins(), self._items
        widest = max((item.minimumSize().width() for item in buttons if not item.isEmpty()), default=0)
        head = title.minimumSize().width() + GAP + close.sizeHint().width()
        high = max(title.sizeHint().height(), close.sizeHint().height())
        return QSize(max(head, widest), high) + QSize(
            margins.left() + margins.right(), margins.top() + margins.bottom()
        )

    def whole(self) -> int:
        """Measures how wide it is in one line."""
        if self._whole < 0:
            self._whole = self._find_whole()
        return self._whole

    def _find_whole(self) -> int:
        margins, items = self.contentsMargins(), [item for item in self._items if not item.isEmpty()]
        widths = sum(item.sizeHint().width() for item in items) + GAP * (len(items) - 1)
        return widths + margins.left() + margins.right()

    def _lay(self, rect: QRect, *, moves: bool) -> int:
        title, close, *buttons = self._items
        shown = [item for item in buttons if not item.isEmpty()]
        room = rect.marginsRemoved(self.contentsMargins())
        is_one = self.whole() <= rect.width()
        lines = [[*shown, close]] if is_one else [[close], *_broken(shown, room.width())]
        top = room.y()
        for line in lines:
            first = line is lines[0]
            high = max(item.sizeHint().height() for item in ((title, *line) if first else line))
            left = room.right() + 1 - _width(line) if first else room.x()
            if moves and first:
                title.setGeometry(QRect(room.x(), top, max(left - GAP - room.x(), 0), high))
            for item in line:
                size = item.sizeHint().boundedTo(QSize(max(room.width(), 1), high))
                if moves:
                    item.setGeometry(QRect(QPoint(left, top + (high - size.height()) // 2), size))
                left += size.width() + GAP
            top += high + RIM
        return top - RIM + self.contentsMargins().bottom() - rect.y()


def _width(line: Sequence[QLayoutItem]) -> int:
    return sum(item.sizeHint().width() for item in line) + GAP * (len(line) - 1)


def _broken(items: Sequence[QLayoutItem], room: int) -> list[list[QLayoutItem]]:
    """Into lines of that width."""
    lines: list[list[QLayoutItem]] = []
    for item in items:
        if lines and _width([*lines[-1], item]) <= room:
            lines[-1].append(item)
        else:
            lines.append([item])
    return lines


# How wide a panel is at least.
LEAST = 180
# In ms: after that, when the graph is painted, panels are made that nobody has seen yet; and between two of them.
SOON, BETWEEN = 300, 30
# How wide and high at least, and which share of the window: at every size about half is left for the graph, and
# lists below it have six rows on a screen of 1600 × 1000, where the first window is lower than that.
LEFT, RIGHT, BOTTOM = (308, 0.2), (244, 0.17), (200, 0.34)
# The same of a window narrower than so many px, or lower, as a screen of 1024 × 600 makes it.
NARROW, LOW = 1100, 680
LEFT_NARROW, RIGHT_NARROW, BOTTOM_LOW = (232, 0.2), (204, 0.17), (164, 0.24)
# Narrower than that it begins without the panels at the right: of what they say the bar above the graph says the most.
ONE_SIDE = 900


class Dock(QDockWidget):
    """One panel; it can be moved, floated and closed."""

    # It is about to be shown, and no others are.
    comes = Signal()
    # It is about to be hidden, and not all are.
    goes = Signal()

    def __init__(self, panel: Panel, desk: Desk, parent: QMainWindow) -> None:
        super().__init__(panel.title, parent)
        self.setObjectName(f"panel.{panel.key}")
        self.panel = panel
        self._desk = desk
        self._content: QWidget | None = None
        self._is_seen = False
        # Whether panels find their places: many are seen for a moment then that end behind others.
        self.settles = False
        # In its place until it is made, as wide as the least of it.
        self._room = QWidget()
        self._room.setMinimumWidth(LEAST)
        self.setProperty(HELP, panel.help)
        self.setWidget(self._room)
        self._title = DockTitle(self, panel.title)
        self.setTitleBarWidget(self._title)
        self.visibilityChanged.connect(self._on_seen)

    @property
    def is_made(self) -> bool:
        return self._content is not None

    @property
    def content(self) -> QWidget:
        """Made when it is asked for: the first window is there sooner without."""
        if self._content is None:
            self._content = self.panel.make(self._desk)
            keep_width(self._content, LEAST)
            self.setWidget(roomy(self._content, self.panel.area == Qt.DockWidgetArea.BottomDockWidgetArea))
            self._room.deleteLater()
            if isinstance(self._content, WithButtons):
                self._title.add(self._content.title_buttons)
            self._tell_seen()
        self.catch_up()
        return self._content

    def give_keyboard(self, field: str) -> None:
        """Gives the keyboard to one of its fields; "": it stays where it is."""
        if field and isinstance(self.content, Typed):
            self.content.take_keyboard(field)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handles a key; of a panel that floats the window is not asked."""
        if not press_held(event):
            super().keyPressEvent(event)

    def _on_seen(self, seen: bool) -> None:
        # Qt looks whether one that floats lies on a screen, once, while it is being shown.
        self._is_seen = seen or (self.isFloating() and self.isVisible())
        if not self.settles:
            self.make_if_seen()

    def setVisible(self, visible: bool) -> None:
        if visible and self.isHidden() and not self.settles:
            self.comes.emit()
        elif not visible and self.isVisible() and not self.settles:
            self.goes.emit()
        super().setVisible(visible)

    def make_if_seen(self) -> None:
        if self.is_made:
            self._tell_seen()
        elif self._is_seen:
            self.make()

    def make(self) -> None:
        self.content  # noqa: B018 - asking makes it

    def _tell_seen(self) -> None:
        if self._content is None:
            return
        if isinstance(self._content, Sighted):
            self._content.note_seen(self._is_seen)
        # All know it before the first one catches up.
        for follower in self._content.findChildren(Follower):
            follower.is_seen = self._is_seen
        if self._is_seen:
            self.catch_up()

    def catch_up(self) -> None:
        """Tells its content what it missed: who asks for that wants it as it is now."""
        for follower in () if self._content is None else self._content.findChildren(Follower):
            follower.catch_up()


class Docks:
    """Panels of a window."""

    def __init__(self, window: QMainWindow, desk: Desk) -> None:
        self._window = window
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        window.setDockOptions(QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks)
        self.by_key = {panel.key: Dock(panel, desk, window) for panel in PANELS}
        self._place()
        # Those of the rest that could not be made; whoever asks for one of them tries once more.
        self._failed: list[Dock] = []
        self._rest = QTimer(window, interval=BETWEEN)
        self._rest.timeout.connect(self._make_next)
        self.soon = QTimer(window, interval=SOON, singleShot=True)
        self.soon.timeout.connect(self.make_rest)
        desk.document.begins.connect(self._on_begin)
        self._tell_late("simulate", desk.studies.simulating.asked)
        self._tell_late("runs", desk.studies.evaluating.wanted)

    def _tell_late(self, key: str, wish: SignalInstance) -> None:
        """Tells late: a panel that is made for a wish has not heard it, so it is said once more."""
        wish.connect(partial(self._repeat, key, wish))

    def _repeat(self, key: str, wish: SignalInstance) -> None:
        dock = self.by_key[key]
        if not dock.is_made:
            dock.make()
            wish.emit()

    @property
    def nodes(self) -> "NodesPanel":
        from errorflow_viewer.panels.nodes import NodesPanel

        content = self.by_key["nodes"].content
        assert isinstance(content, NodesPanel), "the panel of that key"
        return content

    def make_rest(self) -> None:
        """Makes what is not made yet, one after the other, between which the window lives."""
        self._rest.start()

    def make_all(self) -> None:
        while self._make_next():
            pass

    def _make_next(self) -> bool:
        """False: all are made."""
        dock = next((dock for dock in self.by_key.values() if not (dock.is_made or dock in self._failed)), None)
        if dock is None:
            self._rest.stop()
            return False
        if not _came_off(dock.make):
            self._failed.append(dock)  # else the same error came again and again
        return True

    def _on_begin(self, is_new: bool) -> None:
        """Begins; what is told to a panel must find it; without a session, few are told more than the document says."""
        if not is_new:
            self.make_all()
            return
        for dock in self.by_key.values():
            if dock.panel.listens:
                _came_off(dock.make)
        QTimer.singleShot(0, self._window, self.soon.start)  # not while it is opened, which may take as long

    @contextmanager
    def settling(self) -> Iterator[None]:
        """While panels find their places: those that are in front in the end are made then, and no others."""
        docks = tuple(self.by_key.values())
        for dock in docks:
            dock.settles = True
        try:
            yield
        finally:
            for dock in docks:
                dock.settles = False
        for dock in docks:
            _came_off(dock.make_if_seen)

    def arrange(self) -> None:
        """Arranges as at the first start."""
        with self.settling():
            self._place()
            for dock in self.by_key.values():
                dock.setVisible(self._is_first(dock))
            for dock in self.by_key.values():
                if dock.panel.shown and not dock.panel.tab_of:
                    dock.raise_()
            self._size()

    def _size(self) -> None:
        """Sizes the panels that are there at the first start."""
        is_narrow, is_low = self._window.width() < NARROW, self._window.height() < LOW
        sides = (
            (Qt.DockWidgetArea.LeftDockWidgetArea, LEFT_NARROW if is_narrow else LEFT, Qt.Orientation.Horizontal),
            (Qt.DockWidgetArea.RightDockWidgetArea, RIGHT_NARROW if is_narrow else RIGHT, Qt.Orientation.Horizontal),
            (Qt.DockWidgetArea.BottomDockWidgetArea, BOTTOM_LOW if is_low else BOTTOM, Qt.Orientation.Vertical),
        )
        for area, (least, share), direction in sides:
            whole = self._window.width() if direction == Qt.Orientation.Horizontal else self._window.height()
            size = max(least, min(px(least), whole // 3), round(whole * share))
            docks = [dock for dock in self.by_key.values() if dock.panel.area == area and self._is_first(dock)]
            if docks:
                self._window.resizeDocks(docks, [size] * len(docks), direction)

    def _is_first(self, dock: Dock) -> bool:
        """Whether it is there at the first start."""
        is_aside = dock.panel.area == Qt.DockWidgetArea.RightDockWidgetArea and self._window.width() < ONE_SIDE
        return dock.panel.shown and not is_aside

    def _place(self) -> None:
        for dock in self.by_key.values():  # else bars of tabs stay behind where they were
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        for dock in self.by_key.values():
            self._window.addDockWidget(dock.panel.area, dock)
        for dock in self.by_key.values():
            if dock.panel.tab_of:
                self._window.tabifyDockWidget(self.by_key[dock.panel.tab_of], dock)

    def toggle(self, key: str) -> None:
        if self.is_in_front(key):
            self.hide(key)
        else:
            self.show(key)

    def show(self, key: str, field: str = "") -> None:
        dock = self.by_key[key]
        dock.show()
        dock.raise_()
        dock.catch_up()
        dock.give_keyboard(field)

    def hide(self, key: str) -> None:
        self.by_key[key].hide()

    def is_shown(self, key: str) -> bool:
        return not self.by_key[key].isHidden()

    def is_in_front(self, key: str) -> bool:
        """Whether a panel is shown and no tab lies over it."""
        dock = self.by_key[key]
        covers = any(not other.isHidden() for other in self._window.tabifiedDockWidgets(dock))
        return not dock.isHidden() and not (covers and dock.visibleRegion().isEmpty())

    def hide_all(self) -> None:
        with self.settling():
            for dock in self.by_key.values():
                dock.hide()

    def begin(self) -> None:
        """Hides all, at once: else the window could not be restored as narrow as it can be without them."""
        self.hide_all()
        layout = self._window.layout()
        if layout is not None:
            layout.activate()


def _came_off(make: Callable[[], None]) -> bool:
    """A panel that cannot be made keeps neither the others away nor the graph: it is told as a fault of the app."""
    try:
        make()
    except Exception as error:  # noqa: BLE001 - the boundary of a panel, as a job has one
        sys.excepthook(type(error), error, error.__traceback__)
        return False
    return True


# Logical px of height that a panel may ask for below the graph, and beside it, and of width.
BELOW, BESIDE, WIDE = 108, 260, 340


def roomy(content: QWidget, is_below: bool) -> QWidget:
    """Wraps content; most panels never scroll in it."""
    return _Roomy(content, BELOW if is_below else BESIDE)


class _Roomy(QScrollArea):
    """Asks for as much as its content does, up to a limit."""

    def __init__(self, content: QWidget, most: int) -> None:
        super().__init__()
        self._content, self._most = content, most
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)

    def minimumSizeHint(self) -> QSize:
        content = self._content
        asked, least = content.minimumSizeHint(), content.minimumSize()
        wide, high = least.width() if least.width() else asked.width(), max(asked.height(), least.height())
        bar = self.verticalScrollBar().sizeHint().width() if high > self._most else 0  # else it scrolled both ways
        return QSize(min(wide, WIDE) + bar, min(high, self._most))

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
