"""Every command of the app, in one table: menus, toolbar, shortcuts, palette and docs are made from it.

To add one: a row in ACTIONS, in the place where the menu shall show it.
"""

from functools import partial
from pathlib import Path

from errorflow.sample import SAMPLES, Sample
from errorflow_viewer.action import Action, has_model, has_selection, is_searching
from errorflow_viewer.compare_actions import COMPARING
from errorflow_viewer.desk import Desk, Entry
from errorflow_viewer.drawing_actions import ARRANGING, FOLDING
from errorflow_viewer.error_actions import PAINTING
from errorflow_viewer.export_actions import EXPORTING
from errorflow_viewer.inspector_actions import INSPECTING
from errorflow_viewer.log_actions import LOGGING
from errorflow_viewer.match_actions import MATCHING
from errorflow_viewer.node_actions import WORST
from errorflow_viewer.profile_actions import PROFILING
from errorflow_viewer.second_actions import PAIRING
from errorflow_viewer.session_actions import EDITING, SAVING
from errorflow_viewer.support_actions import SUPPORTING
from errorflow_viewer.verdict_actions import COPYING, JUDGING

MENUS = ("File", "Edit", "View", "Drawing", "Go", "Help")
# What the menu of the right button offers in the graph, as far as it makes sense.
GRAPH_MENU = (
    ("fold.open", "fold.close", "fold.inside", "fold.others"),
    ("fold.all", "fold.none", "fold.whole"),
    ("centre", "show_in_list"),
    ("copy_name", "copy_tensors"),
)
ZOOM_STEP = 1.25


def open_menu(desk: Desk) -> None:
    """A submenu has no command of its own; from the palette it lists what it holds."""
    desk.open_palette("Open ")


def recent_entries(desk: Desk) -> tuple[Entry, ...]:
    """The recent files, and the way to forget them."""
    recents = desk.recents
    files = tuple(
        Entry(path.name, partial(_open, path), str(path), not recents.is_missing(path)) for path in recents.files
    )
    return (*files, Entry("Clear recent files", lambda desk: desk.recents.clear())) if files else ()


def turn_reopening(desk: Desk) -> None:
    """Whether the next start opens the model of the last time."""
    desk.settings.reopens = not desk.settings.reopens


def sample_entries(_: Desk) -> tuple[Entry, ...]:
    """The built-in samples; nothing of them is read before one is chosen."""
    return tuple(Entry(row.title, partial(_open_sample, row), row.story) for row in SAMPLES)


def _open_sample(sample: Sample, desk: Desk) -> None:
    desk.open(sample.model)


def _open(path: Path, desk: Desk) -> None:
    desk.open(path)


