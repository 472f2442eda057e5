"""Commands that replace the mouse, rows of the table of commands."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import shiboken6
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QAbstractItemView, QDockWidget, QHeaderView, QMenu, QTableView, QTreeView, QWidget

from errorflow_viewer.commands.api import Action
from errorflow_viewer.kit.accessible.regions import Regions, first_in
from errorflow_viewer.window.desk import WholeDesk

# Around the window.
CIRCLING: tuple[Action[WholeDesk], ...] = (
    Action(
        "region.next",
        "Nex&t part of the window",
        "Go/find",
        lambda d: d.regions.step(1),
        shortcuts=("F6",),
        tip="Give the keyboard to the next part: messages, graph, panels, status bar",
        also_called="focus region pane keyboard accessibility",
    ),
    Action(
        "region.previous",
        "Previo&us part of the window",
        "Go/find",
        lambda d: d.regions.step(-1),
        shortcuts=("Shift+F6",),
        tip="Give the keyboard to the part before",
        also_called="focus region pane keyboard accessibility",
    ),
)

_MENU = "Ad&just panel"

_LACK = "Go to a panel first (F6)"


def _has_panel(desk: WholeDesk) -> bool:
    return desk.regions.panel is not None


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
        """Moves to a side of the window, beside what is there."""
        panel, place = self.panel, self._regions.latest
        if panel is not None:
            panel.setFloating(False)
            self._window.addDockWidget(AREAS[side], panel)
            self._keep(panel, place)

    def stack(self) -> None:
        """Stacks as a tab over another panel of its side, in front."""
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
        """Grows by so many steps; what lies beside it gives way."""
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


def _on_panel(
    key: str,
    text: str,
    run: Callable[[PanelKeys], None],
    tip: str,
    also_called: str = "",
    shortcuts: tuple[str, ...] = (),
) -> Action[WholeDesk]:
    """Makes the row of a command on the panel that had the keyboard last."""
    return Action(
        f"panel_at_hand.{key}",
        text,
        "View/panels",
        lambda d: run(PanelKeys(d.regions)),
        shortcuts=shortcuts,
        tip=tip,
        enabled=_has_panel,
        lack=_LACK,
        submenu=_MENU,
        also_called=also_called,
    )


def _move(key: str, text: str, side: Side, tip: str) -> Action[WholeDesk]:
    return _on_panel(key, text, lambda keys: keys.move(side), tip, also_called="dock position side")


def _grow(key: str, text: str, across: int, down: int, shortcut: str) -> Action[WholeDesk]:
    return _on_panel(
        key,
        text,
        lambda keys: keys.grow(across, down),
        "Change the size of the panel that had the keyboard last",
        also_called="dock size resize width height",
        shortcuts=(shortcut,),
    )


HANDLING: tuple[Action[WholeDesk], ...] = (
    _grow("wider", "&Wider", 1, 0, "Alt+Shift+Right"),
    _grow("narrower", "&Narrower", -1, 0, "Alt+Shift+Left"),
    _grow("higher", "&Higher", 0, 1, "Alt+Shift+Up"),
    _grow("lower", "&Lower", 0, -1, "Alt+Shift+Down"),
    _move("left", "To the l&eft", "left", "Put the panel that had the keyboard last to the left of the graph"),
    _move("right", "To the &right", "right", "Put the panel that had the keyboard last to the right of the graph"),
    _move("bottom", "&Below", "bottom", "Put the panel that had the keyboard last below the graph"),
    _on_panel(
        "stack",
        "As a &tab",
        lambda keys: keys.stack(),
        "Lay the panel that had the keyboard last over another one of its side",
    ),
    _on_panel(
        "float",
        "&Own window or back",
        lambda keys: keys.float(),
        "Make the panel that had the keyboard last a window of its own, or put it back",
        also_called="float undock",
    ),
    _on_panel(
        "hide", "H&ide", lambda keys: keys.hide(), "Hide the panel that had the keyboard last", also_called="close"
    ),
    Action(
        "columns",
        "Sort and arrange &columns…",
        "View/panels",
        lambda d: _show_columns(d),
        shortcuts=("Ctrl+H",),
        tip="Sort the list that had the keyboard last, and make its columns wider or narrower",
        enabled=lambda d: header_of(d.regions.latest) is not None,
        lack="Go to a list first (F6)",
        submenu=_MENU,
        also_called="table header sort width",
    ),
)


def _show_columns(desk: WholeDesk) -> None:
    view = desk.regions.latest
    header = header_of(view)
    if isinstance(view, QAbstractItemView) and header is not None:
        show_columns_menu(view, header)


# What is done to a table with a mouse on its header, as a menu: sort, widen, narrow, choose columns.

# Logical px for each press; no column becomes narrower than the least.
COLUMNS_MENU_STEP, LEAST = 24, 24
_Order = Qt.SortOrder
_LABEL = Qt.ItemDataRole.DisplayRole


def header_of(widget: QWidget | None) -> QHeaderView | None:
    """The header of the list that has the keyboard; None: there is none to be seen."""
    if isinstance(widget, QTableView):
        header = widget.horizontalHeader()
    elif isinstance(widget, QTreeView):
        header = widget.header()
    else:
        return None
    return header if header.isVisible() and header.count() else None


def show_columns_menu(view: QAbstractItemView, header: QHeaderView) -> QMenu:
    """Shows the menu below the header, where a mouse would have been."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    _add_sorting(menu, view, header)
    _add_widths(menu, header)
    if header.contextMenuPolicy() == Qt.ContextMenuPolicy.CustomContextMenu:
        menu.addSeparator()
        spot = QPoint(0, header.height())
        menu.addAction("Choose columns…", lambda: header.customContextMenuRequested.emit(spot))
    menu.popup(header.mapToGlobal(QPoint(0, header.height())))
    return menu


