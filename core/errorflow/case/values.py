"""What travels between the steps of an examination."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from errorflow.blame.model import Blame
from errorflow.compare.crew import Crew
from errorflow.compare.journal import Journal
from errorflow.compare.model import PENDING, Comparison, Row
from errorflow.compare.options import Options
from errorflow.graph.model import Model
from errorflow.match.model import Match
from errorflow.match.plan import Plan
from errorflow.match.selection import Selection
from errorflow.stages.compare import Three
from errorflow.stages.model import Stages

if TYPE_CHECKING:
    from errorflow.run.both import Fed
    from errorflow.run.model import MadeUpShapes

# Whether nodes of the original are run once more: where that can be done, or else it is an error, or not at all.
Running = Literal["try", "must", "never"]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What a call of the command line asks for besides the files of a setup."""

    # Pieces of operators are compared one by one.
    pieces: bool = False
    # None: all operators.
    selection: Selection | None = None
    # What models are run with; None: the setup says it.
    fed: "Fed | None" = None


WHOLE = Narrowed()


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is left to do is to measure `match`, pair by pair."""

    plan: Plan
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
class Work:
    """How pairs are measured; None: as suits the machine."""

    options: Options | None = None
    crew: Crew | None = None
    journal: Journal | None = None


PLAIN = Work()


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is known of a comparison that is being measured: `rows` fills up, in the order of the match."""

    match: Match
    rows: list[Row]
    # None: not worked out yet.
    blame: Blame | None = None
    complete: bool = False
    # Of three runs: which step is at fault.
    stages: Stages | None = None

    @property
    def comparison(self) -> Comparison:
        """As it is at this moment."""
        return Comparison(tuple(self.rows))

    @property
    def known(self) -> Mapping[int, Row]:
        """What need not be measured again, by number."""
        return {number: row for number, row in enumerate(self.rows) if row.note != PENDING}

    @property
    def done(self) -> int:
        return sum(row.note != PENDING for row in self.rows)


Tell = Callable[[Sketch], None]
