"""What commands ask before they can be run."""

from errorflow.quant.marks import is_quantized
from errorflow_viewer.commands.api import Desk


def has_model(desk: Desk) -> bool:
    return desk.document.model is not None


def sees_graph(desk: Desk) -> bool:
    """Not so on a page in its place, where what steers the picture has no effect that anybody sees."""
    return has_model(desk) and desk.whole_pages.graph_shown


def sees_selection(desk: Desk) -> bool:
    return sees_graph(desk) and has_selection(desk)


def has_selection(desk: Desk) -> bool:
    state = desk.document.state
    return (state.node, state.tensor, state.group) != (None, None, None)


def has_groups(desk: Desk) -> bool:
    return sees_graph(desk) and desk.folds.any


def can_open(desk: Desk) -> bool:
    return sees_graph(desk) and desk.folds.can_open


def can_close(desk: Desk) -> bool:
    return sees_graph(desk) and desk.folds.can_close


def has_fold_or_group(desk: Desk) -> bool:
    return can_open(desk) or can_close(desk)


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
