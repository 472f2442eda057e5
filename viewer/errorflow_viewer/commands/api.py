"""Interface of the window for commands and panels. The window has it; tests may bring their own."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass
from errorflow.quant.marks import is_quantized
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.second_graph import Second
from errorflow_viewer.document.studies import Studies
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.large_plots import LargePlots
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance

# The menus, in their order.
MENUS = ("File", "Edit", "View", "Drawing", "Simulate", "Improve", "Go", "Help")


class CommandsApi(Protocol):
    """Commands of the app, with the keys that the user wants for them."""

    @property
    def table(self) -> "CommandTable": ...

    def refresh(self) -> None: ...

    def run(self, key: str) -> None: ...

    def turn_on(self, key: str) -> None: ...

    def open_palette(self, text: str) -> None: ...


class Panels(Protocol):
    """The docks, by their keys."""

    def show(self, key: str, field: str = "") -> None: ...

    def toggle(self, key: str) -> None: ...

    def is_shown(self, key: str) -> bool: ...


class SelectionApi(Protocol):
    """Selection by name."""

    @property
    def name(self) -> str: ...

    @property
    def group_nodes(self) -> Ints: ...

    @property
    def group_drawn(self) -> int: ...

    @property
    def drawn_with(self) -> int | None: ...

    @property
    def drawn_nodes(self) -> int | None: ...

    @property
    def tensor_names(self) -> tuple[str, ...]: ...

    def copy_name(self) -> None: ...

    def copy_tensor_names(self) -> None: ...


class SupportApi(Protocol):
    """Support for a user who is stuck."""

    def show_help(self, page: str = "") -> None: ...

    def show_log(self) -> None: ...

    def show_log_folder(self) -> None: ...

    def show_about(self) -> None: ...

    def show_outside(self, path: Path) -> None: ...

    def copy_diagnostics(self) -> None: ...

    def tell(self, notice: Notice) -> None: ...


class Pair(Protocol):
    """The graph on view and a second one."""

    @property
    def second(self) -> Second: ...

    def ask(self) -> None: ...

    def go(self, main: Collection[int], second: Collection[int]) -> None: ...


class Desk(Protocol):
    """Interface of the window for any command or panel; what only some need stands in a protocol beside them."""

    document: Document
    jobs: Jobs
    derived: Deriving
    studies: Studies
    settings: Settings
    appearance: Appearance

    @property
    def commands(self) -> CommandsApi: ...

    @property
    def panels(self) -> Panels: ...

    plots: LargePlots

    @property
    def support(self) -> SupportApi: ...

    @property
    def selection(self) -> SelectionApi: ...

    @property
    def pair(self) -> Pair: ...

    def open(self, path: Path) -> None: ...

    def ask_for_file(self) -> None: ...

    def compare_again(self) -> None: ...

    def focus_graph(self) -> None: ...

    def say(self, text: str) -> None: ...


D = TypeVar("D", contravariant=True)  # the desk that it is run with: a `Desk`, or one that has more


@dataclass(frozen=True, slots=True)
class Entry(Generic[D]):
    """A line of a submenu that is filled when it opens."""

    text: str
    run: Callable[[D], None]
    tip: str = ""
    enabled: bool = True
    # Of lines of which one holds: whether it is this one; None: they are commands.
    checked: bool | None = None


def always(_: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Action(Generic[D]):
    """One command. `tip` says more than the text where that helps."""

    key: str
    text: str
    # Its menu and the section of that: "File/open".
    place: str
    run: Callable[[D], None]
    icon: str = ""
    shortcuts: tuple[str, ...] = ()
    tip: str = ""
    enabled: Callable[[D], bool] = always
    # What is missing while it is greyed out, where one would wonder.
    lack: str = ""
    # For commands that are on or off.
    checked: Callable[[D], bool] | None = None
    # Commands of which exactly one is on.
    choice: str = ""
    # Its place in the toolbar, from the left; 0: not there. And what it looks otherwise after, fields of the state,
    # or commands that were run, by their keys.
    toolbar: int = 0
    reads: Collection[str] = ()
    # A submenu made of what this answers, instead of a command.
    entries: Callable[[D], tuple[Entry[D], ...]] | None = None
    # Its keys count only while the graph has the keyboard: elsewhere they are letters.
    graph_only: bool = False
    # A second menu that shows it.
    also_in: str = ""
    # The submenu of its menu that it stands in, by its text.
    submenu: str = ""
    # What the menu calls it now, where that changes; None: `text`.
    named: Callable[[D], str] | None = None
    # Other words that one may type to find it.
    also_called: str = ""

    @property
    def menu(self) -> str:
        return self.place.partition("/")[0]

    @property
    def section(self) -> str:
        return self.place.partition("/")[2]

    @property
    def name(self) -> str:
        """The text without the mark of its menu key, as it is understood without the menus around it."""
        text = f"{self.submenu}: {self.text}" if self.submenu else self.text
        return text.replace("&", "")


@dataclass(frozen=True, slots=True)
class CommandTable:
    """All commands of the window, with the keys that the user wants for them."""

    rows: tuple[Action[Any], ...]
    keymap: Keymap

    def row(self, key: str) -> Action[Any]:
        return next(row for row in self.rows if row.key == key)

    def keys(self, row: Action[Any]) -> tuple[str, ...]:
        return self.keymap.keys(row.key, row.shortcuts)

    def is_changed(self, row: Action[Any]) -> bool:
        """Whether the user gave it other keys than its own."""
        return self.keymap.is_changed(row.key, row.shortcuts)

    def give(self, row: Action[Any], keys: Sequence[str]) -> None:
        """Gives these and no others."""
        self.keymap.give(row.key, row.shortcuts, keys)


# Conditions that commands have before they can be run.


def has_model(desk: Desk) -> bool:
    return desk.document.model is not None


def has_selection(desk: Desk) -> bool:
    state = desk.document.state
    return (state.node, state.tensor, state.group) != (None, None, None)


def is_searching(desk: Desk) -> bool:
    return has_model(desk) and bool(desk.document.state.search.strip())


def has_findings(desk: Desk) -> bool:
    return desk.document.state.findings is not None


def is_simulated(desk: Desk) -> bool:
    return desk.document.session.simulation is not None


def could_simulate(desk: Desk) -> bool:
    """Whether the model is a float one, as far as one can see at once, and nothing of it is simulated."""
    model = desk.document.model
    if model is None or model.format != "ONNX model" or is_simulated(desk):
        return False
    return not is_quantized(model.graph)
