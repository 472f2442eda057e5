"""Makes menus, toolbar and shortcuts out of the table of actions."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from errorflow_viewer.commands.api import MENUS, Action, CommandTable, Desk, Entry
from errorflow_viewer.commands.crumbs import Crumbs
from errorflow_viewer.document import comparing, finding
from errorflow_viewer.document.opening_jobs import OPEN, PREPARE, SESSION
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.keymap import Keymap, native
from errorflow_viewer.panels.simulate.switch_actions import is_of_use
from errorflow_viewer.window.actions import ACTIONS, GRAPH_MENU, LEGEND_MENU
from errorflow_viewer.window.desk import WholeDesk
from errorflow_viewer.window.palette import Palette

_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)


@cache
def _as_written(keys: str) -> str:
    return native(keys)


class Commands:
    """The actions of one window as Qt objects."""

    def __init__(self, window: QMainWindow, desk: WholeDesk) -> None:
        self._window = window
        self._desk = desk
        self._groups: dict[str, QActionGroup] = {}
        self.table = CommandTable(ACTIONS, Keymap.of(desk.settings))
        self.table.keymap.changed.connect(self._on_keys)
        self._made: dict[str, QAction] = {}
        # Those that may look otherwise than they are: only what is seen or pressed is asked what it is.
        self._stale: set[str] = set()
        self._holds, self._is_late = 0, False
        # What has changed meanwhile; None: whatever it may be.
        self._late: set[str] | None = set()
        # Icons that are not drawn yet, as no menu was open that shows them: most never are.
        self._bare: dict[QAction, str] = {}
        for row in ACTIONS:
            if row.entries is None:
                self._made[row.key] = self._make(row)
        self.palette = Palette(window, desk)
        self._early = EarlyKeys(window, desk, self._made, self._bring_up_pressed)
        for dock in window.findChildren(QDockWidget):
            self._early.watch(dock)
        self._letters = _Letters(window)
        self.menus = {name: self._make_menu(name) for name in MENUS}

    @property
    def made(self) -> Mapping[str, QAction]:
        """Actions by the keys of their rows, all as they are now."""
        self._bring_up(self._stale)
        return self._made

    def give_keys(self, graph: QWidget) -> None:
        """Keys that only count in the graph work while it has the keyboard."""
        self._early.set_graph(graph)
        for row in ACTIONS:
            if row.graph_only:
                self._made[row.key].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
                self._window.removeAction(self._made[row.key])
                graph.addAction(self._made[row.key])

    def show_graph_menu(self, spot: QPoint) -> None:
        """Shows what can be done with what is selected in the graph, and nothing else."""
        self._show_menu(spot, GRAPH_MENU, all_rows=False)

    def show_legend_menu(self, spot: QPoint) -> None:
        """Shows how error is painted; what holds several is a menu of its own."""
        self._show_menu(spot, LEGEND_MENU, all_rows=True)

    def _show_menu(self, spot: QPoint, sections: Sequence[Sequence[str]], *, all_rows: bool) -> None:
        self.refresh_all()
        menu = QMenu(self._window)
        self._attend(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(all_rows)
        for section in sections:
            for row in map(self.table.row, section):
                if row.key not in self._made:
                    if all_rows or self._holds_some(row):
                        self._add_submenu(menu, row)
                elif all_rows or (self._made[row.key].isEnabled() and is_of_use(self._desk, row.key)):
                    menu.addAction(self._made[row.key])
            menu.addSeparator()
        menu.popup(spot)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds changes: where many things change at once they are looked at once, at the end."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if self._is_late and not self._holds:
                fields, self._late = self._late, set()
                self.refresh(fields)

    def refresh(self, fields: Collection[str] | None = None) -> None:
        """Anything may make sense now that did not: the toolbar shows it at once, all else when it is used.
        `fields`: what has changed; None: whatever it may be."""
        self._is_late = bool(self._holds)
        if self._is_late:
            self._late = None if fields is None or self._late is None else self._late.union(fields)
            return
        self._stale = set(self._made)
        shown = (row for row in ACTIONS if row.toolbar)
        self._bring_up({row.key for row in shown if fields is None or not set(fields).isdisjoint(row.reads)})
        self._early.look_again()

    def refresh_all(self) -> None:
        """Refreshes all for a menu, which shows them."""
        self._bring_up(self._made)

    def _bring_up(self, keys: Collection[str]) -> None:
        """Greys out what makes no sense now, and ticks what is on."""
        for row in [row for row in ACTIONS if row.key in keys] if keys else ():
            action = self._made[row.key]
            action.setEnabled(row.enabled(self._desk))
            _explain(action, row, self._keys(row))
            if row.named is not None:
                action.setText(row.named(self._desk))
            if row.checked is not None:
                action.setChecked(row.checked(self._desk))
            if row.toolbar:
                icons.listen_no_more(action)
        self._stale = self._stale.difference(keys)

    def _bring_up_pressed(self, keys: QKeySequence) -> None:
        """Brings up to date what these keys may mean: where they are those of a command, that one."""
        pressed = {key for key, action in self._made.items() if keys in action.shortcuts()}
        self._bring_up(self._stale & pressed if pressed else self._stale)

    def _on_keys(self) -> None:
        for row in ACTIONS:
            if row.key in self._made:
                self._give_keys(self._made[row.key], row)
        self.refresh()

    def _give_keys(self, action: QAction, row: Action[WholeDesk]) -> None:
        action.setShortcuts([QKeySequence(keys) for keys in self.table.keys(row)])

    def _keys(self, row: Action[WholeDesk]) -> str:
        """The first as the platform writes it."""
        return "".join(map(_as_written, self.table.keys(row)[:1]))

    def make_toolbar(self) -> QToolBar:
        """Makes the toolbar, with the way to what is on view in the free room after the way back and forward."""
        middle = Crumbs(self._desk.document)
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
            self._give_icon(self._made[row.key])
            bar.addAction(self._made[row.key])
            button = bar.widgetForAction(self._made[row.key])
            if isinstance(button, QToolButton):
                button.setAccessibleName(row.name)
            previous = row.section
        return bar

    def _make(self, row: Action[WholeDesk]) -> QAction:
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

    def turn_on(self, key: str) -> None:
        """A command that is on or off: has it on."""
        row = self.table.row(key)
        if row.checked is not None and not row.checked(self._desk):
            self._run(row)

    def open_palette(self, text: str) -> None:
        self.palette.popup(text)

    def _run(self, row: Action[WholeDesk], _checked: bool = False) -> None:
        row.run(self._desk)
        self.refresh((row.key,))

    def _group(self, name: str) -> QActionGroup:
        if name not in self._groups:
            self._groups[name] = QActionGroup(self._window)
        return self._groups[name]

    def _make_menu(self, name: str) -> QMenu:
        menu = self._window.menuBar().addMenu(f"&{name}")
        self._attend(menu)
        menu.aboutToShow.connect(self.refresh_all)
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
                inner.get(row.submenu, menu).addAction(self._made[row.key])
            else:
                self._add_submenu(inner.get(row.submenu, menu), row)
        return menu

    def _add_submenu(self, menu: QMenu, row: Action[WholeDesk]) -> None:
        submenu = menu.addMenu(row.text)
        self._attend(submenu)
        submenu.setToolTipsVisible(True)
        if row.icon:
            self._bare[submenu.menuAction()] = row.icon
        menu.aboutToShow.connect(lambda: submenu.setEnabled(self._holds_some(row)))
        submenu.aboutToShow.connect(lambda: self._fill(submenu, row))

    def _attend(self, menu: QMenu) -> None:
        """Gives a menu what every one has."""
        menu.installEventFilter(self._letters)
        menu.aboutToShow.connect(partial(self._give_icons, menu))

    def _give_icons(self, menu: QMenu) -> None:
        for action in menu.actions():
            self._give_icon(action)

    def _give_icon(self, action: QAction) -> None:
        if name := self._bare.pop(action, ""):
            icons.follow(action, name)

    def _holds_some(self, row: Action[WholeDesk]) -> bool:
        return bool(row.entries and row.entries(self._desk))

    def _fill(self, submenu: QMenu, row: Action[WholeDesk]) -> None:
        submenu.clear()
        for entry in row.entries(self._desk) if row.entries is not None else ():
            action = submenu.addAction(entry.text.replace("&", "&&"))
            action.setToolTip(entry.tip if entry.enabled else f"{entry.tip}: not found")
            action.setEnabled(entry.enabled)
            action.setCheckable(entry.checked is not None)
            action.setChecked(bool(entry.checked))
            action.triggered.connect(partial(_run_entry, entry, self._desk))


def _explain(action: QAction, row: Action[WholeDesk], keys: str) -> None:
    """Says what it does, or why it cannot be done now."""
    tip = row.tip if row.tip else row.name.removesuffix("…")
    lacks = row.lack and not action.isEnabled()
    said = row.lack if lacks else tip
    whole = f"{tip} ({keys})" if keys and not lacks else said
    if (action.statusTip(), action.toolTip()) != (said, whole):  # looked through whenever anything changes
        action.setToolTip(whole)
        action.setStatusTip(said)


def _run_entry(entry: Entry[WholeDesk], desk: WholeDesk, _checked: bool = False) -> None:
    entry.run(desk)


class _Letters(QObject):
    """Letters mean a row of the menu that is open, and not what they do in the graph behind it."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_key = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if is_key and event.modifiers() in _PLAIN:  # type: ignore[attr-defined]  # it is a key then
            event.accept()
            return True
        return super().eventFilter(watched, event)


