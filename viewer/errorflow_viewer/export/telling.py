"""What pictures of what is on view say of it."""

from typing import TYPE_CHECKING

from errorflow.report.caption import Made
from errorflow.report.notes import drawing_note
from errorflow_viewer.state import State

if TYPE_CHECKING:
    from errorflow.graph.model import Graph
    from errorflow.layout.drawing import Drawing


def made_on_view(state: State) -> Made:
    """What was compared, and what ran it."""
    from errorflow.report.html.opening import said_of_setup, said_of_simulation
    from errorflow.sample import SAMPLES

    session, simulated = state.session, state.simulated
    if state.model is None or (state.compared is None and simulated is None):
        return Made()
    if simulated is not None and session.simulation is not None:
        said = said_of_simulation(state.model.path, session.simulation, simulated.bench)
        return Made(said["compared"], said["facts"])
    if session.setup is not None:
        return Made(said_of_setup(session.setup)["compared"])
    is_sample = any(sample.model == state.model.path for sample in SAMPLES)
    return Made(("The two runs of the built-in sample",) if is_sample else ())


def part_text(graph: "Graph", drawing: "Drawing", whole: bool, zoom: float) -> str:
    """How much there is, and whether all of it is seen."""
    seen = "all in view" if whole else f"a part of it at {zoom:.0%}"
    return f"{drawing_note(graph, drawing)} · {seen}"
