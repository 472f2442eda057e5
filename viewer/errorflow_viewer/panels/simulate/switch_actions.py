"""The commands that switch nodes of a simulation to float and back, rows of the table of commands."""

from collections.abc import Callable
from functools import partial

from errorflow.quant.switching import Part, Switch
from errorflow_viewer.commands.api import Action, Desk, Entry, has_model
from errorflow_viewer.commands.switching import (
    Target,
    alone,
    between,
    can_switch,
    can_switch_selected,
    downstream,
    has_switches,
    mark,
    of_type,
    of_verdict,
    reset,
    search_hits,
    selected,
    switch,
    toggle,
    upstream,
)

PLACE = "Simulate/switch"

TOGGLE, VERDICT = "precision.toggle", "precision.verdict"

_LACK = "Simulate the model first (F9), and select something in the graph"

# What can be chosen, in the order of menus.
_WORDS: "tuple[tuple[Switch, str], ...]" = (
    ("float", "Keep in float"),
    (16, "To 16 bits"),
    (8, "To 8 bits"),
    (4, "To 4 bits"),
    ("plan", "As planned"),
)


def _entries(who: Callable[[Desk], Target], part: Part, desk: Desk) -> tuple[Entry[Desk], ...]:
    """Lists the entries; none where no node is meant: the submenu is greyed out then."""
    target = who(desk)
    if not target:
        return ()
    return tuple(Entry(text, partial(_switch, who, to, part), f"{text}: {target.name}") for to, text in _WORDS)


def _switch(who: Callable[[Desk], Target], to: Switch, part: Part, desk: Desk) -> None:
    switch(desk, who, to, part)


def _row(key: str, text: str, to: Switch, tip: str) -> Action[Desk]:
    return Action(
        f"precision.{key}",
        text,
        PLACE,
        lambda desk: switch(desk, selected, to),
        tip=tip,
        enabled=can_switch_selected,
        lack=_LACK,
        also_called="precision quantize bits",
    )


def _menu(key: str, text: str, who: Callable[[Desk], Target], part: Part = "both") -> Action[Desk]:
    return Action(
        f"precision.{key}",
        text,
        "Simulate/switch-more",
        lambda desk: desk.commands.open_palette(text.replace("&", "")),
        entries=partial(_entries, who, part),
        also_called="precision quantize float bits",
    )


def is_of_use(desk: Desk, key: str) -> bool:
    """The key answers without a simulation too, and says what lacks; a menu that opens on a node need not."""
    return key != TOGGLE or can_switch_selected(desk)


SWITCHING: tuple[Action[Desk], ...] = (
    Action(
        TOGGLE,
        "To &float and back",
        PLACE,
        toggle,
        shortcuts=("Space",),
        tip="Put the selected node with its activation, the group or the tensor back to float, or as planned again",
        enabled=has_model,
        graph_only=True,
        also_called="switch toggle quantize precision",
    ),
    _row("float", "&Keep in float", "float", "Leave what is selected in float, with all that it reads and makes"),
    _row("16", "To &16 bits", 16, "Quantize what is selected to 16 bits"),
    _row("8", "To &8 bits", 8, "Quantize what is selected to 8 bits"),
    _row("4", "To &4 bits", 4, "Quantize what is selected to 4 bits"),
    _row("plan", "As pla&nned", "plan", "Take back what was switched of what is selected"),
    _menu("alone", "This n&ode alone", alone),
    _menu("weights", "&Weights only", selected, "weights"),
    _menu("activations", "Acti&vations only", selected, "activations"),
    _menu("type", "All of this &type", of_type),
    _menu("upstream", "Everything &upstream", upstream),
    _menu("downstream", "Everything &downstream", downstream),
    _menu("between", "&Between the mark and this", between),
    _menu("hits", "Search &results", search_hits),
    Action(
        "precision.mark",
        "&Mark as the first of two",
        "Simulate/switch-all",
        mark,
        shortcuts=("Shift+M",),
        tip="Remember the selected node: all between it and another one can then be switched",
        enabled=lambda desk: can_switch_selected(desk) and desk.document.state.node is not None,
        graph_only=True,
        lack=_LACK,
    ),
    Action(
        "precision.hits.toggle",
        "&Search results to float and back",
        "Simulate/switch-all",
        lambda desk: toggle(desk, search_hits),
        shortcuts=("Shift+Space",),
        tip="Put all nodes that the search has found back to float, or as planned again",
        enabled=lambda desk: has_model(desk) and bool(desk.document.state.search.strip()),
        graph_only=True,
        lack="Nothing is searched for",
    ),
    Action(
        VERDICT,
        "Ad&just as the verdict says",
        "Simulate/switch-all",
        lambda desk: switch(desk, of_verdict, "float"),
        tip="Put the smallest set that brings the output back to float, with all that must go with it",
        enabled=lambda desk: can_switch(desk) and bool(of_verdict(desk)),
        lack="No set of nodes is known to bring an output back: simulate the model first (F9)",
        also_called="apply remedy fix verdict",
    ),
    Action(
        "precision.reset",
        "Reset all sw&itches",
        "Simulate/switch-all",
        reset,
        tip="Quantize everything as planned again",
        enabled=has_switches,
        lack="Nothing is switched away from the plan",
    ),
)

SWITCH_MENU = (
    (TOGGLE, "precision.float", "precision.16", "precision.8", "precision.4", "precision.plan"),
    (
        *("precision.alone", "precision.weights", "precision.activations", "precision.type"),
        *("precision.upstream", "precision.downstream", "precision.mark", "precision.between"),
    ),
    ("precision.reset",),
)
