"""Every command of the app, in one table: menus, toolbar, shortcuts, palette and docs are made from it.

To add one: a row in ACTIONS, in the place where the menu shall show it.
"""

from errorflow_viewer.commands.action import Action, has_selection, panel_action
from errorflow_viewer.commands.decision_actions import DECIDING
from errorflow_viewer.commands.drawing_actions import ARRANGING, FOLDING
from errorflow_viewer.commands.error_actions import PAINTING
from errorflow_viewer.commands.export_actions import EXPORTING
from errorflow_viewer.commands.file_actions import LEAVING, LISTING, OPENING
from errorflow_viewer.commands.going_actions import FINDING, GOING, SEARCHING
from errorflow_viewer.commands.menu_actions import MENU
from errorflow_viewer.commands.node_actions import WORST
from errorflow_viewer.commands.outlier_actions import OUTLYING
from errorflow_viewer.commands.plot_actions import PLOTTING
from errorflow_viewer.commands.ranking_actions import RANKING
from errorflow_viewer.commands.region_actions import CIRCLING, HANDLING, LEGENDS
from errorflow_viewer.commands.remedy_actions import REMEDYING
from errorflow_viewer.commands.runs_actions import RUNNING
from errorflow_viewer.commands.search_actions import SEEKING
from errorflow_viewer.commands.second_graph_actions import PAIRING
from errorflow_viewer.commands.session_actions import CHANGING, EDITING, SAVING
from errorflow_viewer.commands.simulate_actions import BEGINNING, ENDING
from errorflow_viewer.commands.support_actions import ABOUT, SUPPORTING
from errorflow_viewer.commands.switch_actions import SWITCH_MENU, SWITCHING
from errorflow_viewer.commands.verdict_actions import COPYING, JUDGING
from errorflow_viewer.commands.view_actions import DRESSING, ZOOMING

MENUS = ("File", "Edit", "View", "Drawing", "Simulate", "Improve", "Go", "Help")
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


ACTIONS: tuple[Action, ...] = (
    *OPENING,
    Action(
        "compare",
        "Com&pare…",
        "File",
        "open",
        lambda d: d.compare(),
        "compare",
        ("Ctrl+Shift+O",),
        "Compare two runs of a model, or see another tool's results on it",
        toolbar=2,
    ),
    *BEGINNING,
    *LISTING,
    *LEAVING,
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
    panel_action(
        "notes",
        "&Notes",
        "",
        "Alt+T",
        "Show or hide the note on this session and the list of notes on nodes",
        menu="Edit",
        section="notes",
        also_called="comment remark",
    ),
    *COPYING,
    Action(
        "settings",
        "&Settings…",
        "Edit",
        "settings",
        lambda d: d.whole_pages.show_settings(),
        "settings",
        ("Ctrl+,",),
        "Theme, language, text size, memory, cache and more; each takes effect at once",
        also_called="preferences options configuration 设置",
    ),
    Action("quit", "&Quit", "File", "quit", lambda d: d.quit(), "quit", ("Ctrl+Q",)),
    *ZOOMING,
    *PAINTING,
    *LEGENDS,
    *PAIRING,
    panel_action("nodes", "&Nodes", "nodes", "Alt+1", "Show or hide the list of nodes"),
    panel_action("details", "&Details", "details", "Alt+2", "Show or hide the details"),
    panel_action(
        "inspector",
        "In&spector",
        "view-histogram",
        "Alt+4",
        "Show or hide the inspector: histograms, errors, channels and values of one tensor",
    ),
    panel_action("problems", "&Problems", "problems", "Alt+3", "Show or hide the problems of the file"),
    panel_action("profile", "Pro&file", "profile", "Alt+5", "Show or hide how the error grows along the model"),
    *PLOTTING,
    panel_action(
        "matches",
        "&Matches",
        "matches",
        "Alt+6",
        "Show or hide which tensors of the two runs were brought together, and by which rule",
    ),
    *JUDGING,
    *CHANGING,
    panel_action("log", "Lo&g", "log", "Alt+7", "Show or hide what the app did, with warnings and errors"),
    *HANDLING,
    Action(
        "reset_layout",
        "Reset la&yout",
        "View",
        "panels",
        lambda d: d.reset_layout(),
        "reset",
        tip="Put all panels back where they were at the first start",
    ),
    *DRESSING,
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
    *SWITCHING,
    *RUNNING,
    *ENDING,
    *RANKING,
    panel_action(
        "curves",
        "&Curves",
        "curves",
        "Alt+C",
        "Show or hide how the error grows along the depth, and what keeping the worst in float gains",
        menu="Improve",
        section="rank",
        also_called="cumulative error recovery knee partial quantization",
    ),
    *SEEKING,
    *OUTLYING,
    *REMEDYING,
    Action(
        "align",
        "&Align two pipelines…",
        "Improve",
        "pipelines",
        lambda d: d.align(),
        "align",
        (),
        "Set what two pipelines hand the model side by side: channel order, layout, scale, resizing, rounding",
        also_called="preprocessing postprocessing RGB BGR NHWC mean std deployment",
    ),
    *DECIDING,
    *GOING,
    *SEARCHING,
    *WORST,
    *FINDING,
    *CIRCLING,
    Action(
        "tour",
        "Two-minute &tour",
        "Help",
        "find",
        lambda d: d.tour(),
        "sample",
        tip="See on a sample how an error is found; what is on view now comes back afterwards",
        also_called="tutorial introduction welcome first steps learn",
    ),
    Action(
        "guide",
        "&Guide…",
        "Help",
        "find",
        lambda d: d.guide(),
        "guide",
        ("Shift+F1",),
        "Find a loss of accuracy step by step: what to obtain, how to compare it, what the result means",
        also_called="wizard assistant Ascend AMCT ATC Pulsar2 Horizon steps how to",
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
        toolbar=12,
    ),
    *SUPPORTING,
    *MENU,
    *ABOUT,
)
