"""F6 goes round the parts of the window: messages, graphs, panels, what stands below; each remembers its place."""

import weakref
from collections.abc import Callable
from functools import cache

import shiboken6
from PySide6.QtCore import QObject, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QPainter, QPaintEvent, QPen, QWindow
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QAccessibleWidget,
    QApplication,
    QCheckBox,
    QComboBox,
    QDockWidget,
    QFocusFrame,
    QLineEdit,
    QMainWindow,
    QRadioButton,
    QSlider,
    QStackedWidget,
    QStatusBar,
    QToolBar,
    QWidget,
)

from errorflow_viewer.kit.accessible.keyboard import Mirror, give, go_to_first_row, is_covered
from errorflow_viewer.kit.accessible.labels import tell_buttons, tell_label
from errorflow_viewer.kit.accessible.menu_key import add_bar_key, add_menu_key
from errorflow_viewer.kit.translation.door import said

# A ring round what has the keyboard, where Qt's own style hardly shows it.
_FAINT = (QAbstractSpinBox, QCheckBox, QComboBox, QRadioButton, QSlider)
_WIDE, _ROUND = 2.0, 4.0


class FocusRing(QFocusFrame):
    """Follows a widget wherever it goes."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.hide()

    def show_on(self, widget: QWidget, by_key: bool) -> None:
        round_it = by_key and isinstance(widget, _FAINT)
        self.setWidget(widget if round_it else None)  # type: ignore[arg-type]  # none may be
        self.setVisible(round_it)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().accent(), _WIDE))
        half, parent = _WIDE / 2, self.parentWidget()
        room = self.rect() if parent is None else self.rect() & parent.rect().translated(-self.pos())
        painter.drawRoundedRect(room.toRectF().adjusted(half, half, -half, -half), _ROUND, _ROUND)
        painter.end()


# Logical px within which two things stand in one line.
_LINE = 12
# A property of widgets that are parts of their own within a page.
PART = "part"


class Regions(QObject):
    """Knows where the keyboard was: in each part, and in which panel and list last."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self.window = window
        # Of each part the widget that had the keyboard last.
        self._places: dict[QWidget, QWidget] = {}
        self._panel: QDockWidget | None = None
        self._latest: QWidget | None = None
        self._ring = FocusRing(window)
        app = QApplication.instance()
        assert isinstance(app, QApplication), "a window has one"
        app.focusChanged.connect(self._on_focus)
        add_menu_key(window)
        add_bar_key(window)
        install()

    def step(self, step: int) -> None:
        """Steps to the next part, or with -1 to the one before."""
        parts = self.parts()
        if not parts:
            return
        here = self.part_of(QApplication.focusWidget(), parts)
        at = parts.index(here) + step if here is not None else (0 if step > 0 else -1)
        self._enter(parts[at % len(parts)])

    def parts(self) -> list[QWidget]:
        """Lists all that are on view and take the keyboard, from the top, round the panels, to the bottom."""
        window = self.window
        bars = [bar for bar in window.findChildren(QToolBar) if bar.isVisible()]
        docks = [dock for dock in window.findChildren(QDockWidget) if self._in_front(dock)]
        docks.sort(key=lambda dock: (dock.isFloating(), window.dockWidgetArea(dock).value, dock.y(), dock.x()))
        below = [bar for bar in window.findChildren(QStatusBar) if bar.isVisible()]
        return [part for part in (*bars, *self._middle(), *docks, *below) if first_in(part) is not None]

    def part_of(self, widget: QWidget | None, parts: list[QWidget]) -> QWidget | None:
        """The innermost part that a widget is in; None: in none."""
        while widget is not None and widget not in parts:
            widget = widget.parentWidget()
        return widget

    @property
    def panel(self) -> QDockWidget | None:
        """The panel on view that had the keyboard last; None: none has had it."""
        panel = self._panel
        return panel if panel is not None and shiboken6.isValid(panel) and self._in_front(panel) else None

    @property
    def latest(self) -> QWidget | None:
        """Part that had the keyboard last and is still on view: a menu that is open has it for a while."""
        latest = self._latest
        return latest if latest is not None and shiboken6.isValid(latest) and latest.isVisible() else None

    def _middle(self) -> list[QWidget]:
        """Lists what lies above the graph, the graphs, or the page in their place."""
        centre = self.window.centralWidget()
        layout = None if centre is None else centre.layout()
        if layout is None:
            return []
        items = (layout.itemAt(number) for number in range(layout.count()))
        rows = [None if item is None else item.widget() for item in items]
        found: list[QWidget] = []
        for row in rows:
            page = row.currentWidget() if isinstance(row, QStackedWidget) else row
            if row is None or page is None or not row.isVisible():
                continue
            inner = [each for each in page.findChildren(QWidget) if each.property(PART) and each.isVisible()]
            found += inner or [page]
        return found

    def _in_front(self, dock: QDockWidget) -> bool:
        """Whether it is on view, and no tab lies over it."""
        return dock.isVisible() and not is_covered(self.window, dock)

    def _enter(self, part: QWidget) -> None:
        kept = self._places.get(part)
        still = kept is not None and shiboken6.isValid(kept) and takes_keys(kept) and part.isAncestorOf(kept)
        goal = kept if still else first_in(part)
        if goal is not None:
            give(goal)

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        if now is None or not shiboken6.isValid(self.window) or not _belongs(now, self.window):
            return
        self._latest = now
        by_key = not QApplication.mouseButtons()
        if not shiboken6.isValid(self._ring):  # Qt gives it to the parent of what it lies round, and both were deleted
            self._ring = FocusRing(self.window)
        self._ring.show_on(now, by_key)
        if by_key:  # Qt draws rings only after Tab, and not where a page gave the keyboard on
            now.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        if isinstance(now, QComboBox):
            tell_label(now)
        elif isinstance(now, QLineEdit):
            tell_buttons(now)
        elif isinstance(now, QAbstractItemView) and by_key and not isinstance(now, Mirror):  # which sees to it itself
            go_to_first_row(now)
        self._places = {kept: place for kept, place in self._places.items() if shiboken6.isValid(kept)}
        widget: QWidget | None = now
        while widget is not None and widget is not self.window:
            self._places[widget] = now  # of all that could be a part
            if isinstance(widget, QDockWidget):
                self._panel = widget
            widget = widget.parentWidget()


