"""The rows of panels that are one file each; their widgets are loaded when one is made."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.panel import BOTTOM, LEFT, RIGHT, Panel, panel_action


def _make_nodes(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.nodes import NodesPanel

    return NodesPanel(desk)


def _make_details(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.details import DetailsPanel

    return DetailsPanel(desk)


def _make_problems(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.problems import ProblemsPanel

    return ProblemsPanel(desk)


def _make_log(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.log import LogPanel

    return LogPanel(desk)


NODES = Panel(
    "nodes",
    "Nodes",
    LEFT,
    True,
    _make_nodes,
    help="how-to/search.md",
    listens=True,
    command=panel_action("nodes", "&Nodes", "nodes", "Alt+1", "Show or hide the list of nodes"),
)
DETAILS = Panel(
    "details",
    "Details",
    RIGHT,
    True,
    _make_details,
    help="how-to/read-the-graph.md",
    listens=True,
    command=panel_action("details", "&Details", "details", "Alt+2", "Show or hide the details"),
)
PROBLEMS = Panel(
    "problems",
    "Problems",
    BOTTOM,
    False,
    _make_problems,
    "profile",
    help="how-to/problems-and-log.md",
    command=panel_action("problems", "&Problems", "problems", "Alt+3", "Show or hide the problems of the file"),
)
LOG = Panel(
    "log",
    "Log",
    BOTTOM,
    False,
    _make_log,
    "problems",
    help="how-to/problems-and-log.md",
    command=panel_action("log", "Lo&g", "log", "Alt+7", "Show or hide what the app did, with warnings and errors"),
)
