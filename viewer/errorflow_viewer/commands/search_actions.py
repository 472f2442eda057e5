"""The commands on the fewest parts that must not be quantized as planned, and the one that evaluates for real."""

from errorflow_viewer.commands.action import Action, panel_action
from errorflow_viewer.commands.api import Desk

_LACK = "No float model is open, and nothing is simulated"


def can_search(desk: Desk) -> bool:
    model = desk.document.model
    return desk.document.session.simulation is not None or (model is not None and model.format == "ONNX model")


def can_evaluate(desk: Desk) -> bool:
    """Without a run the form says what comes first."""
    model = desk.document.model
    return bool(desk.document.session.trials) or (model is not None and model.format == "ONNX model")


SEEKING: tuple[Action, ...] = (
    Action(
        "search.find",
        "&Find the smallest set…",
        "Improve",
        "search",
        lambda d: d.searching.begin(),
        "search",
        ("F7",),
        "Say what is good enough, and find the fewest parts that must stay in float or get 16 bits",
        can_search,
        lack=_LACK,
        also_called="automatic calibration accuracy based search greedy binary ladder evaluator",
    ),
    panel_action(
        "search",
        "Smal&lest set",
        "search",
        "Alt+M",
        "Show or hide the search for the smallest set",
        menu="Improve",
        section="search",
    ),
    Action(
        "evaluate",
        "E&valuate…",
        "Improve",
        "search",
        lambda d: d.evaluating.begin(),
        "runs",
        (),
        "Count right answers of the float model and of each run, or measure them by a file of your own",
        can_evaluate,
        lack="Open a float ONNX model first",
        also_called="accuracy labelled set top-1 top-5 labels evaluator",
    ),
)