def first_in(part: QWidget) -> QWidget | None:
    """Finds what lies first in it as one reads; Qt's order of Tab would take away what Python owns."""
    if takes_keys(part):
        return part
    found = [widget for widget in part.findChildren(QWidget) if takes_keys(widget)]
    return min(found, key=lambda widget: _place(widget, part), default=None)


def _place(widget: QWidget, part: QWidget) -> tuple[int, int]:
    spot = widget.mapTo(part, QPoint(0, 0))
    return spot.y() // _LINE, spot.x()


def takes_keys(widget: QWidget) -> bool:
    tabs = bool(widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value)
    return tabs and widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None


def _belongs(widget: QWidget, window: QMainWindow) -> bool:
    """Not a menu bar, nor a menu: the keyboard is there for a moment only."""
    top = widget.window()
    return widget is not window.menuBar() and (top is window or (isinstance(top, QDockWidget)))


# What a screen reader is told of widgets that paint themselves: what they are, what is in them, how they are pressed.
#
# To add one: a row in FACES, under the name of its class.

_Role, _Text = QAccessible.Role, QAccessible.Text


class PlotFace(QAccessibleWidget):
    """A plot: what it shows is its description."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Chart)


class Said(QAccessibleWidget):
    """Face that is said by itself: its name."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Notification)


class HolderFace(QAccessibleWidget):
    """Face of what only holds others: readers pass over it, and do not name it each time that one comes into it."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Client)


class Slider(QAccessibleWidget):
    """A handle on a scale."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Slider)


