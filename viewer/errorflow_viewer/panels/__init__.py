"""The docks around the graph. To add one: a file with a widget and its `Panel` row, the row below, and an action."""

from errorflow_viewer.panels.changes import CHANGES
from errorflow_viewer.panels.curves import CURVES
from errorflow_viewer.panels.differences import DIFFERENCES
from errorflow_viewer.panels.inspector import INSPECTOR
from errorflow_viewer.panels.matches import MATCHES
from errorflow_viewer.panels.notes import NOTES
from errorflow_viewer.panels.outliers import OUTLIERS
from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.panels.profile import PROFILE
from errorflow_viewer.panels.ranking import RANKING
from errorflow_viewer.panels.rows import DETAILS, LOG, NODES, PROBLEMS
from errorflow_viewer.panels.runs import RUNS
from errorflow_viewer.panels.search import SEARCH
from errorflow_viewer.panels.simulate import SIMULATE
from errorflow_viewer.panels.verdict import VERDICT

PANELS: tuple[Panel, ...] = (
    NODES,
    SIMULATE,
    DETAILS,
    INSPECTOR,
    VERDICT,
    NOTES,
    PROFILE,
    RUNS,
    RANKING,
    CURVES,
    SEARCH,
    MATCHES,
    DIFFERENCES,
    CHANGES,
    OUTLIERS,
    PROBLEMS,
    LOG,
)
