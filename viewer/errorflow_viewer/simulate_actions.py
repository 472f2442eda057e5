"""The commands on simulating, rows of the table in `actions`."""

from errorflow_viewer.action import Action
from errorflow_viewer.desk import Desk


def ask(desk: Desk) -> None:
    """Brings the panel, or starts what it is filled in with."""
    desk.simulating.asked.emit()


def is_simulated(desk: Desk) -> bool:
    return desk.document.session.simulation is not None


BEGINNING: tuple[Action, ...] = (
    Action(
        "simulate",
        "Simul&ate…",
        "File",
        "open",
        ask,
        "simulate",
        ("F9",),
        "Quantize the model in simulation, and see which node makes the error",
        toolbar=3,
        also_in="Simulate",
        also_called="quantize calibrate",
    ),
)
# The last of the menu: other rows with the menu "Simulate" stand between.
ENDING: tuple[Action, ...] = (
    Action(
        "panel.simulate",
        "Simulate &panel",
        "Simulate",
        "panels",
        lambda d: d.toggle_panel("simulate"),
        "simulate",
        ("Alt+0",),
        "Show or hide samples, calibration and plan of the simulation",
        checked=lambda d: d.panel_shown("simulate"),
    ),
    Action(
        "simulate.leave",
        "&Leave the simulation",
        "Simulate",
        "leave",
        lambda d: d.simulating.leave(),
        "",
        (),
        "Go back to what was on view before anything was simulated",
        is_simulated,
        lack="Nothing is simulated",
    ),
)
