"""The panels as docks round the graph."""

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QMainWindow, QTabBar, QToolButton, QWidget

from errorflow_viewer import icons
from errorflow_viewer.desk import Desk
from errorflow_viewer.help.where import HELP
from errorflow_viewer.look import PADDING
from errorflow_viewer.panels import PANELS
from errorflow_viewer.panels.panel import Panel, WithButtons

# How wide and high at least, and which share of the window: at every size about half is left for the graph, and
# lists below it have six rows on a screen of 1600 × 1000, where the first window is lower than that.
LEFT, RIGHT, BOTTOM = (308, 0.2), (244, 0.17), (200, 0.34)


class Dock(QDockWidget):
    """One panel; it can be moved, floated and closed."""

    def __init__(self, panel: Panel, desk: Desk, parent: QMainWindow) -> None:
        super().__init__(panel.title, parent)
        self.setObjectName(f"panel.{panel.key}")
        self.panel = panel
        self.content = panel.make(desk)
        self.content.setMinimumWidth(180)
        self.setProperty(HELP, panel.help)
        self.setWidget(self.content)
        self.setTitleBarWidget(_Title(self, panel.title))


class _Title(QWidget):
    """A quiet title with a cross; dragging it moves the dock."""

    def __init__(self, dock: Dock, text: str) -> None:
        super().__init__(dock)
        title = QLabel(text)
        title.setProperty("role", "title")
        close = QToolButton()
        close.setToolTip(f"Hide {text.lower()}")
        close.setAccessibleName(f"Hide {text.lower()}")
        close.clicked.connect(dock.close)
        icons.follow(close, "close")
        row = QHBoxLayout(self)
        row.setContentsMargins(PADDING + 4, 4, 4, 4)
        row.addWidget(title, 1)
        for button in dock.content.title_buttons if isinstance(dock.content, WithButtons) else ():
            row.addWidget(button)
        row.addWidget(close)


class Docks:
    """All panels of a window."""

    def __init__(self, window: QMainWindow, desk: Desk) -> None:
        self._window = window
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        window.setDockOptions(QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks)
        self.by_key = {panel.key: Dock(panel, desk, window) for panel in PANELS}
        for dock in self.by_key.values():
            dock.visibilityChanged.connect(self._name_tabs)
        self._place()

    def arrange(self) -> None:
        """As at the first start."""
        self._place()
        for dock in self.by_key.values():
            dock.setVisible(dock.panel.shown)
        for dock in self.by_key.values():
            if dock.panel.shown and not dock.panel.tab_of:
                dock.raise_()
        sides = (
            (Qt.DockWidgetArea.LeftDockWidgetArea, LEFT, Qt.Orientation.Horizontal),
            (Qt.DockWidgetArea.RightDockWidgetArea, RIGHT, Qt.Orientation.Horizontal),
            (Qt.DockWidgetArea.BottomDockWidgetArea, BOTTOM, Qt.Orientation.Vertical),
        )
        for area, (least, share), direction in sides:
            whole = self._window.width() if direction == Qt.Orientation.Horizontal else self._window.height()
            size = max(least, round(whole * share))
            docks = [dock for dock in self.by_key.values() if dock.panel.area == area and dock.panel.shown]
            if docks:
                self._window.resizeDocks(docks, [size] * len(docks), direction)

    def _place(self) -> None:
        for dock in self.by_key.values():  # else bars of tabs stay behind where they were
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        for dock in self.by_key.values():
            self._window.addDockWidget(dock.panel.area, dock)
        for dock in self.by_key.values():
            if dock.panel.tab_of:
                self._window.tabifyDockWidget(self.by_key[dock.panel.tab_of], dock)

    def _name_tabs(self) -> None:
        """Qt makes the bars when it needs them, and gives them no name."""
        if not shiboken6.isValid(self._window):  # panels are hidden once more when a window is taken down
            return
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName("Panels")

    def is_in_front(self, key: str) -> bool:
        """Whether a panel is shown and no tab lies over it."""
        dock = self.by_key[key]
        covers = any(not other.isHidden() for other in self._window.tabifiedDockWidgets(dock))
        return not dock.isHidden() and not (covers and dock.visibleRegion().isEmpty())

    def hide_all(self) -> None:
        for dock in self.by_key.values():
            dock.hide()

    def begin(self) -> None:
        """Hides all, at once: else the window could not be restored as narrow as it can be without them."""
        self.hide_all()
        layout = self._window.layout()
        if layout is not None:
            layout.activate()