ACTIONS: tuple[Action, ...] = (
    Action(
        "open", "&Open…", "File", "open", lambda d: d.ask_for_file(), "open", ("Ctrl+O",), "Open a model", toolbar=1
    ),
    *COMPARING,
    Action("recent", "Open &recent", "File", "open", open_menu, "recent", entries=recent_entries),
    Action("sample", "Open &sample", "File", "open", open_menu, "sample", entries=sample_entries, also_in="Help"),
    Action(
        "reopen",
        "Reopen the last &model at start",
        "File",
        "open",
        turn_reopening,
        checked=lambda d: d.settings.reopens,
    ),
    Action(
        "reload",
        "Re&load",
        "File",
        "model",
        lambda d: d.reload(),
        "reload",
        ("F5", "Ctrl+R"),
        "Read the file again",
        has_model,
    ),
    Action(
        "close",
        "&Close",
        "File",
        "model",
        lambda d: d.close_model(),
        "close",
        ("Ctrl+W",),
        "Close the model",
        has_model,
    ),
    Action(
        "cancel",
        "C&ancel what is running",
        "File",
        "model",
        lambda d: d.cancel(),
        "",
        ("Esc",),
        "Stop opening or drawing",
        lambda d: bool(d.jobs.steps),
    ),
    *SAVING,
    *EXPORTING,
    Action(
        "copy_name",
        "Copy &name",
        "File",
        "names",
        lambda d: d.selection.copy_name(),
        "copy",
        ("Ctrl+C",),
        "Copy the name of what is selected in the graph",
        has_selection,
        graph_only=True,
    ),
    Action(
        "copy_tensors",
        "Copy &tensor names",
        "File",
        "names",
        lambda d: d.selection.copy_tensor_names(),
        "",
        ("Ctrl+Shift+T",),
        "Copy the names of the tensors that the selected node makes",
        lambda d: bool(d.selection.tensor_names),
    ),
    *EDITING,
    *COPYING,
    Action("quit", "&Quit", "File", "quit", lambda d: d.quit(), "quit", ("Ctrl+Q",)),
    Action(
        "zoom_in",
        "Zoom &in",
        "View",
        "zoom",
        lambda d: d.view.zoom_by(ZOOM_STEP),
        "zoom-in",
        ("Ctrl++", "Ctrl+="),
        enabled=has_model,
        toolbar=5,
    ),
    Action(
        "zoom_out",
        "Zoom &out",
        "View",
        "zoom",
        lambda d: d.view.zoom_by(1 / ZOOM_STEP),
        "zoom-out",
        ("Ctrl+-",),
        enabled=has_model,
        toolbar=4,
    ),
    Action(
        "fit",
        "Fi&t graph",
        "View",
        "zoom",
        lambda d: d.view.fit(),
        "fit",
        ("Ctrl+0",),
        "Show the whole graph",
        has_model,
        toolbar=6,
    ),
    Action(
        "actual",
        "&Actual size",
        "View",
        "zoom",
        lambda d: d.view.zoom_to(1.0),
        "actual",
        ("Ctrl+1",),
        "Zoom to 100 %",
        has_model,
    ),
    Action(
        "centre",
        "&Centre on selection",
        "View",
        "zoom",
        lambda d: d.centre_on_selection(),
        "centre",
        ("Ctrl+E",),
        "Bring what is selected to the middle",
        has_selection,
    ),
    *PAINTING,
    *PAIRING,
    Action(
        "panel.nodes",
        "&Nodes",
        "View",
        "panels",
        lambda d: d.toggle_panel("nodes"),
        "nodes",
        ("Alt+1",),
        "Show or hide the list of nodes",
        checked=lambda d: d.panel_shown("nodes"),
    ),
    Action(
        "panel.details",
        "&Details",
        "View",
        "panels",
        lambda d: d.toggle_panel("details"),
        "details",
        ("Alt+2",),
        "Show or hide the details",
        checked=lambda d: d.panel_shown("details"),
    ),
    *INSPECTING,
    Action(
        "panel.problems",
        "&Problems",
        "View",
        "panels",
        lambda d: d.toggle_panel("problems"),
        "problems",
        ("Alt+3",),
        "Show or hide the problems of the file",
        checked=lambda d: d.panel_shown("problems"),
    ),
    *PROFILING,
    *MATCHING,
    *JUDGING,
    *LOGGING,
    Action(
        "reset_layout",
        "&Reset layout",
        "View",
        "panels",
        lambda d: d.reset_layout(),
        "reset",
        tip="Put all panels back where they were at the first start",
    ),
    Action(
        "theme.system",
        "Theme of the s&ystem",
        "View",
        "theme",
        lambda d: d.set_theme("system"),
        "system",
        checked=lambda d: d.appearance.choice == "system",
        choice="theme",
    ),
    Action(
        "theme.light",
        "&Light theme",
        "View",
        "theme",
        lambda d: d.set_theme("light"),
        "light",
        checked=lambda d: d.appearance.choice == "light",
        choice="theme",
    ),
    Action(
        "theme.dark",
        "Dar&k theme",
        "View",
        "theme",
        lambda d: d.set_theme("dark"),
        "dark",
        checked=lambda d: d.appearance.choice == "dark",
        choice="theme",
    ),
    Action(
        "full_screen",
        "F&ull screen",
        "View",
        "screen",
        lambda d: d.toggle_full_screen(),
        "screen",
        ("F11",),
        checked=lambda d: d.is_full_screen(),
    ),
    *FOLDING,
    *ARRANGING,
    Action(
        "back",
        "&Back",
        "Go",
        "history",
        lambda d: d.document.step_back(),
        "back",
        ("Alt+Left",),
        "Back to where you were",
        lambda d: bool(d.document.state.back),
        toolbar=2,
    ),
    Action(
        "forward",
        "&Forward",
        "Go",
        "history",
        lambda d: d.document.step_forward(),
        "forward",
        ("Alt+Right",),
        "Forward again",
        lambda d: bool(d.document.state.forward),
        toolbar=3,
    ),
    Action(
        "find",
        "Fi&nd in the list of nodes",
        "Go",
        "find",
        lambda d: d.find_node(),
        "search",
        ("Ctrl+F", "/"),
        "Search the list of nodes",
        has_model,
    ),
    Action(
        "find_next",
        "Ne&xt match",
        "Go",
        "find",
        lambda d: d.step_match(1),
        "",
        ("F3",),
        "Go to the next node that the search has found",
        is_searching,
    ),
    Action(
        "find_previous",
        "P&revious match",
        "Go",
        "find",
        lambda d: d.step_match(-1),
        "",
        ("Shift+F3",),
        "Go to the previous node that the search has found",
        is_searching,
    ),
    *WORST,
    Action(
        "show_in_list",
        "Show in the &list of nodes",
        "Go",
        "find",
        lambda d: d.show_in_list(),
        "nodes",
        ("L",),
        "Bring the selected node into view in the list",
        lambda d: d.document.state.node is not None,
        graph_only=True,
    ),
    Action(
        "go_to_node",
        "&Go to node…",
        "Go",
        "find",
        lambda d: d.open_palette("@"),
        "centre",
        ("Ctrl+G", "Ctrl+P"),
        "Jump to a node by its name",
        has_model,
    ),
    Action(
        "graph",
        "Focus the gra&ph",
        "Go",
        "find",
        lambda d: d.focus_graph(),
        "graph",
        ("F6",),
        "Give the keyboard to the graph",
        has_model,
    ),
    Action(
        "palette",
        "Command &palette…",
        "Help",
        "find",
        lambda d: d.open_palette(""),
        "palette",
        ("Ctrl+Shift+P",),
        "Find any command by name",
        toolbar=10,
    ),
    *SUPPORTING,
)
