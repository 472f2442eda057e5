"""Values that travel between the steps of an examination."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from errorflow.base.values import dataclass, field
from errorflow.case.model import Case
from errorflow.compare.executors import PairExecutor
from errorflow.compare.journal import Journal
from errorflow.compare.match.model import Match
from errorflow.compare.match.plan import MatchPlan
from errorflow.compare.match.selection import Selection
from errorflow.compare.options import Options
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
