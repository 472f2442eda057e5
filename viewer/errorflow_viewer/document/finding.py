"""Findings of a comparison on the graph on view, with all that the window is about to show."""

from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.compare.placed import side_of
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.problem_count import count
from errorflow.graph.model import Graph
from errorflow_viewer.document.state import State

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.study.simulate.outcome import Outcome

KEY = "findings"
# A broken file may have a problem per node; nobody reads more of them in a list than this.
MOST_PROBLEMS = 1000


def wished(state: State) -> "tuple[Graph, Case] | None":
    """The graph on view, and what is found on it; inside a function names mean something else."""
    if state.model is None or state.case is None or state.place.function >= 0:
        return None
    return state.place.graph(state.model), state.case


def known(state: State, wish: "tuple[Graph, Case]") -> "Findings | None":
    """Finds what came along with the comparison, or the simulation has found already."""
    findings, (graph, compared) = state.findings, wish
    if findings is not None and findings.graph is graph and findings.comparison is compared.comparison:
        return findings if findings.blame is compared.blame else None
    outcome = None if state.simulated is None else state.simulated.outcome
    if outcome is None or outcome.comparison is not wish[1].comparison:
        return None
    return outcome.findings if outcome.findings.graph is wish[0] else None


def complete(state: State) -> "Findings | None":
    """Finds all that is going to be found."""
    return state.findings if state.case is not None and state.case.complete else None


def read(findings: Findings) -> None:
    """Reads what the first look at each other metric would wait for."""
    from errorflow.report.findings_paint import ready

    ready(findings)


def prepared(outcome: "Outcome", graph: Graph | None) -> "Outcome":
    """Prepares what a simulation found on its own graph, on the one on view if that has the same numbers, but for
    nodes that steps put in; to be called in the background, since all columns are worked out.
    """
    findings = outcome.findings
    if graph is not None and len(findings.graph) == len(graph) and findings.graph.tensor_names == graph.tensor_names:
        findings = replace(findings, graph=graph)
    elif graph is not None and _has_the_others(findings.graph, graph):
        from errorflow.explain.findings.model import Findings

        findings = Findings.of(graph, findings.comparison, None, findings.side)
    findings.prepare()
    return replace(outcome, findings=findings)


def _has_the_others(one: Graph, other: Graph) -> bool:
    """Whether all nodes of one are in the other, under the same numbers."""
    shared = min(len(one), len(other))
    return len(one) != len(other) and one.node_names[:shared] == other.node_names[:shared]


def found(graph: Graph, compared: "Case") -> Findings:
    """Makes findings with all columns worked out, so that the window does not wait for them."""

    blame = compared.blame
    known = blame if blame is not None and len(blame.graph) == len(graph) else None
    findings = Findings.of(graph, compared.comparison, known, side_of(graph, compared.comparison))
    findings.prepare()
    return findings


def problems_text(state: State) -> str:
    """Says how many problems a list would hold, for the status bar, which is there before the list is."""
    model, compared = state.model, state.case
    found = 0 if model is None else min(len(model.problems), MOST_PROBLEMS)
    if compared is None:
        return count(found).text
    return count(found, () if compared.match is None else compared.match.problems, compared.comparison).text
