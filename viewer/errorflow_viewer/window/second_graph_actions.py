"""The commands on the second graph, rows of the table of commands."""

from functools import partial

from errorflow.case.session.model import Pairing
from errorflow_viewer.commands.api import Action, has_model
from errorflow_viewer.panels.differences import DIFFERENCES
from errorflow_viewer.window.desk import WholeDesk

SUBMENU = DIFFERENCES.command.submenu

LINKED = "linked"

_STEPS: dict[Pairing, str] = {
    "side": "Show the second graph beside",
    "stacked": "Show the second graph below",
    "": "Hide the second graph",
}


def place(pairing: Pairing, desk: WholeDesk) -> None:
    """Shows the second graph there, or hides it."""
    desk.document.edit(_STEPS[pairing], pairing=pairing)


def stands(pairing: Pairing, desk: WholeDesk) -> bool:
    return desk.document.session.pairing == pairing


def turn(desk: WholeDesk) -> None:
    """Shows it beside if it is hidden, and hides it otherwise."""
    place("side" if stands("", desk) else "", desk)


PAIRING: tuple[Action[WholeDesk], ...] = (
    Action(
        "second.side",
        "&Beside",
        "View/second",
        partial(place, "side"),
        tip="Show another form of this model, such as the quantized or the compiled one, to the right of it",
        enabled=has_model,
        checked=partial(stands, "side"),
        choice="second",
        submenu=SUBMENU,
    ),
    Action(
        "second.stacked",
        "Be&low",
        "View/second",
        partial(place, "stacked"),
        tip="Show another form of this model below it",
        enabled=has_model,
        checked=partial(stands, "stacked"),
        choice="second",
        submenu=SUBMENU,
    ),
    Action(
        "second.hide",
        "&Hide",
        "View/second",
        partial(place, ""),
        tip="Show one graph only, and forget the other",
        enabled=has_model,
        checked=partial(stands, ""),
        choice="second",
        submenu=SUBMENU,
    ),
    Action(
        "second.open",
        "&Open second model…",
        "View/second",
        lambda d: d.pair.ask(),
        tip="Choose the file of the second graph",
        enabled=has_model,
        submenu=SUBMENU,
    ),
    Action(
        "second.linked",
        "Lin&k the views",
        "View/second",
        lambda d: d.switches.turn(LINKED),
        tip="Pan and zoom both graphs in step",
        checked=lambda d: d.switches.is_on(LINKED),
        submenu=SUBMENU,
    ),
    Action(
        "second.turn",
        "Second graph on or o&ff",
        "View/second",
        turn,
        "pair",
        ("Ctrl+B",),
        "Show another form of this model beside it, or hide it",
        has_model,
        checked=lambda d: not stands("", d),
        submenu=SUBMENU,
    ),
)
