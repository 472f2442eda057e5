"""Values that travel between the steps of an examination."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from errorflow.base import Progress, dataclass, field
from errorflow.case.model import Case
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.known import KnownRows
from errorflow.case.session.results import beside, recall, recall_known
from errorflow.compare.executors import PairExecutor
from errorflow.compare.journal import Journal
from errorflow.compare.match.model import Match
from errorflow.compare.match.plan import MatchPlan
from errorflow.compare.match.selection import Selection
from errorflow.compare.model import Options, Row
from errorflow.explain.stages.compare import Three
from errorflow.graph.model import Model

if TYPE_CHECKING:
    from errorflow.run.both import RunInputs
    from errorflow.run.model import MadeUpShapes

# Whether nodes of the original are run once more: where that can be done, or else it is an error, or not at all.
Running = Literal["try", "must", "never"]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Choices of a command line besides the files of a setup."""

    # Pieces of operators are compared one by one.
    pieces: bool = False
    # None: all operators.
    selection: Selection | None = None
    # What models are run with; None: the setup says it.
    fed: "RunInputs | None" = None


WHOLE = Narrowed()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared comparison: what is left to do is to measure `match`, pair by pair."""

    plan: MatchPlan
    # Made for runs without a model; None: `Setup.shown` says which file it is.
    made: Model | None = None
    # Of three runs, who stands for whom in both steps.
    three: Three | None = None
    # The shapes of inputs that were made up to run models.
    made_up: "MadeUpShapes" = field(default_factory=dict)
    # Files that models left behind.
    written: tuple[Path, ...] = ()
    # The file of the graph that is painted, which may be a model that was run; None: the setup says it.
    shown: Path | None = None

    @property
    def match(self) -> Match:
        return self.plan.match


@dataclass(frozen=True, slots=True)
class MeasuringSetup:
    """Measuring of pairs: how it is done; None: as suits the machine."""

    options: Options | None = None
    crew: PairExecutor | None = None
    journal: Journal | None = None


PLAIN = MeasuringSetup()


# What is known so far of a case that fills up: cheap to hand on, since its rows are copied when it is called.
Part = Callable[[], Case]
Tell = Callable[[Part], None]


# Options of an examination besides the session, with defaults that suit a report.


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
