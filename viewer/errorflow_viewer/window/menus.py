"""Makes menus, toolbar and shortcuts out of the table of actions."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from errorflow_viewer.commands.api import MENUS, Action, CommandTable, Desk, Entry
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.keymap import Keymap, native
from errorflow_viewer.panels.simulate.switch_actions import is_of_use
from errorflow_viewer.window.actions import ACTIONS, GRAPH_MENU, LEGEND_MENU
from errorflow_viewer.window.early_keys import EarlyKeys

_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)


@cache
def _as_written(keys: str) -> str:
    return native(keys)


class Commands:
    """The actions of one window as Qt objects."""

    def __init__(self, window: QMainWindow, desk: Desk) -> None:
        self._window = window
        self._desk = desk
        self._groups: dict[str, QActionGroup] = {}
        self.table = CommandTable(ACTIONS, Keymap.of(desk.settings))
        self.table.keymap.changed.connect(self._on_keys)
        self.made: dict[str, QAction] = {}
        self._holds, self._is_late = 0, False
        # Icons that are not drawn yet, as no menu was open that shows them: most never are.
        self._bare: dict[QAction, str] = {}
        for row in ACTIONS:
            if row.entries is None:
                self.made[row.key] = self._make(row)
        self._early = EarlyKeys(window, desk, self.made)
        self._letters = _Letters(window)
        self.menus = {name: self._make_menu(name) for name in MENUS}

    def give_keys(self, graph: QWidget) -> None:
        """Keys that only count in the graph work while it has the keyboard."""
        self._early.set_graph(graph)
        for row in ACTIONS:
            if row.graph_only:
                self.made[row.key].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
                self._window.removeAction(self.made[row.key])
                graph.addAction(self.made[row.key])

    def show_graph_menu(self, spot: QPoint) -> None:
        """What can be done with what is selected in the graph."""
        self.refresh()
        menu = QMenu(self._window)
        self._attend(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = {row.key: row for row in ACTIONS}
        for section in GRAPH_MENU:
            for key in section:
                if key not in self.made:
                    if self._holds_some(rows[key]):
                        self._add_submenu(menu, rows[key])
                elif self.made[key].isEnabled() and is_of_use(self._desk, key):
                    menu.addAction(self.made[key])
            menu.addSeparator()
        menu.popup(spot)

    def show_legend_menu(self, spot: QPoint) -> None:
        """How error is painted; what holds several is a menu of its own."""
        self.refresh()
        menu = QMenu(self._window)
        self._attend(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        rows = {row.key: row for row in ACTIONS}
        for section in LEGEND_MENU:
            for key in section:
                if key in self.made:
                    menu.addAction(self.made[key])
                else:
                    self._add_submenu(menu, rows[key])
            menu.addSeparator()
        menu.popup(spot)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Where many things change at once they are looked at once, at the end."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if self._is_late and not self._holds:
                self.refresh()

    def refresh(self) -> None:
        """Greys out what makes no sense now, and ticks what is on."""
        self._is_late = bool(self._holds)
        if self._is_late:
            return
        for row in ACTIONS:
            action = self.made.get(row.key)
            if action is not None:
                action.setEnabled(row.enabled(self._desk))
                _explain(action, row, self._keys(row))
                if row.named is not None:
                    action.setText(row.named(self._desk))
                if row.checked is not None:
                    action.setChecked(row.checked(self._desk))
                if row.toolbar:
                    icons.listen_no_more(action)
        self._early.look_again()

    def _on_keys(self) -> None:
        for row in ACTIONS:
            if row.key in self.made:
                self._give_keys(self.made[row.key], row)
        self.refresh()

    def _give_keys(self, action: QAction, row: Action) -> None:
        action.setShortcuts([QKeySequence(keys) for keys in self.table.keys(row)])

    def _keys(self, row: Action) -> str:
        """The first as the platform writes it."""
        return "".join(map(_as_written, self.table.keys(row)[:1]))

    def make_toolbar(self, middle: QWidget) -> QToolBar:
        """`middle` takes the free room after the way back and forward."""
        bar = QToolBar("Toolbar", self._window)
        bar.setObjectName("toolbar")
        bar.setMovable(False)
        bar.setIconSize(QSize(20, 20))
        bar.toggleViewAction().setVisible(False)
        rows = sorted((row for row in ACTIONS if row.toolbar), key=lambda row: row.toolbar)
        previous = ""
        for row in rows:
            if previous == "history":
                middle.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
                if row.section != previous:
                    bar.addWidget(middle)
            elif previous and row.section != previous:
                bar.addSeparator()
            self._give_icon(self.made[row.key])
            bar.addAction(self.made[row.key])
            button = bar.widgetForAction(self.made[row.key])
            if isinstance(button, QToolButton):
                button.setAccessibleName(row.name)
            previous = row.section
        return bar

    def _make(self, row: Action) -> QAction:
        action = QAction(row.text, self._window)
        action.setObjectName(row.key)
        self._give_keys(action, row)
        _explain(action, row, self._keys(row))
        if row.icon:
            self._bare[action] = row.icon
        if row.checked is not None:
            action.setCheckable(True)
            action.setIconVisibleInMenu(False)  # its place is the tick's
        if row.choice:
            self._group(row.choice).addAction(action)
        action.triggered.connect(partial(self._run, row))
        self._window.addAction(action)
        return action

    def run(self, key: str) -> None:
        """The command of that key, whatever it lacks."""
        self._run(self.table.row(key))

    def _run(self, row: Action, _checked: bool = False) -> None:
        row.run(self._desk)
        self.refresh()

    def _group(self, name: str) -> QActionGroup:
        if name not in self._groups:
            self._groups[name] = QActionGroup(self._window)
        return self._groups[name]

    def _make_menu(self, name: str) -> QMenu:
        menu = self._window.menuBar().addMenu(f"&{name}")
        self._attend(menu)
        menu.aboutToShow.connect(self.refresh)
        menu.setToolTipsVisible(any(row.lack for row in ACTIONS if row.menu == name))
        section = ""
        inner: dict[str, QMenu] = {}
        for row in ACTIONS:
            if name not in (row.menu, row.also_in):
                continue
            if section and row.section != section:
                menu.addSeparator()
            section = row.section
            if row.submenu and row.submenu not in inner:
                inner[row.submenu] = menu.addMenu(row.submenu)
                self._attend(inner[row.submenu])
                inner[row.submenu].setToolTipsVisible(menu.toolTipsVisible())
            if row.entries is None:
                inner.get(row.submenu, menu).addAction(self.made[row.key])
            else:
                self._add_submenu(inner.get(row.submenu, menu), row)
        return menu

    def _add_submenu(self, menu: QMenu, row: Action) -> None:
        submenu = menu.addMenu(row.text)
        self._attend(submenu)
        submenu.setToolTipsVisible(True)
        if row.icon:
            self._bare[submenu.menuAction()] = row.icon
        menu.aboutToShow.connect(lambda: submenu.setEnabled(self._holds_some(row)))
        submenu.aboutToShow.connect(lambda: self._fill(submenu, row))

    def _attend(self, menu: QMenu) -> None:
        """What every menu is given."""
        menu.installEventFilter(self._letters)
        menu.aboutToShow.connect(partial(self._give_icons, menu))

    def _give_icons(self, menu: QMenu) -> None:
        for action in menu.actions():
            self._give_icon(action)

    def _give_icon(self, action: QAction) -> None:
        if name := self._bare.pop(action, ""):
            icons.follow(action, name)

    def _holds_some(self, row: Action) -> bool:
        return bool(row.entries and row.entries(self._desk))

    def _fill(self, submenu: QMenu, row: Action) -> None:
        submenu.clear()
        for entry in row.entries(self._desk) if row.entries is not None else ():
            action = submenu.addAction(entry.text.replace("&", "&&"))
            action.setToolTip(entry.tip if entry.enabled else f"{entry.tip}: not found")
            action.setEnabled(entry.enabled)
            action.setCheckable(entry.checked is not None)
            action.setChecked(bool(entry.checked))
            action.triggered.connect(partial(_run_entry, entry, self._desk))


def _explain(action: QAction, row: Action, keys: str) -> None:
    """Says what it does, or why it cannot be done now."""
    tip = row.tip if row.tip else row.name.removesuffix("…")
    lacks = row.lack and not action.isEnabled()
    said = row.lack if lacks else tip
    whole = f"{tip} ({keys})" if keys and not lacks else said
    if (action.statusTip(), action.toolTip()) != (said, whole):  # looked through whenever anything changes
        action.setToolTip(whole)
        action.setStatusTip(said)


def _run_entry(entry: Entry, desk: Desk, _checked: bool = False) -> None:
    entry.run(desk)


class _Letters(QObject):
    """Letters mean a row of the menu that is open, and not what they do in the graph behind it."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_key = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if is_key and event.modifiers() in _PLAIN:  # type: ignore[attr-defined]  # it is a key then
            event.accept()
            return True
        return super().eventFilter(watched, event)
