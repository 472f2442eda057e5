"""The row under which a panel stands in `errorflow_viewer.panels.PANELS`."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from errorflow.base.values import dataclass, field
from errorflow_viewer.commands.api import Action, Desk, always

LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)


@runtime_checkable
class WithButtons(Protocol):
    """A panel with buttons for its title row."""

    title_buttons: tuple[QToolButton, ...]


@runtime_checkable
class Sighted(Protocol):
    """Panel that does less while it is not seen; behind another tab Qt still calls it visible."""

    def note_seen(self, seen: bool) -> None: ...


@runtime_checkable
class Typed(Protocol):
    """A panel with fields that the keyboard is given to from elsewhere."""

    def take_keyboard(self, field: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Panel:
    """One dock."""

    key: str
    title: str
    area: Qt.DockWidgetArea
    # Whether it is there at the first start.
    shown: bool
    make: Callable[[Desk], QWidget]
    # Shows or hides it.
    command: Action[Desk] = field(kw_only=True)
    # The key of the panel whose place it shares as a tab; "": it has a place of its own.
    tab_of: str = ""
    # The page of the manual about it, as in `how-to/search.md` or `how-to/simulate.md#the-plan`.
    help: str = ""
    # Whether it has to be there before the first model is: it is told of more than it finds in the document.
    listens: bool = False


def panel_action(
    panel: str,
    text: str,
    icon: str,
    shortcut: str,
    tip: str,
    *,
    menu: str = "View",
    section: str = "panels",
    enabled: Callable[[Desk], bool] = always,
    submenu: str = "",
    also_called: str = "",
) -> Action[Desk]:
    """The command that shows or hides the panel of that key."""
    return Action(
        f"panel.{panel}",
        text,
        f"{menu}/{section}",
        lambda d: d.panels.toggle(panel),
        icon,
        (shortcut,) if shortcut else (),
        tip,
        enabled,
        checked=lambda d: d.panels.is_shown(panel),
        submenu=submenu,
        also_called=also_called,
    )
