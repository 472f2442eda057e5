"""The work of comparing two runs, as it is done in the background: from what is known already to the verdict."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow.scenarios.setup import Setup
from errorflow.session.model import Session
from errorflow_viewer.jobs import Give

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from errorflow.case.model import Case
    from errorflow.case.values import Part, Prepared
    from errorflow.compare.model import Row
    from errorflow.findings.model import Findings
    from errorflow.match.model import Match
    from errorflow.session.known import Known


@dataclass(eq=False, slots=True)
class Work:
    """One comparison that is under way, or was cancelled and may go on."""

    setup: Setup
    model: Model
    # What a cancel left when the work begins; and what is known so far.
    begun: "Case | None" = None
    part: "Part | None" = None
    # Of all that the result depends on; "": nobody asked, or it cannot be said.
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """What another start has found."""

    rows: "Callable[[Setup, Match], Mapping[int, Row]]"
    known: "Callable[[str], Known | None]"


def measured(
    work: Work,
    session: Session,
    prepared: "Prepared | None",
    memory: "Memory",
    folder: Path | None,
    progress: Progress,
    give: "Give[Part]",
) -> "Case":
    from errorflow.case.asking import Asking, Kept
    from errorflow.case.comparing import compared
    from errorflow.session.marks import mark_of

    def known(setup: Setup, painted: Path | None, progress: Progress) -> "Known | None":
        work.mark = mark_of(setup, painted, progress)
        return memory.known(work.mark)

    kept = Kept(memory.rows, known)
    asking = Asking(folder, give, kept, model=work.model, prepared=prepared, begun=work.begun)
    case = compared(session, work.setup, asking, folder, progress)
    findings = findings_of(case)
    if findings is not None:
        findings.prepare()
    return case


def findings_of(case: "Case") -> "Findings | None":
    """None: the rows cannot be laid on the graph. The numbers are there all the same."""
    try:
        return case.findings
    except ErrorflowError:  # who looks for findings next says what is wrong
        return None
