"""What commands and panels may ask of the window. The window is one; tests may bring their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from errorflow_viewer.commands.parts import (
    Exports,
    Folds,
    Pair,
    Selection,
    SessionFiles,
    Support,
    Switches,
    View,
    WholePages,
)
from errorflow_viewer.document.deriving import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.earlier import Earlier
from errorflow_viewer.document.evaluating import Evaluating
from errorflow_viewer.document.ranking import Rankings
from errorflow_viewer.document.recents import Recents
from errorflow_viewer.document.searching import Searching
from errorflow_viewer.document.simulating import Simulating
from errorflow_viewer.kit.accessible.regions import Regions
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.large_plots import LargePlots
from errorflow_viewer.kit.recent import Recent
from errorflow_viewer.kit.settings import Settings, ThemeChoice
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.kit.translation.speech import Speech

if TYPE_CHECKING:
    from errorflow.case.scenarios.setup import Setup


# The menus, in their order.
MENUS = ("File", "Edit", "View", "Drawing", "Simulate", "Improve", "Go", "Help")


class Commands(Protocol):
    """What can be done, with the keys that the user wants for it."""

    @property
    def table(self) -> "CommandTable": ...

    def refresh(self) -> None: ...

    def run(self, key: str) -> None: ...


class Desk(Protocol):
    """What a command or a panel may ask of the window."""

    @property
    def document(self) -> Document: ...

    @property
    def jobs(self) -> Jobs: ...

    @property
    def derived(self) -> Deriving: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def recents(self) -> Recents: ...

    @property
    def appearance(self) -> Appearance: ...

    @property
    def speech(self) -> Speech: ...

    @property
    def view(self) -> View: ...

    def open(self, path: Path) -> None: ...

    def open_again(self, recent: Recent) -> None: ...

    def ask_for_file(self) -> None: ...

    def compare(self, setup: "Setup | None" = None) -> None: ...

    def compare_again(self) -> None: ...

    def align(self) -> None: ...

    def guide(self) -> None: ...

    def tour(self) -> None: ...

    def show_verdict_page(self) -> None: ...

    def make_ticket(self) -> None: ...

    def look_for_files(self) -> None: ...

    @property
    def simulating(self) -> Simulating: ...

    @property
    def earlier(self) -> Earlier: ...

    @property
    def ranking(self) -> Rankings: ...

    @property
    def searching(self) -> Searching: ...

    @property
    def evaluating(self) -> Evaluating: ...

    def reload(self) -> None: ...

    def close_model(self) -> None: ...

    def cancel(self) -> None: ...

    def quit(self) -> None: ...

    def say(self, text: str) -> None: ...

    def centre_on_selection(self) -> None: ...

    def focus_graph(self) -> None: ...

    def find_node(self) -> None: ...

    def open_palette(self, text: str) -> None: ...

    def toggle_panel(self, key: str) -> None: ...

    def show_panel(self, key: str, field: str = "") -> None: ...

    def hide_panel(self, key: str) -> None: ...

    def panel_shown(self, key: str) -> bool: ...

    def reset_layout(self) -> None: ...

    def toggle_full_screen(self) -> None: ...

    def is_full_screen(self) -> bool: ...

    @property
    def folds(self) -> Folds: ...

    @property
    def switches(self) -> Switches: ...

    @property
    def selection(self) -> Selection: ...

    @property
    def exports(self) -> Exports: ...

    @property
    def plots(self) -> LargePlots: ...

    @property
    def support(self) -> Support: ...

    @property
    def session_files(self) -> SessionFiles: ...

    @property
    def regions(self) -> Regions: ...

    @property
    def pair(self) -> Pair: ...

    @property
    def commands(self) -> Commands: ...

    @property
    def whole_pages(self) -> WholePages: ...

    def step_match(self, step: int) -> None: ...

    def show_in_list(self) -> None: ...

    def set_theme(self, choice: ThemeChoice) -> None: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a submenu that is filled when it opens."""

    text: str
    run: Callable[[Desk], None]
    tip: str = ""
    enabled: bool = True
    # Of lines of which one holds: whether it is this one; None: they are commands.
    checked: bool | None = None


Ask = Callable[[Desk], bool]


def always(_: Desk) -> bool:
    return True


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


@dataclass(frozen=True, slots=True)
class CommandTable:
    """All commands of the window, with the keys that the user wants for them."""

    rows: tuple[Action, ...]
    keymap: Keymap

    def row(self, key: str) -> Action:
        return next(row for row in self.rows if row.key == key)

    def keys(self, row: Action) -> tuple[str, ...]:
        return self.keymap.keys(row.key, row.shortcuts)

    def is_changed(self, row: Action) -> bool:
        """Whether the user gave it other keys than its own."""
        return self.keymap.is_changed(row.key, row.shortcuts)

    def give(self, row: Action, keys: Sequence[str]) -> None:
        """These and no others."""
        self.keymap.give(row.key, row.shortcuts, keys)
