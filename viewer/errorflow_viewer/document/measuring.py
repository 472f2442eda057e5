"""The work of comparing two runs, as it is done in the background: from what is known already to the verdict."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow.graph.model import Model
from errorflow_viewer.kit.jobs import PART_SECONDS, Give

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from errorflow.case.model import Case
    from errorflow.case.session.known import Known
    from errorflow.case.values import Part, Prepared
    from errorflow.compare.match.model import Match
    from errorflow.compare.model import Row
    from errorflow.explain.findings.model import Findings


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
    # What is measured by now, of which the window has seen a part at most.
    newest: "Part | None" = None

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


def measured(wish: Wish, memory: "Memory", folder: Path | None, progress: Progress, give: "Give[Case]") -> "Case":
    """`give`: takes parts with all that is found on the graph, so that each is one change of the window."""
    from errorflow.case.asking import Asking, Kept
    from errorflow.case.comparing import compared
    from errorflow.case.session.marks import mark_of

    def known(setup: Setup, painted: Path | None, progress: Progress) -> "Known | None":
        wish.mark = mark_of(setup, painted, progress)
        return memory.known(wish.mark)

    later = 0.0

    def tell(part: "Part") -> None:
        """A step more than a row is never left out; rows come so fast that most are."""
        nonlocal later
        is_row, now = part is wish.newest, time.monotonic()
        wish.newest = part
        if not is_row or now >= later:
            give(_prepared(part()))
            later = time.monotonic() + max(PART_SECONDS, time.monotonic() - now)

    kept = Kept(memory.rows, known)
    asking = Asking(folder, tell, kept, model=wish.model, prepared=wish.prepared, begun=wish.begun)
    return _prepared(compared(wish.session, wish.setup, asking, folder, progress))


def _prepared(case: "Case") -> "Case":
    """The window is about to show all columns."""
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