def _shown(header: QHeaderView) -> list[tuple[int, str]]:
    """The columns from left to right, each with its title."""
    columns = (header.logicalIndex(place) for place in range(header.count()))
    titles = ((at, header.model().headerData(at, header.orientation(), _LABEL)) for at in columns)
    return [(at, str(title)) for at, title in titles if title and not header.isSectionHidden(at)]


def _add_sorting(menu: QMenu, view: QAbstractItemView, header: QHeaderView) -> None:
    if not (isinstance(view, QTableView | QTreeView) and view.isSortingEnabled() and header.sectionsClickable()):
        return
    inner = menu.addMenu("&Sort by")
    now, order = header.sortIndicatorSection(), header.sortIndicatorOrder()
    for column, title in _shown(header):
        action = inner.addAction(title.replace("&", "&&"), partial(_sort, header, column))
        action.setCheckable(True)
        action.setChecked(column == now)
    inner.addSeparator()
    turned = _Order.AscendingOrder if order == _Order.DescendingOrder else _Order.DescendingOrder
    inner.addAction("&The other way round", partial(header.setSortIndicator, now, turned)).setEnabled(now >= 0)
    if header.isSortIndicatorClearable():
        first = partial(header.setSortIndicator, -1, _Order.AscendingOrder)
        inner.addAction("&As they come", first).setEnabled(now >= 0)


def _sort(header: QHeaderView, column: int, _checked: bool = False) -> None:
    """First the way round that a click on it gives."""
    wish = header.model().headerData(column, header.orientation(), Qt.ItemDataRole.InitialSortOrderRole)
    header.setSortIndicator(column, wish if isinstance(wish, _Order) else _Order.AscendingOrder)


def _add_widths(menu: QMenu, header: QHeaderView) -> None:
    free = [(at, title) for at, title in _shown(header) if _can_change(header, at)]
    for text, by in (("&Widen", COLUMNS_MENU_STEP), ("&Narrow", -COLUMNS_MENU_STEP), ("&Fit to its contents", 0)):
        inner = menu.addMenu(text)
        inner.setEnabled(bool(free))
        for column, title in free:
            inner.addAction(title.replace("&", "&&"), partial(_resize, header, column, by))


def _can_change(header: QHeaderView, column: int) -> bool:
    return header.sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive


def _resize(header: QHeaderView, column: int, by: int, _checked: bool = False) -> None:
    if by:
        header.resizeSection(column, max(header.sectionSize(column) + by, LEAST))
        return
    view = header.parentWidget()
    if isinstance(view, QTableView | QTreeView):
        view.resizeColumnToContents(column)
