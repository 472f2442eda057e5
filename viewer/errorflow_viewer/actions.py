"""Every command of the app, in one table: menus, toolbar, shortcuts, palette and docs are made from it.

To add one: a row in ACTIONS, in the place where the menu shall show it.
"""

from errorflow_viewer.action import Action, has_selection
from errorflow_viewer.align_actions import ALIGNING
from errorflow_viewer.compare_actions import COMPARING
from errorflow_viewer.curve_actions import CURVING
from errorflow_viewer.decision_actions import DECIDING
from errorflow_viewer.drawing_actions import ARRANGING, FOLDING
from errorflow_viewer.error_actions import PAINTING
from errorflow_viewer.evaluate_actions import EVALUATING
from errorflow_viewer.export_actions import EXPORTING
from errorflow_viewer.file_actions import LEAVING, LISTING, OPENING
from errorflow_viewer.going_actions import FINDING, GOING, SEARCHING
from errorflow_viewer.guide_actions import GUIDING
from errorflow_viewer.inspector_actions import INSPECTING
from errorflow_viewer.log_actions import LOGGING
from errorflow_viewer.match_actions import MATCHING
from errorflow_viewer.menu_actions import MENU
from errorflow_viewer.node_actions import WORST
from errorflow_viewer.note_actions import NOTING
from errorflow_viewer.outlier_actions import OUTLYING
from errorflow_viewer.plot_actions import PLOTTING
from errorflow_viewer.profile_actions import PROFILING
from errorflow_viewer.ranking_actions import RANKING
from errorflow_viewer.region_actions import CIRCLING, HANDLING, LEGENDS
from errorflow_viewer.remedy_actions import REMEDYING
from errorflow_viewer.runs_actions import RUNNING
from errorflow_viewer.search_actions import SEEKING
from errorflow_viewer.second_actions import PAIRING
from errorflow_viewer.session_actions import CHANGING, EDITING, SAVING
from errorflow_viewer.settings_actions import SETTING
from errorflow_viewer.simulate_actions import BEGINNING, ENDING
from errorflow_viewer.support_actions import ABOUT, SUPPORTING
from errorflow_viewer.switch_actions import SWITCH_MENU, SWITCHING
from errorflow_viewer.verdict_actions import COPYING, JUDGING
from errorflow_viewer.view_actions import DRESSING, ZOOMING

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
    *COMPARING,
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
    *NOTING,
    *COPYING,
    *SETTING,
    Action("quit", "&Quit", "File", "quit", lambda d: d.quit(), "quit", ("Ctrl+Q",)),
    *ZOOMING,
    *PAINTING,
    *LEGENDS,
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
    *PLOTTING,
    *MATCHING,
    *JUDGING,
    *CHANGING,
    *LOGGING,
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
    *CURVING,
    *SEEKING,
    *EVALUATING,
    *OUTLYING,
    *REMEDYING,
    *ALIGNING,
    *DECIDING,
    *GOING,
    *SEARCHING,
    *WORST,
    *FINDING,
    *CIRCLING,
    *GUIDING,
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
