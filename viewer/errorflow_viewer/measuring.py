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
class Wish:
    """What is compared, on the model on view."""

    setup: Setup
    model: Model
    session: Session
    # What came with the model, and need not be measured.
    brought: "Case | None" = None
    # Runs that were opened to make a graph of them, and what a cancel left.
    prepared: "Prepared | None" = None
    begun: "Case | None" = None
    # Of all that the result depends on; "": nobody asked, or it cannot be said.
    mark: str = ""

    def __eq__(self, other: object) -> bool:
        """Whether `other`, which came later, is the same with more known of its model at most."""
        if not isinstance(other, Wish) or self.setup != other.setup:
            return False
        old, new = self.model, other.model
        refined = old.path == new.path and old.infer_shapes is not None and new.infer_shapes is None
        return old is new or refined

    __hash__ = None  # type: ignore[assignment]  # what is equal by `__eq__` goes in one direction only


@dataclass(frozen=True, slots=True)
class Memory:
    """What another start has found."""

    rows: "Callable[[Setup, Match], Mapping[int, Row]]"
    known: "Callable[[str], Known | None]"


def measured(
    wish: Wish, memory: "Memory", folder: Path | None, progress: Progress, give: "Give[Case | Part]"
) -> "Case":
    from errorflow.case.asking import Asking, Kept
    from errorflow.case.comparing import compared
    from errorflow.session.marks import mark_of

    def known(setup: Setup, painted: Path | None, progress: Progress) -> "Known | None":
        wish.mark = mark_of(setup, painted, progress)
        return memory.known(wish.mark)

    kept = Kept(memory.rows, known)
    asking = Asking(folder, give, kept, model=wish.model, prepared=wish.prepared, begun=wish.begun)
    case = compared(wish.session, wish.setup, asking, folder, progress)
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
