"""Draft of a bundle: what is the same whatever is chosen, worked out once, before anything is taken out of it."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from errorflow.base import SILENT, ErrorflowError, Progress, dataclass, field
from errorflow.case.model import Case
from errorflow.case.session.model import Session
from errorflow.quant.plan_file import plan_text
from errorflow.report.bundle.found_file import plain_found
from errorflow.report.bundle.graph_file import plain_model
from errorflow.report.bundle.model import Redactions, plain
from errorflow.report.bundle.redaction import Counts
from errorflow.report.bundle.secrets import Secrets, secrets_of
from errorflow.report.bundle.sizes import BundleSizes, uses_of
from errorflow.report.content import Content
from errorflow.report.contents import content_of
from errorflow.report.html.data import page_data
from errorflow.report.html.page import html_report
from errorflow.report.tables import csv_text, tensors_csv

# Fields of a case that say in words what was compared.
SAID = ("compared", "sides", "made_up", "problems", "facts")
# The call of the command line, among the settings.
COMMAND = "command.txt"
_HEAD = (
    *("node", "type", "depth", "verdict", "how", "accumulated", "share", "introduced", "inherited"),
    *("introduced share", "states", "note"),
)


@dataclass(frozen=True, eq=False)
class BundleDraft:
    """Texts and plain values, with all names and folders still in them."""

    case: Case
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
    def sizes(self) -> BundleSizes:
        return BundleSizes(self.case)


def draft_of(case: Case, now: datetime, title: str = "", progress: Progress = SILENT) -> BundleDraft:
    """Makes the draft, with all that takes long."""
    session, model = case.session, case.model
    content = content_of(case, title, progress)
    return BundleDraft(
        case,
        secrets_of(session, model, case.match),
        now,
        html_report(content, now, progress),
        plain_model(model, progress),
        {
            **plain_found(case.comparison, case.match, case.blame, case.stages),
            **{name: plain(getattr(case, name)) for name in SAID},
        },
        _second(case, progress),
        dict(_tables(content, case)),
        dict(_configs(case)),
    )


def _second(case: Case, progress: Progress) -> Mapping[str, Any] | None:
    """Finds the second model, with what its file is to the session, by which it is found there again."""
    if case.second is None:
        return None
    path = case.second.path
    use = next((use for use, known in uses_of(case.session) if known == path), "")
    return {"use": use, "name": path.name, **plain_model(case.second, progress)}


def _tables(content: Content, case: Case) -> Iterator[tuple[str, str]]:
    rows = ([str(cell) if cell is not None else "" for cell in row] for row in page_data(content)["nodes"])
    yield "nodes.csv", csv_text(_HEAD, rows)
    if case.findings is not None:
        yield "tensors.csv", tensors_csv(case.findings.comparison, case.findings.row_shares)


def _configs(case: Case) -> Iterator[tuple[str, str]]:
    session = case.session
    call = call_of(session)
    if call:
        yield COMMAND, f"{call}\n"
    if session.simulation is not None:
        yield "plan.json", plan_text(session.simulation.plan)
        yield from _of_toolchains(case)


def call_of(session: Session) -> str:
    """The same on the command line; "": there is nothing to call."""
    if session.simulation is not None and session.model is not None:
        from errorflow.study.simulate.call import call_of as call

        return call(session.model, session.simulation.basis, session.simulation.plan)
    if session.setup is not None and session.setup.files:
        from errorflow.case.scenarios.call import call_of as compared

        return compared(session.setup)
    return ""


def _of_toolchains(case: Case) -> Iterator[tuple[str, str]]:
    """Yields what can be written of the plan without ranges."""
    from errorflow.report.toolchains import TOOLCHAINS
    from errorflow.report.toolchains.model import Decision

    assert case.session.simulation is not None, "there is a plan"
    decision = Decision.of(case.model.graph, case.session.simulation.plan, model=case.title)
    for each in TOOLCHAINS:
        if each.needs_ranges or each.needs_run or each.key == "plan":
            continue
        try:
            written = each.write(decision, None)
        except ErrorflowError:  # it knows nothing of what was decided
            continue
        yield from ((f"{each.key}/{name}", text) for name, text in written.files.items())
