"""Measures curves in the background; what was measured for a plan is kept as long as the simulation is there."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.errors import ErrorflowError, UsageError
from errorflow.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.sensitivity.curves import Curves
from errorflow.sensitivity.model import Ranking
from errorflow.workers import WorkerError
from errorflow_viewer.banner import notice_of
from errorflow_viewer.desk import Desk
from errorflow_viewer.jobs import Give
from errorflow_viewer.panels.curves.asked import METRICS, Asked

if TYPE_CHECKING:
    from errorflow.sensitivity.curves_portions import Half
    from errorflow.simulate.bench import Bench

KEY, TEXT = "curves", "Measuring curves"
_KNOWN = 12
_Key = tuple[Plan, Asked, Ranking | None]


class Running(QObject):
    """`changed`: other curves are known, or it runs or does not any more."""

    changed = Signal()

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self.asked = Asked()
        self.curves: Curves | None = None
        # What they go along, whatever is ranked by now; None: along the depth.
        self.along: Ranking | None = None
        self._bench: Bench | None = None
        self._known: dict[_Key, Curves] = {}
        self._running: _Key | None = None
        # What the job has given, seen or not.
        self._latest: list[Curves] = []
        # Somebody wants them, and simulation or ranking are not there yet.
        self.waits = False
        desk.document.changed.connect(self._on_changed)
        desk.ranking.changed.connect(self._go_on)
        desk.simulating.failed.connect(lambda _error: self._give_up())
        desk.simulating.gave_up.connect(self._give_up)

    @property
    def busy(self) -> bool:
        return self._running is not None

    @property
    def ranking(self) -> Ranking | None:
        """That which curves go along; None: it is not needed, or not there."""
        return self._desk.document.state.ranking if self.asked.needs_ranking else None

    @property
    def is_of_plan(self) -> bool:
        return self.curves is not None and self.curves.plan == self._desk.ranking.plan_asked()

    def ask(self, asked: Asked) -> None:
        """Shows what is known of it; nothing runs before somebody wants it."""
        if asked != self.asked:
            self.stop()
            self.asked = asked
            self._show_known()
            self.changed.emit()

    def start(self) -> None:
        """Measures, or goes on with what was cancelled; what it needs is begun first."""
        document = self._desk.document
        simulation, simulated = document.session.simulation, document.state.simulated
        self.waits = False
        if simulation is None or simulated is None:
            self.waits = True
            if simulation is None:
                self._desk.simulating.asked.emit()
        elif self.asked.needs_ranking and not self._is_ranked:
            self.waits = True
            self._desk.ranking.ask()
        else:
            self._start(simulated.bench, simulation.plan)
        self.changed.emit()

    def stop(self) -> None:
        """What is known stays."""
        self.waits = False
        self._desk.jobs.cancel(KEY)

    @property
    def _is_ranked(self) -> bool:
        """Whether the ranking is of the plan on view, all of it."""
        ranking = self._desk.document.state.ranking
        return ranking is not None and ranking.complete and ranking.plan == self._desk.ranking.plan_asked()

    def _key(self) -> _Key | None:
        plan = self._desk.ranking.plan_asked()
        return None if plan is None else (plan, self.asked, self.ranking)

    def _on_changed(self, fields: Collection[str]) -> None:
        if not {"model", "simulated", "session.simulation", "ranking"} & set(fields):
            return
        simulated = self._desk.document.state.simulated
        bench = None if simulated is None else simulated.bench
        if bench is not self._bench or self._desk.document.session.simulation is None:
            self._desk.jobs.cancel(KEY)
            self._bench, self._known, self.curves, self.along = bench, {}, None, None
        if "model" in fields:
            self.waits = False
        self._show_known()
        self._go_on()
        self.changed.emit()

    def _go_on(self) -> None:
        """With what somebody waits for."""
        state, ranking = self._desk.document.state, self._desk.ranking
        ready = state.simulated is not None and not self._desk.simulating.busy
        if not self.waits or not ready or ranking.busy or ranking.waits:
            return
        if self.asked.needs_ranking and not self._is_ranked:
            self.waits = False  # the ranking was cancelled or failed
            self.changed.emit()
        else:
            self.start()

    def _give_up(self) -> None:
        if self.waits:
            self.waits = False
            self.changed.emit()

    def _show_known(self) -> None:
        """What answers, best about the plan on view, else about another one."""
        key = self._key()
        if self.busy or key is None:
            return
        others = [each for each in self._known if each[1] == self.asked]
        best = key if key in self._known else others[-1] if others else None
        self.curves = None if best is None else self._known[best]
        self.along = None if best is None else best[2]

    # Running

    def _start(self, bench: "Bench", plan: Plan) -> None:
        key = (plan, self.asked, self.ranking)
        if self._running == key:
            return
        self.stop()
        known, latest = self._known.get(key), list[Curves]()
        asked, ranking = self.asked, self.ranking

        def work(progress: Progress, give: Give[Curves]) -> Curves:
            def keep(curves: Curves) -> None:
                latest[:] = [curves]
                give(curves)

            try:
                return measured(bench, plan, asked, ranking, known, keep, progress)
            except WorkerError:  # the engine has another process by now
                more = latest[-1] if latest else known
                return measured(bench, plan, asked, ranking, more, keep, progress)

        self._bench, self._running, self._latest = bench, key, latest
        self._desk.jobs.start_in_parts(KEY, TEXT, work, self._take, self._take_last, self._fail, self._dropped)

    def _take(self, curves: Curves) -> None:
        self.curves = curves
        self.along = None if self._running is None else self._running[2]
        self.changed.emit()

    def _take_last(self, curves: Curves) -> None:
        self._end(curves)

    def _dropped(self) -> None:
        self._end(self._latest[-1] if self._latest else None)

    def _fail(self, error: ErrorflowError) -> None:
        self._end(self._latest[-1] if self._latest else None)
        self._desk.simulating.tell(replace(notice_of(error, KEY), button="Try again", pressed=self.start))

    def _end(self, curves: Curves | None) -> None:
        """What is known is kept, of the newest questions."""
        key, self._running, self._latest = self._running, None, []
        if curves is not None and key is not None:
            self.curves, self.along = curves, key[2]
            self._known.pop(key, None)
            self._known[key] = curves
            while len(self._known) > _KNOWN:
                del self._known[next(iter(self._known))]
            self._desk.document.worked_out.emit(curves)
        self.changed.emit()


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
    from errorflow.sensitivity.curves_choosing import with_impacts, worst_first
    from errorflow.sensitivity.curves_recovery import Wish, recovery
    from errorflow.sensitivity.grounds import ground_of

    if ranking is None:
        raise UsageError("Nothing is ranked yet.", "Ask first which nodes matter.")
    parts = worst_first(ranking, engine.graph)
    outputs = tuple(name for name in engine.outputs if name in engine.shapes)
    wish = Wish(parts, asked.to, METRICS, ranking.outputs, samples, asked.kind == "partial")
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
    from errorflow.sensitivity.curves_choosing import worst_first
    from errorflow.sensitivity.curves_cumulative import cumulative
    from errorflow.sensitivity.curves_portions import HALVES, Wanted

    ranked = () if ranking is None else worst_first(ranking, bench.engine.graph)
    halves: tuple[Half, ...] = tuple(half for half in HALVES if half in asked.halves)
    wanted = Wanted(halves, asked.only, asked.without, tuple(ranked[:top] for top in asked.tops))
    return cumulative(bench.engine, plan, wanted, METRICS, samples, known, give=give, progress=progress)
