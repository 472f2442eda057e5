"""State that the panels share, as plain values."""

from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base.values import dataclass, field, replace
from errorflow.case.session.model import Session, Simulation
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph, Model
from errorflow.quant.plan import Plan
from errorflow.study.simulate.basis import Basis

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.case.regression.carried import Carried
    from errorflow.explain.outliers.model import OutlierTable
    from errorflow.study.rank.curves import Curves
    from errorflow.study.rank.interaction import PartPairs
    from errorflow.study.rank.model import Ranking
    from errorflow.study.search.model import Search
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome


# Plans whose outcomes are kept.
KNOWN = 6


@dataclass(frozen=True, slots=True)
class Place:
    """A graph within a model: the main one, a body of a control-flow node, or a function."""

    path: tuple[int, ...] = ()
    function: int = -1

    def graph(self, model: Model) -> Graph:
        root = model.graph if self.function < 0 else model.functions[self.function].graph
        return root.at(self.path)

    def inside(self, position: int) -> "Place":
        return replace(self, path=(*self.path, position))

    def ancestors(self) -> Iterator["Place"]:
        """Yields places from the main graph down to this one."""
        if self.function >= 0:
            yield Place()
        for length in range(len(self.path) + 1):
            yield replace(self, path=self.path[:length])


@dataclass(frozen=True, slots=True)
class Sight:
    """View: which groups were open, and the part of the drawing in its middle."""

    groups: frozenset[int]
    x: float
    y: float
    zoom: float
    # Of the drawing: in one of another size the spot is another one.
    size: tuple[float, float]
    # All was in sight.
    fitted: bool = False
    # Seen at another time: one is there at once, and however much room there is the spot stays in the middle.
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """Spot: a graph, what was selected there, and if known what of it was to be seen."""

    place: Place
    node: int | None = None
    tensor: int | None = None
    group: int | None = None
    sight: Sight | None = None


class Arrival(Enum):
    """Way in which one came to what is selected: steps of one walk are one entry of the history, so are clicks in a
    row.
    """

    WENT = "went"
    WALKED = "walked"
    PICKED = "picked"


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """A model on the bench, and what came of plans."""

    bench: "Bench"
    # Of the plan on view, as far as it is known; None: nothing is yet.
    outcome: "Outcome | None" = None
    # Of the trial that is compared with.
    against: "Outcome | None" = None
    # Of plans all that was found is kept, so that going back to one shows it at once; newest last.
    known: "tuple[Outcome, ...]" = ()

    def knows(self, plan: Plan) -> "Outcome | None":
        return next((outcome for outcome in self.known if outcome.plan == plan), None)

    def forgets(self, plan: Plan) -> "Simulated":
        return replace(self, known=tuple(outcome for outcome in self.known if outcome.plan != plan))

    def keeps(self, outcome: "Outcome") -> "Simulated":
        return replace(self, known=(*self.forgets(outcome.plan).known, outcome)[-KNOWN:])


@dataclass(frozen=True, slots=True, eq=False)
class Coming:
    """Simulation that is to come, as soon as it is known that it works."""

    basis: Basis
    # None: as the model suggests it.
    plan: Plan | None
    # The plan on view when it was asked for, which is not simulated any further until then.
    before: Plan | None
    # What the step is called, and who is told when it is done.
    text: str
    begun: Callable[[], None] | None = None

    def simulation(self, now: Simulation | None, bench: "Bench") -> Simulation:
        """Makes what the session is to say; where its plan was meant, also if that is another one by then."""
        if now is None:
            return Simulation(bench.basis, bench.plan)
        keeps = self.plan is not None and self.plan == self.before and bench.suits(bench.basis, now.plan)
        return replace(now, basis=bench.basis, plan=now.plan if keeps else bench.plan)


@dataclass(frozen=True, slots=True, eq=False)
class Coupled:
    """Results of the first parts of a ranking in pairs."""

    ranking: "Ranking"
    pairs: "PartPairs"


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A plan that was taken from a search."""

    search: "Search"
    plan: Plan


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """Session that this one is compared with."""

    path: Path
    side: "Case"
    # What it found, on a graph of the model on view; None: not known yet.
    graph: Graph | None = None
    carried: "Carried | None" = None


@dataclass(frozen=True, slots=True)
class State:
    """State that all panels share. A change makes a new one."""

    model: Model | None = None
    # What was found about it; None: no runs of the model are loaded, and no plan was simulated.
    case: "Case | None" = None
    # On the graph on view, derived from what was compared; None: nothing is known of it, or not yet.
    findings: "Findings | None" = None
    # What the user wants to be simulated; None: what the session says.
    coming: Coming | None = None
    # What was prepared for the session; None: nothing, or it is not ready.
    bench: "Bench | None" = None
    # None: nothing is simulated, or it is only being prepared, or its model is not on view yet.
    simulated: Simulated | None = None
    # How much parts of the model matter, as far as it is known; None: nobody has asked.
    ranking: "Ranking | None" = None
    # By plan, by what was asked, and by the ranking that they go along; of the simulation on view, newest last.
    curves: "tuple[tuple[tuple[Any, ...], Curves], ...]" = ()
    # None: nobody asked what it is in pairs.
    coupled: Coupled | None = None
    # The last plan that was taken from a search; None: none was.
    taken: Taken | None = None
    # The channels of what is on view; None: nobody has looked for loud ones.
    outliers: "OutlierTable | None" = None
    # None: no other session is compared with, or it is not measured yet.
    before: Before | None = None
    # What the user decided. `changed` names also which of its fields differ, as in "session.painting".
    session: Session = field(default_factory=Session)
    place: Place = Place()
    node: int | None = None
    # A graph input, output or constant; a node is selected or a tensor or a group, never two of them.
    tensor: int | None = None
    # A group of the graph as it is drawn, closed or open.
    group: int | None = None
    # What the node list is narrowed to.
    search: str = ""
    # Grows when the same search finds more than before.
    hits: int = 0
    # Grows when other things of a graph are drawn than before.
    redrawn: int = 0
    # Grows each time the view is asked to travel: to what was seen, or if that is not known to what is selected.
    visit: int = 0
    sight: Sight | None = None
    back: tuple[Spot, ...] = ()
    forward: tuple[Spot, ...] = ()
    arrival: Arrival = Arrival.WENT

    @property
    def spot(self) -> Spot:
        return Spot(self.place, self.node, self.tensor, self.group)

    @property
    def is_bare(self) -> bool:
        """Whether nothing is selected."""
        return self.node is None and self.tensor is None and self.group is None
