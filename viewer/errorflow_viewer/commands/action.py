"""One command of the app: what it is called, where it is found, what it does."""

from collections.abc import Callable
from dataclasses import dataclass

from errorflow_viewer.commands.api import Desk, Entry

Ask = Callable[[Desk], bool]


def always(_: Desk) -> bool:
    return True


def has_model(desk: Desk) -> bool:
    return desk.document.model is not None


def sees_graph(desk: Desk) -> bool:
    """Not so on a page in its place, where what steers the picture has no effect that anybody sees."""
    return has_model(desk) and desk.whole_pages.graph_shown


def sees_selection(desk: Desk) -> bool:
    return sees_graph(desk) and has_selection(desk)


def has_selection(desk: Desk) -> bool:
    state = desk.document.state
    return (state.node, state.tensor, state.group) != (None, None, None)


def has_groups(desk: Desk) -> bool:
    return sees_graph(desk) and desk.folds.any


def can_open(desk: Desk) -> bool:
    return sees_graph(desk) and desk.folds.can_open


def can_close(desk: Desk) -> bool:
    return sees_graph(desk) and desk.folds.can_close


def has_fold_or_group(desk: Desk) -> bool:
    return can_open(desk) or can_close(desk)


def is_searching(desk: Desk) -> bool:
    return has_model(desk) and bool(desk.document.state.search.strip())


@dataclass(frozen=True, slots=True)
class Action:
    """One command. `section` groups it in its menu, `tip` says more than the text where that helps."""

    key: str
    text: str
    menu: str
    section: str
    run: Callable[[Desk], None]
    icon: str = ""
    shortcuts: tuple[str, ...] = ()
    tip: str = ""
    enabled: Ask = always
    # What is missing while it is greyed out, where one would wonder.
    lack: str = ""
    # For commands that are on or off.
    checked: Ask | None = None
    # Commands of which exactly one is on.
    choice: str = ""
    # Its place in the toolbar, from the left; 0: not there.
    toolbar: int = 0
    # A submenu made of what this answers, instead of a command.
    entries: Callable[[Desk], tuple[Entry, ...]] | None = None
    # Its keys count only while the graph has the keyboard: elsewhere they are letters.
    graph_only: bool = False
    # A second menu that shows it.
    also_in: str = ""
    # The submenu of its menu that it stands in, by its text.
    submenu: str = ""
    # What the menu calls it now, where that changes; None: `text`.
    named: Callable[[Desk], str] | None = None
    # Other words that one may type to find it.
    also_called: str = ""

    @property
    def name(self) -> str:
        """The text without the mark of its menu key, as it is understood without the menus around it."""
        text = f"{self.submenu}: {self.text}" if self.submenu else self.text
        return text.replace("&", "")


def panel_action(
    panel: str,
    text: str,
    icon: str,
    shortcut: str,
    tip: str,
    *,
    menu: str = "View",
    section: str = "panels",
    enabled: Ask = always,
    also_called: str = "",
) -> Action:
    """The command that shows or hides a panel."""
    return Action(
        f"panel.{panel}",
        text,
        menu,
        section,
        lambda d: d.toggle_panel(panel),
        icon,
        (shortcut,),
        tip,
        enabled,
        checked=lambda d: d.panel_shown(panel),
        also_called=also_called,
    )
