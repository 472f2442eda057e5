"""Graphs of operators whose edges are not known, such as a list of operators: they say so in a problem of theirs."""

from errorflow.graph.model import Graph

# In the words of the problem.
_UNKNOWN = "What flows where is not known."


def leads_on(graph: Graph) -> bool:
    """Whether its edges tell what flows where, and its ends what its outputs are."""
    return not any(_UNKNOWN in problem.text for problem in graph.problems)
