"""The commands on runs, rows of the table in `actions`."""

from errorflow_viewer.commands.action import Action, panel_action
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.runs import stop_comparing, turn_round


def is_against(desk: Desk) -> bool:
    simulation = desk.document.session.simulation
    return simulation is not None and bool(simulation.against)


_LACK = "No run is compared with"
_COMPARING = "Comparin&g"

RUNNING: tuple[Action, ...] = (
    Action(
        "runs.turn",
        "&Turn the comparison round",
        "Simulate",
        "runs",
        lambda d: turn_round(d.document),
        tip="Put the run that is compared with on view, and compare with the one that was",
        enabled=is_against,
        lack=_LACK,
        submenu=_COMPARING,
    ),
    Action(
        "runs.stop",
        "Stop comparin&g",
        "Simulate",
        "runs",
        lambda d: stop_comparing(d.document),
        tip="Paint the error of the run on view again",
        enabled=is_against,
        lack=_LACK,
        submenu=_COMPARING,
    ),
    panel_action("runs", "S&how the runs", "runs", "Alt+R", "Show or hide the list of what was tried", menu="Simulate"),
)
