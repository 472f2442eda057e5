"""What the window knows of the model on view, as a report tells it: nothing is measured again."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.progress import SILENT, Progress
from errorflow_viewer.state import State

if TYPE_CHECKING:
    from errorflow.report.html.case import Case, Evidence

SAMPLE = "The two runs of the built-in sample"


def case_on_view(state: State, progress: Progress) -> "Case":
    """Of the model's main graph, whatever part of it is on view, with all pictures."""
    case = case_without_pictures(state)
    return replace(case, evidence=pictures_of(state, case, progress=progress))


def case_without_pictures(state: State) -> "Case":
    """The same, at once."""
    from errorflow.report.html.case import Case
    from errorflow.report.html.opening import SIMULATED, dressed, findings_on, said_of_setup, said_of_simulation
    from errorflow.report.html.told import problems_of
    from errorflow.report.stages import stages_lines
    from errorflow.sample import SAMPLES

    model, compared, session = state.model, state.compared, state.session
    assert model is not None, "the command is offered with a model only"
    case = Case(model.path.name, model.graph, sides={"Model": model.path.name}, files=(model.path,))
    simulated = state.simulated
    if simulated is not None and simulated.outcome is not None and session.simulation is not None:
        case = replace(case, **said_of_simulation(model.path, session.simulation, simulated.bench))
    elif session.simulation is not None:  # it came with a ticket, and nothing runs here
        case = replace(case, compared=(SIMULATED,), sides={"Comparison": SIMULATED, **case.sides})
    elif session.setup is not None:
        case = replace(case, **said_of_setup(session.setup))
    elif compared is not None and any(sample.model == model.path for sample in SAMPLES):
        case = replace(case, compared=(SAMPLE,), sides={"Comparison": SAMPLE, **case.sides})
    if compared is not None:
        findings = findings_on(model.graph, compared.comparison, compared.blame)
        problems = (*case.problems, *problems_of(findings, None if simulated is not None else compared.match))
        stages = () if compared.stages is None else tuple(stages_lines(compared.stages))
        case = replace(case, findings=findings, problems=problems, stages=stages)
    if session.bundle is not None:
        from errorflow.bundle.answered import told_in

        case = replace(case, form=told_in(session.bundle).answers)
    return dressed(case, session)


def pictures_of(
    state: State,
    case: "Case",
    known: "Collection[Evidence]" = (),
    give: "Callable[[tuple[Evidence, ...]], None] | None" = None,
    progress: Progress = SILENT,
) -> "tuple[Evidence, ...]":
    """Of the nodes that matter; `give` gets those that there are after each. What is known is not drawn again."""
    from errorflow.report.account.choosing import nodes_that_matter
    from errorflow.report.html.evidence import evidence_on

    compared, findings = state.compared, case.findings
    if compared is None or findings is None or findings.blame is None:
        return ()
    nodes = nodes_that_matter(findings.blame)
    found = {each.node: each for each in known}
    for done, node in enumerate(nodes):
        progress.step(done, len(nodes), "Looking at the nodes that matter")
        if node not in found:
            found[node] = evidence_on(findings, compared.match, node, progress)
            if give is not None:
                give(tuple(found.values()))
    return tuple(found[node] for node in nodes)
