"""The commands for whoever has no mouse at hand, rows of the table of commands."""

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractItemView

from errorflow_viewer.commands.api import Action
from errorflow_viewer.kit.accessible.columns_menu import header_of, show_columns_menu
from errorflow_viewer.kit.accessible.panel_keys import PanelKeys, Side
from errorflow_viewer.window.desk import WholeDesk

# Around the window.
CIRCLING: tuple[Action[WholeDesk], ...] = (
    Action(
        "region.next",
        "Nex&t part of the window",
        "Go/find",
        lambda d: d.regions.step(1),
        "",
        ("F6",),
        "Give the keyboard to the next part: messages, graph, panels, status bar",
        also_called="focus region pane keyboard accessibility",
    ),
    Action(
        "region.previous",
        "Previo&us part of the window",
        "Go/find",
        lambda d: d.regions.step(-1),
        "",
        ("Shift+F6",),
        "Give the keyboard to the part before",
        also_called="focus region pane keyboard accessibility",
    ),
)

_MENU = "Ad&just panel"

_LACK = "Go to a panel first (F6)"


def _has_panel(desk: WholeDesk) -> bool:
    return desk.regions.panel is not None


def _on_panel(
    key: str,
    text: str,
    run: Callable[[PanelKeys], None],
    tip: str,
    also_called: str = "",
    shortcuts: tuple[str, ...] = (),
) -> Action[WholeDesk]:
    """On the panel that had the keyboard last."""
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
