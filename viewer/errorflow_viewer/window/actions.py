"""Every command of the app, in one table: menus, toolbar, shortcuts, palette and docs are made from it.

Rows stand with the panel, the page or the part of the window that they are about; here they get their order.
"""

from errorflow.base.language import LANGUAGES
from errorflow_viewer.canvas.drawing_actions import ARRANGING, FOLDING
from errorflow_viewer.canvas.error_actions import LEGENDS, PAINTING
from errorflow_viewer.canvas.zoom_actions import ZOOMING
from errorflow_viewer.commands.api import Action, has_selection
from errorflow_viewer.export.actions import EXPORTING
from errorflow_viewer.kit.translation.speech import SYSTEM
from errorflow_viewer.pages.actions import ALIGNING, GUIDING, JUDGING, KEYS, SETTINGS, TICKET
from errorflow_viewer.pages.settings.actions import MENU
from errorflow_viewer.pages.start.actions import LISTING, OPENING
from errorflow_viewer.panels import PANELS
from errorflow_viewer.panels.changes.actions import CHANGING
from errorflow_viewer.panels.inspector.actions import DISTRIBUTING, ENLARGING
from errorflow_viewer.panels.node_actions import FINDING, SEARCHING, WORST
from errorflow_viewer.panels.profile import PROFILING
from errorflow_viewer.panels.ranking.actions import BY_RANK, WEIGHING
from errorflow_viewer.panels.runs.actions import EVALUATING, RUNNING
from errorflow_viewer.panels.search import SEEKING
from errorflow_viewer.panels.simulate.actions import BEGINNING, ENDING
from errorflow_viewer.panels.simulate.decision_actions import DECIDING
from errorflow_viewer.panels.simulate.remedying import REMEDYING
from errorflow_viewer.panels.simulate.switch_actions import SWITCH_MENU, SWITCHING
from errorflow_viewer.panels.verdict import COPYING
from errorflow_viewer.plots.actions import PLOTTING
from errorflow_viewer.window.desk import WholeDesk
from errorflow_viewer.window.region_actions import CIRCLING, HANDLING
from errorflow_viewer.window.second_graph_actions import PAIRING
from errorflow_viewer.window.session_actions import EDITING, GOING, LEAVING, LOOKING, SAVING
from errorflow_viewer.window.support_actions import ABOUT, READING, SUPPORTING, TOURING

# What the menu of the right button offers in the graph, as far as it makes sense.
GRAPH_MENU = (
    ("fold.open", "fold.close", "fold.inside", "fold.others"),
    ("fold.all", "fold.none", "fold.whole"),
    *SWITCH_MENU,
    ("centre", "show_in_list"),
    ("copy_name", "copy_tensors"),
    ("fit", "export.copy", "export.view"),
)
# The same for the menu of the legend.
LEGEND_MENU = (
    ("metric", "metric.next", "metric.previous"),
    ("rank.paint.impact", "rank.paint.recovery"),
    ("limits", "limits.reset", "palette.error"),
    ("marks.swap", "edges.tint", "front.outline"),
    ("legend.find", "switch.error"),
)

