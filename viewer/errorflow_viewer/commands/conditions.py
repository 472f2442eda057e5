"""Conditions that commands have before they can be run."""

from errorflow.quant.marks import is_quantized
from errorflow_viewer.commands.api import Desk


def has_model(desk: Desk) -> bool:
    return desk.document.model is not None


def has_selection(desk: Desk) -> bool:
    state = desk.document.state
    return (state.node, state.tensor, state.group) != (None, None, None)


def is_searching(desk: Desk) -> bool:
    return has_model(desk) and bool(desk.document.state.search.strip())


def has_findings(desk: Desk) -> bool:
    return desk.document.state.findings is not None


def is_simulated(desk: Desk) -> bool:
    return desk.document.session.simulation is not None


def could_simulate(desk: Desk) -> bool:
    """Whether the model is a float one, as far as one can see at once, and nothing of it is simulated."""
    model = desk.document.model
    if model is None or model.format != "ONNX model" or is_simulated(desk):
        return False
    return not is_quantized(model.graph)