class Pressed(QAccessibleWidget):
    """A card that is chosen as a whole: its name says all that is written on it."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Button)
        self._card = weakref.ref(widget)

    def childCount(self) -> int:
        """Counts no children: its labels are told by its name; a button on it is a thing of its own."""
        card = self._card()
        return super().childCount() if card is not None and card.findChild(QAbstractButton) is not None else 0

    def actionNames(self) -> list[str]:
        return [QAccessibleWidget.pressAction(), QAccessibleWidget.setFocusAction()]

    def doAction(self, name: str) -> None:
        card = self._card()
        if name == QAccessibleWidget.pressAction() and card is not None:
            card.chosen.emit()  # type: ignore[attr-defined]  # what makes it a card
        else:
            super().doAction(name)


class GraphFace(QAccessibleWidget):
    """A graph with one thing in it: what is selected. All nodes are in the list of nodes, where readers know their way.

    Readers say a thing anew when it is another one, so two take turns. What else lies on the graph comes after it: of
    what a thing above does not count readers say nothing.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Canvas)
        self._graph = weakref.ref(widget)
        self._turns = (Current(self, widget), Current(self, widget))
        self._now = 0

    def childCount(self) -> int:
        return 1 + super().childCount()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return self._current() if index == 0 else super().child(index - 1)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return self._current() if self.state().focused else None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return super().childAt(x, y) or self._current()

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        place = super().indexOfChild(child)
        return 0 if child in self._turns else place if place < 0 else place + 1

    def told(self) -> str:
        """The selection in a sentence."""
        graph = self._graph()
        return "" if graph is None else said(graph.told)  # type: ignore[attr-defined]  # it is a canvas

    def _current(self) -> "Current":
        told = self.told()
        if told != self._turns[self._now].told:
            self._now = 1 - self._now
            self._turns[self._now].told = told
        return self._turns[self._now]


class Current(QAccessibleInterface):
    """The node, group or tensor that is selected, or was before: it keeps its name, for two of one name are one."""

    def __init__(self, graph: GraphFace, widget: QWidget) -> None:
        super().__init__()
        self.told = ""
        self._graph = weakref.ref(graph)
        self._widget = weakref.ref(widget)

    def isValid(self) -> bool:
        return self._widget() is not None

    def object(self) -> QObject | None:  # type: ignore[override]  # none may be
        return None

    def childCount(self) -> int:
        return 0

    def child(self, _index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return None

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return None

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def parent(self) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        widget = self._widget()
        return None if widget is None else QAccessible.queryAccessibleInterface(widget)

    def rect(self) -> QRect:
        widget, graph = self._widget(), self._graph()
        if widget is None or graph is None:
            return QRect()
        box = widget.selected()  # type: ignore[attr-defined]  # it is a canvas
        place = QRect() if box is None else widget.place_of(box).toAlignedRect()  # type: ignore[attr-defined]  # too
        seen = place.intersected(widget.rect())
        return graph.rect() if seen.isEmpty() else seen.translated(widget.mapToGlobal(widget.rect().topLeft()))

    def role(self) -> QAccessible.Role:
        return _Role.ListItem

    def state(self) -> QAccessible.State:
        found, widget = QAccessible.State(), self._widget()
        found.focusable = found.selectable = found.selected = True
        found.focused = widget is not None and widget.hasFocus()
        return found

    def text(self, kind: QAccessible.Text) -> str:
        return self.told if kind == _Text.Name else ""

    def setText(self, _kind: QAccessible.Text, _text: str) -> None:
        """Does nothing: it is told, not edited."""

    def window(self) -> QWindow | None:  # type: ignore[override]  # none may be
        widget = self._widget()
        return None if widget is None else widget.window().windowHandle()


FACES: dict[str, Callable[[QWidget], QAccessibleInterface]] = {
    "Canvas": GraphFace,
    "Card": Pressed,
    "ScenarioCard": Pressed,
    "Handle": Slider,
    "ProfileView": PlotFace,
    "CurvesPlot": PlotFace,
    "FigureBox": PlotFace,
    "SearchPlot": PlotFace,
    "PlanePictures": PlotFace,
    "ProfileSheet": PlotFace,
    "FigureSheet": PlotFace,
    "MapSheet": PlotFace,
    "QStackedWidget": HolderFace,
    "Utterance": Said,
}


@cache
def install() -> None:
    """Tells readers from now on; nothing of it costs anything while none is there."""
    QAccessible.installFactory(_face)


def _face(name: str, thing: QObject) -> QAccessibleInterface | None:
    make = FACES.get(name)
    if make is None or not isinstance(thing, QWidget) or isinstance(thing, QAbstractButton):
        return None
    return make(thing)
