"""The report on what is on view, from what the window knows already: nothing is measured again."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.progress import Progress
from errorflow_viewer.state import State

if TYPE_CHECKING:
    from errorflow.report.html.case import Case


def write(state: State, path: Path, progress: Progress) -> Path:
    """Of the model's main graph, whatever part of it is on view."""
    from errorflow.report.html.writing import write_case

    write_case(case_on_view(state, progress), path, progress)
    return path


def case_on_view(state: State, progress: Progress) -> "Case":
    from errorflow.findings.model import Findings
    from errorflow.report.html.case import Case
    from errorflow.report.html.evidence import evidence_of
    from errorflow.report.html.opening import dressed, said_of_setup, said_of_simulation
    from errorflow.report.html.told import problems_of

    model, compared, session = state.model, state.compared, state.session
    assert model is not None, "the command is offered with a model only"
    case = Case(model.path.name, model.graph, files=(model.path,))
    simulated = state.simulated
    if simulated is not None and simulated.outcome is not None and session.simulation is not None:
        case = replace(case, **said_of_simulation(model.path, session.simulation, simulated.bench))
    elif session.setup is not None:
        case = replace(case, **said_of_setup(session.setup))
    if compared is not None:
        findings = Findings.of(model.graph, compared.comparison, compared.blame)
        problems = (*case.problems, *problems_of(findings, None if simulated is not None else compared.match))
        progress.step(0, 1, "Looking at the nodes that matter")
        evidence = evidence_of(findings, compared.match, progress)
        case = replace(case, findings=findings, problems=problems, evidence=evidence)
    return dressed(case, session)
