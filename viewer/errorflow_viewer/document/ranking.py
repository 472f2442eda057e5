"""Asks which parts of the model matter, in the background, about the simulation on view; what is known is kept."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QObject, Signal

from errorflow.base import Progress, UsageError, dataclass, field, replace
from errorflow.base.workers import WorkerError
from errorflow.case.session.model import KeptRanking, Session, Simulation
from errorflow.quant.plan import Plan
from errorflow.quant.selecting import keys_of
from errorflow.quant.switching import Switch, in_units, switched
from errorflow.study.rank.asked import Measure, Part, Question
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.simulating import Simulating
from errorflow_viewer.document.simulation_work import KEY as SIMULATING
from errorflow_viewer.document.simulation_work import OPEN
from errorflow_viewer.document.state import Coupled, State
from errorflow_viewer.kit.following import follow

if TYPE_CHECKING:
    from errorflow.study.rank.model import Ground, Ranking
    from errorflow.study.simulate.bench import Bench

KEY, TEXT = "rank", "Ranking nodes"
# For whoever waits for a simulation that may wait for the user.
SIMULATED_FIRST = "The model is simulated first. If it waits for samples, give them in the panel Simulate."
PAIRS, PAIRS_TEXT = "pairs", "Checking pairs"
# Rankings that a session remembers, the newest ones.
KNOWN = 8


class RankingRequests(QObject):
    """Questions about the simulation on view; without one they wait until it is there."""

    # It runs or does not any more, knows more, waits for the simulation, or failed.
    changed = Signal()

    # Its row among what is derived, and what else says something new about it.
    key: ClassVar[str]
    reads: ClassVar[frozenset[str]]

    def __init__(self, document: Document, derived: Deriving, simulating: Simulating, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._derived = derived
        self._simulating = simulating
        follow(self, document.changed, lambda _: self._on_changed(), self.reads)
        derived.changed.connect(self._on_derived)

    @property
    def busy(self) -> bool:
        return self._derived.running(self.key) is not None

    @property
    def waits(self) -> bool:
        """Whether it begins as soon as the simulation is there."""
        return self._derived.waits(self.key)

    @property
    def bench(self) -> "Bench | None":
        simulated = self._document.state.simulated
        return None if simulated is None else simulated.bench

    def plan_asked(self) -> Plan | None:
        """The plan on view; None: nothing is simulated."""
        simulation = self._document.session.simulation
        return None if simulation is None else simulation.plan

    def request(self) -> None:
        """Begins, or goes on with what was cancelled. Without a simulation one is begun first."""
        self._derived.ask(self.key)
        if self._document.session.simulation is None:
            self._simulating.asked.emit()

    def stop(self) -> None:
        """Stops; what is known stays, and nothing begins by itself any more."""
        self._derived.stop(self.key)

    def _on_changed(self) -> None:
        self._follow()
        self.look_for_way()
        self.changed.emit()

    def _on_derived(self, name: str) -> None:
        """Ends waiting where there is no simulation."""
        if name == self.key:
            self.changed.emit()
        elif (name == OPEN and self._derived.was_cancelled(name)) or (
            name in (OPEN, SIMULATING) and self._derived.error(name) is not None
        ):
            self._derived.give_up(self.key)

    def look_for_way(self) -> None:
        if self.waits and not self._still_comes():
            self._derived.give_up(self.key)

    def _still_comes(self) -> bool:
        """Whether what it waits for besides may come still."""
        return True

    def _follow(self) -> None:
        """Follows what is on view besides."""


@dataclass(frozen=True)
class RankingRequest:
    """Wish for what is to be ranked, where, and what was ranked there before."""

    bench: "Bench"
    plan: Plan
    question: Question
    basis: Basis = field(compare=False)
    model: Path | None = field(compare=False)
    known: "tuple[Ranking, ...]" = field(compare=False)


def wished(state: State) -> RankingRequest | None:
    session, simulated = state.session, state.simulated
    simulation = session.simulation
    if simulated is None or simulation is None:
        return None
    known = tuple(each.ranking for each in session.rankings if each.basis == simulation.basis)
    return RankingRequest(simulated.bench, simulation.plan, session.question, simulation.basis, session.model, known)


def is_of_use(wish: RankingRequest, state: State) -> bool:
    """Whether work is of use: it is brought to its end for the plan that was on view, as long as the question is the
    same.
    """
    now = wished(state)
    return now is not None and (now.bench, now.question) == (wish.bench, wish.question)


def remember(document: Document, wish: RankingRequest, ranking: "Ranking") -> None:
    if wish.model == document.session.model:
        document.revise(partial(with_ranking, found=KeptRanking(wish.basis, ranking)))


def paired(state: State) -> "tuple[Bench, Ranking] | None":
    """Finds the ranking on view, for the question about pairs."""
    is_there = state.simulated is not None and state.ranking is not None
    return (state.simulated.bench, state.ranking) if is_there and state.simulated and state.ranking else None


def coupled(wish: "tuple[Bench, Ranking]", progress: Progress) -> Coupled:
    """Whether the first parts of the ranking act on their own."""
    from errorflow.study.rank.interaction import TOP, pairs_of

    bench, ranking = wish
    top = min(TOP, len(ranking.parts))
    return Coupled(ranking, pairs_of(bench.engine, ranking, top=top, progress=progress))


class Rankings(RankingRequests):
    """Keeps `State.ranking` in step with what the session asks, and with the plan on view."""

    key, reads = KEY, frozenset(("model", "simulated", "session.simulation", "session.question", "session.rankings"))

    def __init__(
        self, document: Document, derived: Deriving, simulating: Simulating, show: Callable[[], None], parent: QObject
    ) -> None:
        """`show` brings the panel."""
        super().__init__(document, derived, simulating, parent)
        self._show = show
        # The last plan that something was kept from, and what came of it.
        self._kept: tuple[Plan, Plan] | None = None

    # What others may ask for

    @property
    def question(self) -> Question:
        return self._document.session.question

    @property
    def coupled(self) -> Coupled | None:
        """Pairs of the first parts; None: they are not wanted."""
        return self._document.state.coupled

    @property
    def is_of_plan(self) -> bool:
        """Whether what is on view is about the plan on view, and answers what is asked."""
        ranking, simulation = self._document.state.ranking, self._document.session.simulation
        if ranking is None or simulation is None:
            return False
        return ranking.plan == simulation.plan and ranking.question == self.question

    def ask(self) -> None:
        """Ranks, or goes on with what was cancelled."""
        self.request()

    def begin(self) -> None:
        """Shows the panel, and asks unless the answer is there or on its way."""
        self._show()
        if not self.busy and not (self.is_of_plan and self._is_complete):
            self.ask()

    def choose(self, text: str, question: Question) -> None:
        """Chooses another question, as a step that can be undone; it is not ranked before the user wants it."""
        self._document.edit(text, question=question)

    def paint(self, measure: Measure | None) -> None:
        """Fills nodes by how much they matter; None: by error again."""
        painting = self._document.session.painting
        text = "Paint by error" if measure is None else f"Paint by {measure}"
        self._document.edit(text, painting=replace(painting, ranked="" if measure is None else measure))

    def keep(self, text: str, base: Plan, parts: Sequence[Part], to: Switch, exactly: bool = False) -> str:
        """Keeps these in float or in other bits and all else as in that plan, as one step; says what comes of it."""
        bench = self.bench
        if bench is None:
            return "The simulation is being prepared."
        plan = kept(bench, base, parts, to, exactly)
        if plan == self.plan_asked():
            return "That is so already: nothing changes."
        self._kept = (base, plan)
        self._simulating.edit(text, plan)
        from errorflow.quant.effective import frees

        return f"{text}. {frees(bench.engine.graph, bench.engine.assigned(base), bench.engine.assigned(plan))}"

    @property
    def base(self) -> Plan | None:
        """Plan that others are kept from: the one on view, or if that came of `keep`, the one before."""
        plan = self.plan_asked()
        return self._kept[0] if self._kept is not None and plan == self._kept[1] else plan

    def pair(self) -> None:
        """Whether the first parts of the ranking on view act on their own."""
        if paired(self._document.state) is not None:
            self._derived.ask(PAIRS)

    # What follows from the document

    def _on_derived(self, name: str) -> None:
        super()._on_derived(name)
        if name == PAIRS:
            self.changed.emit()

    def _follow(self) -> None:
        """Follows what answers the question, best about the plan on view; what runs shows itself."""
        if self._document.model is None:  # nothing of it is left in memory
            self._kept = None
        known = self._known()
        is_better = not self.busy or (known is not None and known.plan == self.plan_asked())
        if is_better and known is not self._document.state.ranking:
            self._document.take_ranking(known)

    def _known(self) -> "Ranking | None":
        simulation = self._document.session.simulation
        if simulation is None:
            return None
        found = known_rankings(self._document.session, simulation, self.question)
        exact = [ranking for ranking in found if ranking.plan == simulation.plan]
        return next(iter((*exact[::-1], *found[::-1])), None)

    @property
    def _is_complete(self) -> bool:
        ranking = self._document.state.ranking
        return ranking is not None and ranking.complete


def kept(bench: "Bench", plan: Plan, parts: Sequence[Part], to: Switch, exactly: bool) -> Plan:
    """Plans as it was measured: none of their tensors is coded as planned.

    By names of nodes where that does it too, which switches what these read as well, unless it is to be `exactly` so:
    then a click puts each of them back.
    """
    from errorflow.study.rank.switching import Switching

    engine = bench.engine
    exact = Switching(engine.graph, plan, engine.assigned(plan)).without(parts, to)
    known = keys_of(engine.graph).nodes
    nodes = [node for part in parts for name in part.nodes for node in known.get(name, ())]
    named = switched(engine.graph, plan, in_units(engine.graph, nodes), to)
    one, other = engine.assigned(exact), engine.assigned(named)
    found = (engine.graph.tensor_index(name) for part in parts for name in part.tensors)
    meant = range(len(engine.graph.tensor_names)) if exactly else [tensor for tensor in found if tensor is not None]
    same = all(
        one.activations.get(tensor) == other.activations.get(tensor)
        and one.constants.get(tensor) == other.constants.get(tensor)
        for tensor in meant
    )
    return named if same and (not exactly or one.biases == other.biases) else exact


def ranked(wish: RankingRequest, progress: Progress, give: "Callable[[Ranking], None]") -> "Ranking":
    """Ranks; `give` gets what is known so far. What can be taken from the last that is known is.

    After a crash of the engine it goes on once with what is known by then.
    """
    from errorflow.study.rank.grounds import ground_of
    from errorflow.study.rank.ranking import rank

    progress.step(0, 0, TEXT)
    bench, plan, question = wish.bench, wish.plan, wish.question
    ground = ground_of(bench, progress)
    latest = next((each for each in reversed(wish.known) if can_go_on(each, plan, question, ground)), None)

    def keep(ranking: "Ranking") -> None:
        nonlocal latest
        latest = ranking
        give(ranking)

    def go_on() -> "Ranking":
        return rank(bench.engine, plan, question, known=latest, give=keep, progress=progress, ground=ground)

    try:
        return go_on()
    except WorkerError:  # the engine has another process by now
        return go_on()


def can_go_on(known: "Ranking", plan: Plan, question: Question, ground: "Ground") -> bool:
    from errorflow.study.rank.grounds import check_known

    try:
        check_known(known, plan, question, ground)
    except UsageError:
        return False
    return True


def known_rankings(session: Session, simulation: Simulation, question: Question) -> "list[Ranking]":
    """Lists those that answer the question on these samples, for whatever plan, the newest last."""
    found = [each.ranking for each in session.rankings if each.basis == simulation.basis]
    return [ranking for ranking in found if ranking.question == question]


def with_ranking(session: Session, found: KeptRanking) -> Session:
    """Puts it in the place of what was known of the same; the oldest are forgotten."""
    key = _key(found)
    rest = [each for each in session.rankings if _key(each) != key]
    return replace(session, rankings=(*rest, found)[-KNOWN:])


def _key(ranked: KeptRanking) -> tuple[object, ...]:
    return ranked.basis, ranked.ranking.plan, ranked.ranking.question
