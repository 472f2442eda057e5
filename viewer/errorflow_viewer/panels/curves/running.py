"""Measures curves in the background; what was measured for a plan is kept as long as the simulation is there."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.base import Progress, UsageError, dataclass, field
from errorflow.base.workers import WorkerError
from errorflow.quant.plan import Plan
from errorflow.study.rank.curves import Curves
from errorflow.study.rank.model import Ranking
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.ranking import KEY as RANKING
from errorflow_viewer.document.ranking import RankingRequests
from errorflow_viewer.document.simulation_work import KEY as SIMULATING
from errorflow_viewer.document.simulation_work import OPEN
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.jobs import Give
from errorflow_viewer.panels.curves.asked import METRICS, Asked

if TYPE_CHECKING:
    from errorflow.study.rank.curves_portions import Half
    from errorflow.study.simulate.bench import Bench

KEY, TEXT = "curves", "Measuring curves"
_Key = tuple[Plan, Asked, Ranking | None]


@dataclass(frozen=True)
class CurvesRequest:
    """Wish for which curves, and where."""

    bench: "Bench"
    key: _Key
    known: Curves | None = field(compare=False)


class Running(RankingRequests):
    """`changed`: other curves are known, or it runs or does not any more."""

    key, reads = KEY, frozenset(("model", "simulated", "session.simulation", "ranking", "curves"))

    def __init__(self, desk: Desk, parent: QObject) -> None:
        self._desk, self._document = desk, desk.document
        self.asked = Asked()
        desk.derived.add(self._row())
        desk.derived.ways[KEY] = "Try again", self.start
        super().__init__(desk.document, desk.derived, desk.studies.simulating, parent)
        desk.studies.ranking.changed.connect(self.look_for_way)

    @property
    def curves(self) -> Curves | None:
        return self._seen[0]

    @property
    def along(self) -> Ranking | None:
        """Ranking that they go along, whatever is ranked by now; None: along the depth."""
        return self._seen[1]

    @property
    def _seen(self) -> tuple[Curves | None, Ranking | None]:
        """Curves that run as far as they are known, else those that answer, best about the plan on view."""
        running, latest = self._derived.running(KEY), self._derived.latest(KEY)
        if running is not None and latest is not None:
            return latest, running.key[2]
        known, key = dict(self._document.state.curves), self._key(self._document.state)
        others = [each for each in known if each[1] == self.asked]
        best = key if key in known else others[-1] if others else None
        return (None, None) if best is None or key is None else (known[best], best[2])

    @property
    def ranking(self) -> Ranking | None:
        """Ranking that curves go along; None: it is not needed, or not there."""
        return self._document.state.ranking if self.asked.needs_ranking else None

    @property
    def is_of_plan(self) -> bool:
        return self.curves is not None and self.curves.plan == self.plan_asked()

    def ask(self, asked: Asked) -> None:
        """Shows what is known of a question; nothing runs before the user wants it."""
        if asked != self.asked:
            self.stop()
            self.asked = asked
            self.changed.emit()

    def start(self) -> None:
        """Measures, or goes on with what was cancelled; what it needs is begun first."""
        self.request()
        if self.waits and self._document.state.simulated is not None and self._lacks_ranking(self._document.state):
            self._desk.studies.ranking.ask()

    def _lacks_ranking(self, state: State) -> bool:
        """Whether it needs one of the plan on view, all of it."""
        ranking = state.ranking
        is_there = ranking is not None and ranking.complete and ranking.plan == self.plan_asked()
        return self.asked.needs_ranking and not is_there

    def _key(self, state: State) -> _Key | None:
        simulation = state.session.simulation
        return None if simulation is None else (simulation.plan, self.asked, self.ranking)

    def _still_comes(self) -> bool:
        """Whether a ranking that it waits for was neither cancelled nor failed."""
        state, ranking = self._document.state, self._desk.studies.ranking
        ready = state.simulated is not None and not self._desk.studies.simulating.busy
        return not ready or ranking.busy or ranking.waits or not self._lacks_ranking(state)

    def _wished(self, state: State) -> CurvesRequest | None:
        key = self._key(state)
        if state.simulated is None or key is None or self._lacks_ranking(state):
            return None
        return CurvesRequest(state.simulated.bench, key, dict(state.curves).get(key))

    def _row(self) -> Derived[CurvesRequest, Curves]:
        return Derived(
            name=KEY,
            text=TEXT,
            reads=("simulated", "session.simulation", "ranking"),
            wish=self._wished,
            work=_worked_out,
            keep=_keep,
            keeps_parts=True,
            by_itself=False,
            holds=_is_of_use,
            after=(OPEN, SIMULATING, RANKING),
        )


def _is_of_use(wish: CurvesRequest, state: State) -> bool:
    simulated = state.simulated
    return simulated is not None and simulated.bench is wish.bench and state.session.simulation is not None


def _keep(document: Document, wish: CurvesRequest, curves: Curves) -> None:
    if _is_of_use(wish, document.state):
        document.take_curves(wish.key, curves)
        document.worked_out.emit(curves)


def _worked_out(wish: CurvesRequest, progress: Progress, give: Give[Curves]) -> Curves:
    plan, asked, ranking = wish.key
    latest = wish.known

    def keep(curves: Curves) -> None:
        nonlocal latest
        latest = curves
        give(curves)

    try:
        return measured(wish.bench, plan, asked, ranking, latest, keep, progress)
    except WorkerError:  # the engine has another process by now
        return measured(wish.bench, plan, asked, ranking, latest, keep, progress)


def measured(
    bench: "Bench",
    plan: Plan,
    asked: Asked,
    ranking: Ranking | None,
    known: Curves | None,
    give: Callable[[Curves], None],
    progress: Progress,
) -> Curves:
    engine = bench.engine
    samples = asked.samples if asked.samples else tuple(range(engine.samples))
    if asked.kind == "cumulative":
        return _along_depth(bench, plan, asked, ranking, known, samples, give, progress)
    from errorflow.study.rank.curves_choosing import with_impacts, worst_first
    from errorflow.study.rank.curves_recovery import RecoveryRequest, recovery
    from errorflow.study.rank.grounds import ground_of

    if ranking is None:
        raise UsageError("Nothing is ranked yet.", "Ask first which nodes matter.")
    parts = worst_first(ranking, engine.graph)
    outputs = tuple(name for name in engine.outputs if name in engine.shapes)
    wish = RecoveryRequest(parts, asked.to, METRICS, ranking.outputs, samples, asked.kind == "partial")
    wish = with_impacts(wish, ranking, plan, ground_of(bench, progress), engine.samples, outputs)
    return recovery(engine, plan, wish, known, give, progress)


def _along_depth(
    bench: "Bench",
    plan: Plan,
    asked: Asked,
    ranking: Ranking | None,
    known: Curves | None,
    samples: tuple[int, ...],
    give: Callable[[Curves], None],
    progress: Progress,
) -> Curves:
    from errorflow.study.rank.curves_choosing import worst_first
    from errorflow.study.rank.curves_cumulative import cumulative
    from errorflow.study.rank.curves_portions import HALVES, PortionChoice

    ranked = () if ranking is None else worst_first(ranking, bench.engine.graph)
    halves: tuple[Half, ...] = tuple(half for half in HALVES if half in asked.halves)
    wanted = PortionChoice(halves, asked.only, asked.without, tuple(ranked[:top] for top in asked.tops))
    return cumulative(bench.engine, plan, wanted, METRICS, samples, known, give=give, progress=progress)
