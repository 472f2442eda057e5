"""The panel at hand, moved and sized without a mouse."""

from typing import Literal

import shiboken6
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDockWidget, QWidget

from errorflow_viewer.kit.accessible.regions import Regions, first_in

Side = Literal["left", "right", "bottom"]
AREAS: dict[Side, Qt.DockWidgetArea] = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
# Logical px for each press.
STEP = 32


class PanelKeys:
    """Does to the panel that had the keyboard last what a drag would do."""

    def __init__(self, regions: Regions) -> None:
        self._window = regions.window
        self._regions = regions

    @property
    def panel(self) -> QDockWidget | None:
        return self._regions.panel

    def hide(self) -> None:
        if self.panel is not None:
            self.panel.close()
            self._regions.step(1)

    def move(self, side: Side) -> None:
        """To a side of the window, beside what is there."""
        panel, place = self.panel, self._regions.latest
        if panel is not None:
            panel.setFloating(False)
            self._window.addDockWidget(AREAS[side], panel)
            self._keep(panel, place)

    def stack(self) -> None:
        """As a tab over another panel of its side, in front."""
        panel, place = self.panel, self._regions.latest
        beside = None if panel is None else self._beside(panel)
        if panel is not None and beside is not None:
            self._window.tabifyDockWidget(beside, panel)
            self._keep(panel, place)

    def float(self) -> None:
        """A window of its own, or back where it was."""
        panel, place = self.panel, self._regions.latest
        if panel is not None:
            panel.setFloating(not panel.isFloating())
            self._keep(panel, place)

    def grow(self, across: int, down: int) -> None:
        """By so many steps; what lies beside it gives way."""
        panel = self.panel
        if panel is None:
            return
        if panel.isFloating():
            panel.resize(panel.size() + QSize(across, down) * STEP)
        elif across:
            self._window.resizeDocks([panel], [panel.width() + across * STEP], Qt.Orientation.Horizontal)
        else:
            self._window.resizeDocks([panel], [panel.height() + down * STEP], Qt.Orientation.Vertical)

    def _beside(self, panel: QDockWidget) -> QDockWidget | None:
        """The first other panel on its side that is on view."""
        area, mates = self._window.dockWidgetArea(panel), self._window.tabifiedDockWidgets(panel)
        others = (dock for dock in self._window.findChildren(QDockWidget) if dock is not panel and dock.isVisible())
        return next((dock for dock in others if self._window.dockWidgetArea(dock) == area and dock not in mates), None)

    def _keep(self, panel: QDockWidget, place: QWidget | None) -> None:
        """The keyboard goes along: it has left for another panel on the way."""
        panel.show()
        panel.raise_()
        inside = place is not None and shiboken6.isValid(place) and panel.isAncestorOf(place)
        goal = place if inside else first_in(panel)
        if goal is not None:
            goal.setFocus(Qt.FocusReason.ShortcutFocusReason)
