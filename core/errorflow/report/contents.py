"""Making of a report's content from a case, and its pictures."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from errorflow.base.progress import SILENT, Progress
from errorflow.case.model import Case
from errorflow.case.session.model import Session
from errorflow.compare.match.model import Match
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.problems import about_runs
from errorflow.explain.findings.profile import Profile
from errorflow.report.colors import THEMES
from errorflow.report.content import Content, NodeEvidence
from errorflow.report.html.evidence import evidence_of
from errorflow.report.profile_shapes import profile_svg
from errorflow.report.search import search_lines
from errorflow.report.sensitivity import sensitivity_lines
from errorflow.report.stages import stages_lines

# What rankings, searches and exports of a session found, in lines.
_EACH = 5


def chapters_of(session: Session) -> Mapping[str, tuple[str, ...]]:
    """Lists the chapters; of what is simulated, as only that is about the model on view."""
    simulation = session.simulation
    if simulation is None:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    rankings = [each.ranking for each in session.rankings if each.basis == simulation.basis]
    if rankings:
        found["Which nodes matter"] = tuple(line.strip() for line in sensitivity_lines(rankings[-1]))
    searches = [each.search for each in session.searches if each.basis == simulation.basis]
    if searches:
        found["The smallest set"] = tuple(line.strip() for line in search_lines(searches[-1]))
    return found


def problems_of(findings: Findings, match: Match | None) -> Iterator[str]:
    """Yields what is odd about the runs; what could not be measured is in the findings."""
    for group in about_runs(() if match is None else match.problems, findings.graph):
        named = "; ".join(item.text for item in group.items[:_EACH])
        more = len(group.items) - _EACH
        tail = f" and {more:,} more" if more > 0 else ""
        hint = f" {group.hint}" if group.hint else ""
        yield f"{group.title} ({len(group.items):,}): {named}{tail}.{hint}"


# Plots along the depth of a model, for a page.
def plots_of(case: Content) -> Mapping[str, tuple[str, str]]:
    """Makes plots by heading, in the light and in the dark theme."""
    if case.findings is None:
        return {}
    profile = Profile.of([("", case.findings)], case.painting.metric, case.painting.limits)
    if profile is None:
        return {}
    light, dark = (profile_svg(profile, theme, case.painting.palette) for theme in THEMES)
    return {"Error along the depth": (light, dark)}


def content_of(case: Case, title: str = "", progress: Progress = SILENT) -> Content:
    """`title`: what the report is called; "": as the model is."""
    findings = case.findings
    evidence = () if findings is None else evidence_of(findings, case.match, progress)
    return content_with(case, evidence, title)


def content_with(case: Case, evidence: tuple[NodeEvidence, ...] = (), title: str = "") -> Content:
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
