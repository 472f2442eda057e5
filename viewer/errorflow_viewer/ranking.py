"""Asks which parts of the model matter, in the background, about the simulation on view; what is known is kept."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.errors import ErrorflowError, UsageError
from errorflow.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.quant.switching import Switch
from errorflow.sensitivity.model import Ground, Measure, Part, Question, Ranking
from errorflow.session.model import Ranked, Session, Simulation
from errorflow.simulate.basis import Basis
from errorflow.workers import WorkerError
from errorflow_viewer.banner import notice_of
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Give, Jobs
from errorflow_viewer.simulating import Simulating

if TYPE_CHECKING:
    from errorflow.sensitivity.interaction import Pairs
    from errorflow.simulate.bench import Bench

KEY, TEXT = "rank", "Ranking nodes"
# For whoever waits for a simulation that may wait for the user.
SIMULATED_FIRST = "The model is simulated first. If it waits for samples, give them in the panel Simulate."
PAIRS, PAIRS_TEXT = "pairs", "Checking pairs"
# Rankings that a session remembers, the newest ones.
KNOWN = 8


@dataclass(frozen=True, eq=False)
class Coupled:
    """What the first parts of a ranking do in pairs."""

    ranking: Ranking
    pairs: "Pairs"


class Rankings(QObject):
    """Keeps `State.ranking` in step with what the session asks, and with the plan on view."""

    # It runs or does not any more, waits for the simulation, or failed.
    changed = Signal()

    def __init__(
        self, document: Document, jobs: Jobs, simulating: Simulating, show: Callable[[], None], parent: QObject
    ) -> None:
        """`show` brings the panel."""
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._simulating = simulating
        self._show = show
        self._bench: Bench | None = None
        # What runs, the model and the samples that it is about, and the last that it gave, seen or not.
        self._running: tuple[Plan, Question] | None = None
        self._about: tuple[Path | None, Basis] | None = None
        self._latest: list[Ranking] = []
        # The last plan that something was kept from, and what came of it.
        self._kept: tuple[Plan, Plan] | None = None
        # Somebody asked, and the simulation is not there yet.
        self._waits = False
        # None: nobody asked about pairs, or another ranking is on view by now.
        self.coupled: Coupled | None = None
        document.changed.connect(self._on_changed)
        simulating.failed.connect(lambda _error: self._give_up())
        simulating.gave_up.connect(self._give_up)

    # What others may ask for

    @property
    def question(self) -> Question:
        return self._document.session.question

    @property
    def busy(self) -> bool:
        return self._running is not None

    @property
    def waits(self) -> bool:
        """Whether it begins as soon as the simulation is there."""
        return self._waits

    @property
    def is_of_plan(self) -> bool:
        """Whether what is on view is about the plan on view, and answers what is asked."""
        ranking, simulation = self._document.state.ranking, self._document.session.simulation
        if ranking is None or simulation is None:
            return False
        return ranking.plan == simulation.plan and ranking.question == self.question

    def begin(self) -> None:
        """Shows the panel, and asks unless the answer is there or on its way."""
        self._show()
        if not self.busy and not (self.is_of_plan and self._is_complete):
            self.ask()

    def ask(self) -> None:
        """Ranks, or goes on with what was cancelled. Without a simulation one is begun first."""
        simulation, simulated = self._document.session.simulation, self._document.state.simulated
        self._waits = False
        if simulation is None:
            self._waits = True
            self._simulating.asked.emit()
        elif simulated is None:
            self._waits = True
        else:
            self._start(simulated.bench, simulation)
        self.changed.emit()

    def choose(self, text: str, question: Question) -> None:
        """Asks something else, as a step that can be undone; it is not ranked before somebody wants it."""
        self._document.edit(text, question=question)

    def paint(self, measure: Measure | None) -> None:
        """Fills nodes by how much they matter; None: by error again."""
        painting = self._document.session.painting
        text = "Paint by error" if measure is None else f"Paint by {measure}"
        self._document.edit(text, painting=replace(painting, ranked="" if measure is None else measure))

    def keep(self, text: str, base: Plan, parts: Sequence[Part], to: Switch, exactly: bool = False) -> str:
        """These in float or in other bits and all else as in that plan, as one step; says what comes of it."""
        bench = self._bench
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
        """What others are kept from: the plan on view, or if that came of `keep`, the one before."""
        plan = self.plan_asked()
        return self._kept[0] if self._kept is not None and plan == self._kept[1] else plan

    def pair(self) -> None:
        """Whether the first parts of the ranking on view act on their own."""
        ranking, bench = self._document.state.ranking, self._bench
        if ranking is None or bench is None:
            return

        def work(progress: Progress) -> Coupled:
            from errorflow.sensitivity.interaction import TOP, pairs_of

            top = min(TOP, len(ranking.parts))
            return Coupled(ranking, pairs_of(bench.engine, ranking, top=top, progress=progress))

        self._jobs.start(PAIRS, PAIRS_TEXT, work, self._take_pairs, self._fail_pairs)

    def stop(self) -> None:
        """What is known stays; nothing begins by itself any more."""
        self._jobs.cancel(KEY)
        self._give_up()

    def plan_asked(self) -> Plan | None:
        """The plan on view; None: nothing is simulated."""
        simulation = self._document.session.simulation
        return None if simulation is None else simulation.plan

    # What follows from the document

    def _on_changed(self, fields: Collection[str]) -> None:
        wanted = {"model", "simulated", "session.simulation", "session.question", "session.rankings"}
        if not wanted & set(fields):
            return
        if "model" in fields:
            self._waits = False
        simulated, simulation = self._document.state.simulated, self._document.session.simulation
        bench = None if simulated is None else simulated.bench
        running = self._running
        if bench is not self._bench or simulation is None or (running and running[1] != self.question):
            self._jobs.cancel(KEY)
            self._jobs.cancel(PAIRS)
            self._bench = bench
        if self._document.model is None:  # nothing of it is left in memory
            self._about, self._kept, self.coupled = None, None, None
        self._show_known()
        if self._waits and bench is not None and simulation is not None and not self._simulating.busy:
            self._waits = False
            self._start(bench, simulation)
        self.changed.emit()

    def _show_known(self) -> None:
        """What answers the question, best about the plan on view; what runs shows itself."""
        known = self._known()
        is_better = self._running is None or (known is not None and known.plan == self.plan_asked())
        if is_better and known is not self._document.state.ranking:
            self._document.take_ranking(known)

    def _known(self) -> Ranking | None:
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

    # Running

    def _start(self, bench: "Bench", simulation: Simulation) -> None:
        plan, question = simulation.plan, self.question
        if self._running == (plan, question):
            return
        known = [each.ranking for each in self._document.session.rankings if each.basis == simulation.basis]
        self._jobs.cancel(KEY)
        latest: list[Ranking] = []

        def work(progress: Progress, give: Give[Ranking]) -> Ranking:
            def keep(ranking: Ranking) -> None:
                latest[:] = [ranking]
                give(ranking)

            return ranked(bench, plan, question, known, keep, progress)

        self._running, self._latest = (plan, question), latest
        self._about = self._document.session.model, simulation.basis
        self._jobs.start_in_parts(KEY, TEXT, work, self._take, self._take_last, self._fail, self._dropped)

    def _take(self, ranking: Ranking) -> None:
        if self._running == (ranking.plan, ranking.question):
            self._document.take_ranking(ranking)

    def _take_last(self, ranking: Ranking) -> None:
        self._running, self._latest = None, []
        self._remember(ranking)

    def _remember(self, ranking: Ranking) -> None:
        if self._about is not None and self._about[0] == self._document.session.model:
            self._document.revise(partial(with_ranking, found=Ranked(self._about[1], ranking)))
        self.changed.emit()

    def _dropped(self) -> None:
        """Cancelled: what is known is kept, and a later one goes on from there."""
        self._running = None
        if self._latest:
            self._remember(self._latest.pop())
        self.changed.emit()

    def _fail(self, error: ErrorflowError) -> None:
        self._running = None
        if self._latest:
            self._remember(self._latest.pop())
        self._simulating.tell(replace(notice_of(error, KEY), button="Try again", pressed=self.ask))
        self.changed.emit()

    def _take_pairs(self, coupled: Coupled) -> None:
        self.coupled = coupled
        self.changed.emit()

    def _fail_pairs(self, error: ErrorflowError) -> None:
        self._simulating.tell(replace(notice_of(error, PAIRS), button="Try again", pressed=self.pair))

    def _give_up(self) -> None:
        if self._waits:
            self._waits = False
            self.changed.emit()


def kept(bench: "Bench", plan: Plan, parts: Sequence[Part], to: Switch, exactly: bool) -> Plan:
    """As it was measured, none of their tensors is coded as planned.

    By names of nodes where that does it too, which switches what these read as well, unless it is to be `exactly` so:
    then a click puts each of them back.
    """
    from errorflow.quant.selecting import keys_of
    from errorflow.quant.switching import in_units, switched
    from errorflow.sensitivity.switching import Switching

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


def ranked(
    bench: "Bench",
    plan: Plan,
    question: Question,
    known: Sequence[Ranking],
    give: Callable[[Ranking], None],
    progress: Progress,
) -> Ranking:
    """All that is asked; `give` gets what is known so far. What can be taken from the last that is known is.

    After a crash of the engine it goes on once with what is known by then.
    """
    from errorflow.sensitivity.grounds import ground_of
    from errorflow.sensitivity.ranking import rank

    progress.step(0, 0, TEXT)
    ground = ground_of(bench, progress)
    latest = next((each for each in reversed(known) if can_go_on(each, plan, question, ground)), None)

    def keep(ranking: Ranking) -> None:
        nonlocal latest
        latest = ranking
        give(ranking)

    def go_on() -> Ranking:
        return rank(bench.engine, plan, question, known=latest, give=keep, progress=progress, ground=ground)

    try:
        return go_on()
    except WorkerError:  # the engine has another process by now
        return go_on()


def can_go_on(known: Ranking, plan: Plan, question: Question, ground: Ground) -> bool:
    from errorflow.sensitivity.grounds import check_known

    try:
        check_known(known, plan, question, ground)
    except UsageError:
        return False
    return True


def known_rankings(session: Session, simulation: Simulation, question: Question) -> list[Ranking]:
    """Those that answer the question on these samples, for whatever plan, the newest last."""
    found = [each.ranking for each in session.rankings if each.basis == simulation.basis]
    return [ranking for ranking in found if ranking.question == question]


def with_ranking(session: Session, found: Ranked) -> Session:
    """In the place of what was known of the same; the oldest are forgotten."""
    key = _key(found)
    rest = [each for each in session.rankings if _key(each) != key]
    return replace(session, rankings=(*rest, found)[-KNOWN:])


def _key(ranked: Ranked) -> tuple[object, ...]:
    return ranked.basis, ranked.ranking.plan, ranked.ranking.question