_COMPARE: Action[WholeDesk] = Action(
    "compare",
    "Com&pare…",
    "File/open",
    lambda d: d.compare(),
    "compare",
    ("Ctrl+Shift+O",),
    "Compare two runs of a model, or see another tool's results on it",
    toolbar=2,
)
_COPY_NAME: Action[WholeDesk] = Action(
    "copy_name",
    "Copy &name",
    "File/names",
    lambda d: d.selection.copy_name(),
    "copy",
    ("Ctrl+C",),
    "Copy the name of what is selected in the graph",
    has_selection,
    graph_only=True,
)
_COPY_TENSORS: Action[WholeDesk] = Action(
    "copy_tensors",
    "Copy &tensor names",
    "File/names",
    lambda d: d.selection.copy_tensor_names(),
    shortcuts=("Ctrl+Shift+T",),
    tip="Copy the names of the tensors that the selected node makes",
    enabled=lambda d: bool(d.selection.tensor_names),
)
_QUIT: Action[WholeDesk] = Action("quit", "&Quit", "File/quit", lambda d: d.quit(), "quit", ("Ctrl+Q",))
_RESET: Action[WholeDesk] = Action(
    "reset_layout",
    "Reset la&yout",
    "View/panels",
    lambda d: d.reset_layout(),
    "reset",
    tip="Put all panels back where they were at the first start",
)
_FULL_SCREEN: Action[WholeDesk] = Action(
    "full_screen",
    "F&ull screen",
    "View/screen",
    lambda d: d.toggle_full_screen(),
    "screen",
    ("F11",),
    checked=lambda d: d.is_full_screen(),
)
_PALETTE: Action[WholeDesk] = Action(
    "palette",
    "Command &palette…",
    "Help/find",
    lambda d: d.commands.open_palette(""),
    "palette",
    ("Ctrl+Shift+P",),
    "Find any command by name",
    toolbar=12,
)
# Shows or hides the panel of that key.
_SHOWS = {panel.key: panel.command for panel in PANELS}
# By menus, in their order.
_Rows = tuple[Action[WholeDesk], ...]
_FILE: _Rows = (*OPENING, _COMPARE, *BEGINNING, *LISTING, *LEAVING, *SAVING, *CHANGING, *LOOKING, *EXPORTING, *TICKET)
_EDIT: _Rows = (_COPY_NAME, _COPY_TENSORS, *EDITING, _SHOWS["notes"], *COPYING, *SETTINGS, _QUIT)
_LOOKS: _Rows = (*ZOOMING, *PAINTING, *LEGENDS, *PAIRING, _SHOWS["differences"])
_LISTS: _Rows = tuple(_SHOWS[key] for key in ("nodes", "details", "inspector", "problems", "profile"))
_PLOTS: _Rows = (*ENLARGING, *PROFILING, *PLOTTING, _SHOWS["matches"], _SHOWS["verdict"], *JUDGING)


# The commands on how the window is dressed, rows of the table of commands.


def _language(key: str, text: str) -> Action[WholeDesk]:
    """A language calls itself what it is called in itself."""
    return Action(
        f"language.{key}",
        text,
        "View/language",
        lambda d: d.speech.choose(key),
        checked=lambda d: d.speech.choice == key,
        choice="language",
        submenu="&Language",
        also_called="language translation 语言 中文 chinese",
    )


_THEME = "Light or dar&k"

DRESSING: tuple[Action[WholeDesk], ...] = (
    Action(
        "theme.system",
        "Theme of the &system",
        "View/theme",
        lambda d: d.set_theme("system"),
        "system",
        checked=lambda d: d.appearance.choice == "system",
        choice="theme",
        submenu=_THEME,
    ),
    Action(
        "theme.light",
        "&Light theme",
        "View/theme",
        lambda d: d.set_theme("light"),
        "light",
        checked=lambda d: d.appearance.choice == "light",
        choice="theme",
        submenu=_THEME,
    ),
    Action(
        "theme.dark",
        "&Dark theme",
        "View/theme",
        lambda d: d.set_theme("dark"),
        "dark",
        checked=lambda d: d.appearance.choice == "dark",
        choice="theme",
        submenu=_THEME,
    ),
    _language(SYSTEM, "Language of the s&ystem"),
    *(_language(each.key, f"&{each.name}") for each in LANGUAGES),
)


_VIEW: _Rows = (*_LOOKS, *_LISTS, *_PLOTS, _SHOWS["changes"], _SHOWS["log"], *HANDLING, _RESET, *DRESSING, _FULL_SCREEN)
_SIMULATE: _Rows = (*SWITCHING, *RUNNING, _SHOWS["runs"], _SHOWS["simulate"], *ENDING)
_RANK: _Rows = (*WEIGHING, _SHOWS["ranking"], *BY_RANK, _SHOWS["curves"], *SEEKING, _SHOWS["search"], *EVALUATING)
_IMPROVE: _Rows = (*_RANK, _SHOWS["outliers"], *DISTRIBUTING, *REMEDYING, *ALIGNING, *DECIDING)
_GO: _Rows = (*GOING, *SEARCHING, *WORST, *FINDING, *CIRCLING)
_HELP: _Rows = (*TOURING, *GUIDING, _PALETTE, *READING, *KEYS, *SUPPORTING, *MENU, *ABOUT)

ACTIONS: _Rows = (*_FILE, *_EDIT, *_VIEW, *FOLDING, *ARRANGING, *_SIMULATE, *_IMPROVE, *_GO, *_HELP)