# What the commands on two runs wait for, from the model to what was found on its graph.
_STEPS = (SESSION, OPEN, PREPARE, comparing.KEY, finding.KEY)
# Milliseconds after which what is known so far is enough, and after which nobody remembers what was asked for.
ENOUGH, PATIENCE = 1_500, 10_000
# A key that a command takes comes as the first of these only.
_TOUCHES = frozenset(
    (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)
)


class EarlyKeys(QObject):
    """Keeper of the last key that was not taken because its command still lacked something; whatever the user does next
    takes its place.
    """

    def __init__(
        self, window: QMainWindow, desk: Desk, made: Mapping[str, QAction], bring_up: Callable[[QKeySequence], None]
    ) -> None:
        """`bring_up`: has the commands of these keys say whether they can be run now."""
        super().__init__(window)
        self._desk = desk
        self._made, self._bring_up = made, bring_up
        self._window = window
        self._graph: QWidget | None = None
        self._held: QAction | None = None
        # It has waited so long that it does not wait for the last number.
        self._hurries = False
        self._looking = QTimer(self, singleShot=True, interval=0)
        self._looking.timeout.connect(self._look)
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._hurry)
        window.installEventFilter(self)

    def set_graph(self, graph: QWidget) -> None:
        """Sets the graph, where keys count that are letters elsewhere."""
        self._graph = graph

    def look_again(self) -> None:
        """Looks again: something may be there now that was not."""
        if self._held is not None:
            self._looking.start()

    def watch(self, window: QWidget) -> None:
        """Watches a floating window, where keys mean the same."""
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            self._bring_up(QKeySequence(event.keyCombination()))  # before it is looked at which of them are enabled
        if self._held is not None and event.type() in _TOUCHES and event.spontaneous():
            self._forget()
        if watched is self._window and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._take(QKeySequence(event.keyCombination()))
        return super().eventFilter(watched, event)

    def _take(self, keys: QKeySequence) -> bool:
        """Whether it is a key to wait with."""
        row = next((row for row in ACTIONS if row.lack and keys in self._keys(row)), None)
        if row is None or self._made[row.key].isEnabled() or not self._comes or not self._counts(row):
            return False
        self._held, self._hurries = self._made[row.key], False
        self._patience.start(ENOUGH)
        self._window.statusBar().showMessage(f"{row.name}: as soon as the two runs are compared", ENOUGH)
        _application().installEventFilter(self)
        return True

    def _keys(self, row: Action[Any]) -> list[QKeySequence]:
        made = self._made.get(row.key)
        return [] if made is None else made.shortcuts()

    @property
    def _comes(self) -> bool:
        """Whether what is lacking is being worked out."""
        return any(map(self._desk.jobs.running, _STEPS))

    def _counts(self, row: Action[Any]) -> bool:
        """Whether it means the graph, on view or about to be."""
        return not row.graph_only or self._desk.document.model is None or self._window.focusWidget() is self._graph

    def _hurry(self) -> None:
        if self._hurries:
            self._forget()
        else:
            self._hurries = True
            self._patience.start(PATIENCE)
            self._look()

    def _look(self) -> None:
        held = self._held
        if held is not None:
            self._bring_up(held.shortcut())
        if held is not None and (not self._comes or (self._hurries and held.isEnabled())):
            self._forget()
            held.trigger()  # which does nothing where it is still disabled

    def _forget(self) -> None:
        self._held = None
        self._patience.stop()
        _application().removeEventFilter(self)


def _application() -> QCoreApplication:
    application = QCoreApplication.instance()
    assert application is not None, "there is a window"
    return application
