"""What of a case is the same whatever is chosen: worked out once, before anything is taken out of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from errorflow.bundle.found_file import plain_found
from errorflow.bundle.graph_file import plain_model
from errorflow.bundle.model import Material, Redactions
from errorflow.bundle.plain import plain
from errorflow.bundle.redaction import Counts
from errorflow.bundle.secrets import Secrets, secrets_of
from errorflow.bundle.sizes import Sizes, uses_of
from errorflow.errors import ErrorflowError
from errorflow.findings.model import Findings
from errorflow.progress import SILENT, Progress
from errorflow.quant.plan_file import plan_text
from errorflow.report.html.case import Case
from errorflow.report.html.data import page_data
from errorflow.report.html.evidence import evidence_of
from errorflow.report.html.opening import dressed, said_of_setup
from errorflow.report.html.page import html_report
from errorflow.report.html.told import problems_of
from errorflow.report.stages import stages_lines
from errorflow.report.tables import csv_text, tensors_csv
from errorflow.session.model import Session

# Of a `Material`, what was said of it in words.
SAID = ("compared", "sides", "made_up", "problems", "facts")
# The call of the command line, among the settings.
COMMAND = "command.txt"
_HEAD = (
    *("node", "type", "depth", "verdict", "how", "accumulated", "share", "introduced", "inherited"),
    *("introduced share", "states", "note"),
)


@dataclass(frozen=True, eq=False)
class Draft:
    """Texts and plain values, with all names and folders still in them."""

    material: Material
    # None: nothing was compared.
    findings: Findings | None
    secrets: Secrets
    made: datetime
    report: str
    graph: Mapping[str, Any]
    found: Mapping[str, Any]
    # The second graph; None: there is none.
    second: Mapping[str, Any] | None = None
    tables: Mapping[str, str] = field(default_factory=dict)
    configs: Mapping[str, str] = field(default_factory=dict)
    # By what was taken out: the members that do not depend on any other choice, and what was found in them.
    kept: dict[Redactions, tuple[dict[str, bytes], Counts]] = field(default_factory=dict)

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes(self.material, self.findings)


def draft_of(material: Material, now: datetime, title: str = "", progress: Progress = SILENT) -> Draft:
    """All that takes long."""
    session, model = material.session, material.model
    case, findings = case_of(material, title, progress)
    return Draft(
        material,
        findings,
        secrets_of(session, model, material.match),
        now,
        html_report(case, now, progress),
        plain_model(model, progress),
        {
            **plain_found(material.comparison, material.match, material.blame, material.stages),
            **{name: plain(getattr(material, name)) for name in SAID},
        },
        _second(material, progress),
        dict(_tables(case, material)),
        dict(_configs(material)),
    )


def _second(material: Material, progress: Progress) -> Mapping[str, Any] | None:
    """With what its file is to the session, by which it is found there again."""
    if material.second is None:
        return None
    path = material.second.path
    use = next((use for use, known in uses_of(material.session) if known == path), "")
    return {"use": use, "name": path.name, **plain_model(material.second, progress)}


def case_of(material: Material, title: str = "", progress: Progress = SILENT) -> tuple[Case, Findings | None]:
    """What the report tells of, and the findings that it stands on."""
    session, graph = material.session, material.model.graph
    findings = None
    if material.comparison is not None:
        from errorflow.compare.placed import side_of

        side = side_of(graph, material.comparison)
        findings = Findings.of(graph, material.comparison, material.blame, side)
    stages = () if material.stages is None else tuple(stages_lines(material.stages))
    said = {name: getattr(material, name) for name in SAID}
    case = Case(material.title, graph, findings, stages=stages, **said)
    if findings is not None:
        told = None if session.simulation is not None else material.match
        problems = (*material.problems, *problems_of(findings, told))
        case = replace(case, evidence=evidence_of(findings, material.match, progress), problems=problems)
    return dressed(case, session, title), findings


def _tables(case: Case, material: Material) -> Iterator[tuple[str, str]]:
    rows = ([str(cell) if cell is not None else "" for cell in row] for row in page_data(case)["nodes"])
    yield "nodes.csv", csv_text(_HEAD, rows)
    if material.comparison is not None:
        yield (
            "tensors.csv",
            tensors_csv(material.comparison, None if case.findings is None else case.findings.row_shares),
        )


def _configs(material: Material) -> Iterator[tuple[str, str]]:
    session = material.session
    call = call_of(session)
    if call:
        yield COMMAND, f"{call}\n"
    if session.simulation is not None:
        yield "plan.json", plan_text(session.simulation.plan)
        yield from _of_toolchains(material)


def call_of(session: Session) -> str:
    """The same on the command line; "": there is nothing to call."""
    if session.simulation is not None and session.model is not None:
        from errorflow.simulate.call import call_of as call

        return call(session.model, session.simulation.basis, session.simulation.plan)
    if session.setup is not None and session.setup.files:
        from errorflow.scenarios.call import call_of as compared

        return compared(session.setup)
    return ""


def _of_toolchains(material: Material) -> Iterator[tuple[str, str]]:
    """What can be written of the plan without ranges."""
    from errorflow.toolchains import TOOLCHAINS
    from errorflow.toolchains.model import Decision

    assert material.session.simulation is not None, "there is a plan"
    decision = Decision.of(material.model.graph, material.session.simulation.plan, model=material.title)
    for each in TOOLCHAINS:
        if each.needs_ranges or each.needs_run or each.key == "plan":
            continue
        try:
            written = each.write(decision, None)
        except ErrorflowError:  # it knows nothing of what was decided
            continue
        yield from ((f"{each.key}/{name}", text) for name, text in written.files.items())


def said_of(session: Session) -> dict[str, Any]:
    """Fields of a `Material` that say what was compared, where two runs were."""
    setup = session.setup
    if setup is None or session.simulation is not None:
        return {}
    found = said_of_setup(setup)
    return {name: found[name] for name in SAID if name in found}
