"""Facts that pictures of what is on view state about it."""

from typing import TYPE_CHECKING

from errorflow.report.caption import CaptionFacts
from errorflow.report.notes import drawing_note
from errorflow_viewer.document.case_on_view import case_of
from errorflow_viewer.document.state import State

if TYPE_CHECKING:
    from errorflow.graph.model import Graph
    from errorflow.layout.drawing import Drawing


def made_on_view(state: State) -> CaptionFacts:
    """Finds what was compared, and what ran it."""
    if state.model is None or (state.case is None and state.simulated is None):
        return CaptionFacts()
    case = case_of(state)
    return CaptionFacts(case.compared, case.facts)


def part_text(graph: "Graph", drawing: "Drawing", whole: bool, zoom: float) -> str:
    """Says how much there is, and whether all of it is seen."""
    seen = "all in view" if whole else f"a part of it at {zoom:.0%}"
    return f"{drawing_note(graph, drawing)} · {seen}"
