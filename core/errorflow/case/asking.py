"""Options of an examination besides the session, with defaults that suit a report."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.base.values import dataclass
from errorflow.case.model import Case
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.known import KnownRows
from errorflow.case.session.results import beside, recall, recall_known
from errorflow.case.values import PLAIN, WHOLE, MeasuringSetup, Narrowed, Part, Prepared, Running
from errorflow.compare.match.model import Match
from errorflow.compare.model import Row
from errorflow.compare.options import Options
from errorflow.graph.model import Model


@dataclass(frozen=True, slots=True)
class EarlierRows:
    """Measurements of another time, found again by content."""

    rows: Callable[[Setup, Match], Mapping[int, Row]] = lambda _setup, _match: {}
    # Before anything is opened or run; with the file of the graph that is painted.
    known: Callable[[Setup, Path | None, Progress], KnownRows | None] = lambda _setup, _painted, _progress: None


def kept_beside(session: Path) -> EarlierRows:
    """Finds what lies beside the file of a session."""
    folder = beside(session)

    def known(setup: Setup, painted: Path | None, progress: Progress) -> KnownRows | None:
        from errorflow.case.session.marks import mark_of

        return recall_known(folder, mark_of(setup, painted, progress))

    return EarlierRows(lambda _, match: recall(folder, match, Options(), session.parent), known)


@contextmanager
def plainly(_: Prepared) -> Iterator[MeasuringSetup]:
    yield PLAIN


@dataclass(frozen=True, slots=True)
class Asking:
    """Options that a door sets besides the session."""

    # Where models that are run leave their tensors; None: in a folder that goes with the case.
    folder: Path | None = None
    # Hears of each step.
    give: Callable[[Part], None] = lambda _: None
    kept: EarlierRows = EarlierRows()
    # False: numbers are enough, so that models need not run again for their tensors.
    tensors: bool = True
    # The model on view, if it is open already; runs that were opened already; what a cancel left.
    model: Model | None = None
    prepared: Prepared | None = None
    begun: Case | None = None
    # Of the command line.
    narrowed: Narrowed = WHOLE
    running: Running = "try"
    work: Callable[[Prepared], AbstractContextManager[MeasuringSetup]] = plainly
