"""The commands on the fewest parts that must not be quantized as planned, rows of the table of commands."""

from errorflow_viewer.commands.api import Action, Desk

_LACK = "No float model is open, and nothing is simulated"


def can_search(desk: Desk) -> bool:
    model = desk.document.model
    return desk.document.session.simulation is not None or (model is not None and model.format == "ONNX model")


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
)
