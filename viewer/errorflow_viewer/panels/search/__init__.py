"""The fewest parts that must not be quantized as planned for the model to be good enough."""

from PySide6.QtWidgets import QWidget

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.panels.panel import BOTTOM, Panel, panel_action


def _make(desk: Desk) -> QWidget:
    from errorflow_viewer.panels.search.panel import SearchPanel

    return SearchPanel(desk)


SEARCH = Panel(
    "search",
    "Smallest set",
    BOTTOM,
    False,
    _make,
    "profile",
    help="how-to/find-the-smallest-set.md",
    command=panel_action(
        "search",
        "Smal&lest set",
        "search",
        "Alt+M",
        "Show or hide the search for the smallest set",
        menu="Improve",
        section="search",
    ),
)


_LACK = "No float model is open, and nothing is simulated"


def can_search(desk: Desk) -> bool:
    model = desk.document.model
    return desk.document.session.simulation is not None or (model is not None and model.format == "ONNX model")


SEEKING: tuple[Action[Desk], ...] = (
    Action(
        "search.find",
        "&Find the smallest set…",
        "Improve/search",
        lambda d: d.studies.searching.begin(),
        "search",
        ("F7",),
        "Say what is good enough, and find the fewest parts that must stay in float or get 16 bits",
        can_search,
        lack=_LACK,
        also_called="automatic calibration accuracy based search greedy binary ladder evaluator",
    ),
)
