"""The commands on how near the graph is, rows of the table of commands."""

from errorflow_viewer.canvas.steering import CanvasDesk, sees_graph, sees_selection
from errorflow_viewer.commands.api import Action

ZOOM_STEP = 1.25

ZOOMING: tuple[Action[CanvasDesk], ...] = (
    Action(
        "zoom_in",
        "Zoom &in",
        "View/zoom",
        lambda d: d.view.zoom_by(ZOOM_STEP),
        "zoom-in",
        ("Ctrl++", "Ctrl+="),
        enabled=sees_graph,
        toolbar=7,
        reads=("model",),
    ),
    Action(
        "zoom_out",
        "Zoom &out",
        "View/zoom",
        lambda d: d.view.zoom_by(1 / ZOOM_STEP),
        "zoom-out",
        ("Ctrl+-",),
        enabled=sees_graph,
        toolbar=6,
        reads=("model",),
    ),
    Action(
        "fit",
        "Fi&t graph",
        "View/zoom",
        lambda d: d.view.fit(),
        "fit",
        ("Ctrl+0",),
        "Show the whole graph",
        sees_graph,
        toolbar=8,
        reads=("model",),
    ),
    Action(
        "actual",
        "&Actual size",
        "View/zoom",
        lambda d: d.view.zoom_to(1.0),
        "actual",
        ("Ctrl+1",),
        "Zoom to 100 %",
        sees_graph,
    ),
    Action(
        "centre",
        "&Centre on selection",
        "View/zoom",
        lambda d: d.centre_on_selection(),
        "centre",
        ("Ctrl+E",),
        "Bring what is selected to the middle",
        sees_selection,
    ),
)
