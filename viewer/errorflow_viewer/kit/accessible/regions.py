"""F6 goes round the parts of the window: messages, graphs, panels, what stands below; each remembers its place."""

import shiboken6
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
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

from errorflow_viewer.kit.accessible.faces import install
from errorflow_viewer.kit.accessible.keyboard import give, go_to_first_row
from errorflow_viewer.kit.accessible.labels import tell_buttons, tell_label
from errorflow_viewer.kit.accessible.menu_key import add_bar_key, add_menu_key
from errorflow_viewer.kit.accessible.mirror import Mirror
from errorflow_viewer.kit.accessible.tabbing import is_covered

# A ring round what has the keyboard, where Qt's own style hardly shows it.
_FAINT = (QAbstractSpinBox, QCheckBox, QComboBox, QRadioButton, QSlider)
_WIDE, _ROUND = 2.0, 4.0


class Ring(QFocusFrame):
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
        self._ring = Ring(window)
        app = QApplication.instance()
        assert isinstance(app, QApplication), "a window has one"
        app.focusChanged.connect(self._on_focus)
        add_menu_key(window)
        add_bar_key(window)
        install()

    def step(self, step: int) -> None:
        """To the next part, or with -1 to the one before."""
        parts = self.parts()
        if not parts:
            return
        here = self.part_of(QApplication.focusWidget(), parts)
        at = parts.index(here) + step if here is not None else (0 if step > 0 else -1)
        self._enter(parts[at % len(parts)])

    def parts(self) -> list[QWidget]:
        """All that are on view and take the keyboard, from the top, round the panels, to the bottom."""
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
        """What had the keyboard last and is still on view: a menu that is open has it for a while."""
        latest = self._latest
        return latest if latest is not None and shiboken6.isValid(latest) and latest.isVisible() else None

    def _middle(self) -> list[QWidget]:
        """What lies above the graph, the graphs, or the page in their place."""
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
            self._ring = Ring(self.window)
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
    """What lies first in it as one reads; asking Qt for the order of Tab takes away what Python owns."""
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
