"""From a case to what its report tells, and its pictures."""

from dataclasses import replace

from errorflow.case.model import Case
from errorflow.progress import SILENT, Progress
from errorflow.report.content import Content, Evidence
from errorflow.report.html.evidence import evidence_of
from errorflow.report.html.plots import plots_of
from errorflow.report.html.told import chapters_of, problems_of
from errorflow.report.stages import stages_lines
from errorflow.session.model import Session


def content_of(case: Case, title: str = "", progress: Progress = SILENT) -> Content:
    """`title`: what the report is called; "": as the model is."""
    findings = case.findings
    evidence = () if findings is None else evidence_of(findings, case.match, progress)
    return content_with(case, evidence, title)


def content_with(case: Case, evidence: tuple[Evidence, ...] = (), title: str = "") -> Content:
    """The same with pictures that are there already."""
    session, findings = case.session, case.findings
    simulation = session.simulation
    told = None if simulation is not None else case.match
    content = Content(
        title if title else case.title,
        case.model.graph,
        findings,
        session.painting,
        case.compared,
        case.sides,
        case.made_up,
        () if case.stages is None else tuple(stages_lines(case.stages)),
        evidence,
        plan=None if simulation is None else simulation.plan,
        trials=session.trials,
        shown=_on_view(session),
        chapters=chapters_of(session),
        notes=session.notes,
        note=session.note,
        form=case.form,
        problems=case.problems if findings is None else (*case.problems, *problems_of(findings, told)),
        files=case.files,
        facts=case.facts,
    )
    return replace(content, plots=plots_of(content))


def _on_view(session: Session) -> str:
    """The name of the trial on view."""
    simulation = session.simulation
    if simulation is None:
        return ""
    wanted = simulation.plan, simulation.basis
    return next((trial.name for trial in session.trials if (trial.plan, trial.basis) == wanted), "")
