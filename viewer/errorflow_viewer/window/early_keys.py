"""Keys that come too early: while what they need is being worked out they wait for it."""

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow, QWidget

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.document import comparing, finding
from errorflow_viewer.document.opening_jobs import OPEN, PREPARE, SESSION
from errorflow_viewer.window.actions import ACTIONS

# What the commands on two runs wait for, from the model to what was found on its graph.
_STEPS = (SESSION, OPEN, PREPARE, comparing.KEY, finding.KEY)
# Milliseconds after which what is known so far is enough, and after which nobody remembers what was asked for.
ENOUGH, PATIENCE = 1_500, 10_000
# A key that a command takes comes as the first of these only.
_TOUCHES = frozenset(
    (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)
)


class EarlyKeys(QObject):
    """Holds the last key that nobody took because its command still lacked something; whatever the user does next
    takes its place."""

    def __init__(
        self,
        window: QMainWindow,
        desk: Desk,
        made: Mapping[str, QAction],
        bring_up: Callable[[QKeySequence], None],
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
        """Where keys count that are letters elsewhere."""
        self._graph = graph

    def look_again(self) -> None:
        """Something may be there now that was not."""
        if self._held is not None:
            self._looking.start()

    def watch(self, window: QWidget) -> None:
        """One that floats, where keys mean the same."""
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
