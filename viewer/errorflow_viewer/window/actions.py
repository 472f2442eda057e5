"""Every command of the app, in one table: menus, toolbar, shortcuts, palette and docs are made from it.

Rows stand with the panel, the page or the part of the window that they are about; here they get their order.
"""

from errorflow_viewer.canvas.drawing_actions import ARRANGING, FOLDING
from errorflow_viewer.canvas.error_actions import LEGENDS, PAINTING
from errorflow_viewer.canvas.zoom_actions import ZOOMING
from errorflow_viewer.commands.api import Action
from errorflow_viewer.commands.conditions import has_selection
from errorflow_viewer.export.actions import EXPORTING
from errorflow_viewer.pages.align.actions import ALIGNING
from errorflow_viewer.pages.guide.actions import GUIDING
from errorflow_viewer.pages.keys.actions import KEYS
from errorflow_viewer.pages.settings.actions import MENU, SETTINGS
from errorflow_viewer.pages.start.actions import LISTING, OPENING
from errorflow_viewer.pages.ticket.actions import TICKET
from errorflow_viewer.pages.verdict.actions import JUDGING
from errorflow_viewer.panels.changes import CHANGES
from errorflow_viewer.panels.changes.actions import CHANGING
from errorflow_viewer.panels.curves import CURVES
from errorflow_viewer.panels.differences import DIFFERENCES
from errorflow_viewer.panels.inspector import INSPECTOR
from errorflow_viewer.panels.inspector.actions import DISTRIBUTING, ENLARGING
from errorflow_viewer.panels.matches import MATCHES
from errorflow_viewer.panels.node_actions import FINDING, SEARCHING, WORST
from errorflow_viewer.panels.notes import NOTES
from errorflow_viewer.panels.outliers import OUTLIERS
from errorflow_viewer.panels.profile import PROFILE
from errorflow_viewer.panels.profile.actions import PROFILING
from errorflow_viewer.panels.ranking import RANKING
from errorflow_viewer.panels.ranking.actions import BY_RANK, WEIGHING
from errorflow_viewer.panels.rows import DETAILS, LOG, NODES, PROBLEMS
from errorflow_viewer.panels.runs import RUNS
from errorflow_viewer.panels.runs.actions import EVALUATING, RUNNING
from errorflow_viewer.panels.search import SEARCH
from errorflow_viewer.panels.search.actions import SEEKING
from errorflow_viewer.panels.simulate import SIMULATE
from errorflow_viewer.panels.simulate.actions import BEGINNING, ENDING
from errorflow_viewer.panels.simulate.decision_actions import DECIDING
from errorflow_viewer.panels.simulate.remedy_actions import REMEDYING
from errorflow_viewer.panels.simulate.switch_actions import SWITCH_MENU, SWITCHING
from errorflow_viewer.panels.verdict import VERDICT
from errorflow_viewer.panels.verdict.actions import COPYING
from errorflow_viewer.plots.actions import PLOTTING
from errorflow_viewer.window.file_actions import LEAVING
from errorflow_viewer.window.going_actions import GOING
from errorflow_viewer.window.region_actions import CIRCLING, HANDLING
from errorflow_viewer.window.second_graph_actions import PAIRING
from errorflow_viewer.window.session_actions import EDITING, LOOKING, SAVING
from errorflow_viewer.window.support_actions import ABOUT, READING, SUPPORTING, TOURING
from errorflow_viewer.window.view_actions import DRESSING

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
    *CHANGING,
    *LOOKING,
    *EXPORTING,
    *TICKET,
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
    NOTES.command,
    *COPYING,
    *SETTINGS,
    Action("quit", "&Quit", "File", "quit", lambda d: d.quit(), "quit", ("Ctrl+Q",)),
    *ZOOMING,
    *PAINTING,
    *LEGENDS,
    *PAIRING,
    DIFFERENCES.command,
    NODES.command,
    DETAILS.command,
    INSPECTOR.command,
    PROBLEMS.command,
    PROFILE.command,
    *ENLARGING,
    *PROFILING,
    *PLOTTING,
    MATCHES.command,
    VERDICT.command,
    *JUDGING,
    CHANGES.command,
    LOG.command,
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
    RUNS.command,
    SIMULATE.command,
    *ENDING,
    *WEIGHING,
    RANKING.command,
    *BY_RANK,
    CURVES.command,
    *SEEKING,
    SEARCH.command,
    *EVALUATING,
    OUTLIERS.command,
    *DISTRIBUTING,
    *REMEDYING,
    *ALIGNING,
    *DECIDING,
    *GOING,
    *SEARCHING,
    *WORST,
    *FINDING,
    *CIRCLING,
    *TOURING,
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
    *READING,
    *KEYS,
    *SUPPORTING,
    *MENU,
    *ABOUT,
)
