"""Number of problems in the list, for the status bar, which is there before the list is."""

from errorflow.explain.findings.problem_count import count
from errorflow_viewer.document.state import State

# A broken file may have a problem per node; nobody reads more than this.
MOST = 1000


def count_text(state: State) -> str:
    """Says how much the list would hold."""
    model, compared = state.model, state.case
    found = 0 if model is None else min(len(model.problems), MOST)
    if compared is None:
        return count(found).text
    return count(found, () if compared.match is None else compared.match.problems, compared.comparison).text
