"""What rankings, searches and exports of a session found, in lines."""

from collections.abc import Iterator, Mapping

from errorflow.findings.model import Findings
from errorflow.findings.problems import about_runs
from errorflow.match.model import Match
from errorflow.report.search import search_lines
from errorflow.report.sensitivity import sensitivity_lines
from errorflow.session.model import Session

_EACH = 5


def chapters_of(session: Session) -> Mapping[str, tuple[str, ...]]:
    """Of what is simulated: only that is about the model on view."""
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
    """What is odd about the runs; what could not be measured is in the findings."""
    for group in about_runs(() if match is None else match.problems, findings.graph):
        named = "; ".join(item.text for item in group.items[:_EACH])
        more = len(group.items) - _EACH
        tail = f" and {more:,} more" if more > 0 else ""
        hint = f" {group.hint}" if group.hint else ""
        yield f"{group.title} ({len(group.items):,}): {named}{tail}.{hint}"
