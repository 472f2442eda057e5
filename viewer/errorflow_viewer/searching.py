"""Searches the fewest parts that must not be quantized as planned, in the background; what was tried is kept."""

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.errors import ErrorflowError, FileError
from errorflow.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.search.asked import Sought
from errorflow.session.model import Searched, Session, Simulation
from errorflow.simulate.basis import Basis
from errorflow.workers import WorkerError
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Give, Jobs
from errorflow_viewer.simulating import Simulating

if TYPE_CHECKING:
    from errorflow.search.model import Search, Tried
    from errorflow.simulate.bench import Bench

LOG = logging.getLogger(__name__)
KEY, TEXT = "search", "Searching the smallest set"
# Searches that a session remembers, the newest ones.
KNOWN = 8
# Of what an evaluator prints, so many letters are read at once.
_MOST_PRINTED = 1 << 16


class Searching(QObject):
    """What is asked is the session's; what is found belongs to the samples and the plan that it was found on."""

    # It runs or does not any more, knows more, waits for the simulation, or failed.
    changed = Signal()
    # Somebody wants to say what is good enough: the panel is there.
    wanted = Signal()

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        simulating: Simulating,
        place: Path,
        show: Callable[[], None],
        parent: QObject,
    ) -> None:
        """`place`: the folder for journals and for what evaluators print; `show` brings the panel."""
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._simulating = simulating
        self._place = place
        self._show = show
        self._bench: Bench | None = None
        self._running: tuple[Path | None, Basis, Plan, Sought] | None = None
        self._latest: list[Search] = []
        self._waits = False
        # What is on view, and how the last one ended; None: nothing is known, it did not fail.
        self.found: Search | None = None
        self.error: ErrorflowError | None = None
        # The search on view, and the plan that was taken from it.
        self._taken: tuple[Search, Plan] | None = None
        document.changed.connect(self._on_changed)
        simulating.failed.connect(lambda _error: self._give_up())
        simulating.gave_up.connect(self._give_up)

    # What others may ask for

    @property
    def sought(self) -> Sought:
        return self._document.session.sought

    @property
    def busy(self) -> bool:
        return self._running is not None

    @property
    def waits(self) -> bool:
        """Whether it begins as soon as the simulation is there."""
        return self._waits

    @property
    def bench(self) -> "Bench | None":
        return self._bench

    @property
    def is_of_plan(self) -> bool:
        """Whether what is on view is about the plan on view, or that plan was taken from it."""
        return self.found is not None and self.found.plan == self.base

    @property
    def is_taken(self) -> bool:
        """Whether the plan on view was taken from a search."""
        return self._taken is not None and self._taken[1] == self._plan

    @property
    def base(self) -> Plan | None:
        """The plan that is searched from: that on view, or if it was taken from a search, the one of that search."""
        return self._taken[0].plan if self._taken is not None and self.is_taken else self._plan

    @property
    def can_go_on(self) -> bool:
        """Whether what is on view was cancelled or failed before its end."""
        found = self.found
        return found is not None and not self.busy and not found.complete and found.plan == self.base

    def begin(self) -> None:
        """Shows the panel: what is good enough only the user knows."""
        self._show()
        self.wanted.emit()

    def choose(self, text: str, sought: Sought) -> None:
        """Asks for something else, as a step that can be undone; nothing runs before somebody wants it."""
        if sought != self.sought:
            self._document.edit(text, sought=sought)

    def find(self) -> None:
        """Searches, or goes on with what was cancelled. Without a simulation one is begun first."""
        simulation, simulated = self._document.session.simulation, self._document.state.simulated
        self._waits = simulation is None or simulated is None
        if simulation is None:
            self._simulating.asked.emit()
        elif simulated is not None:
            self._start(simulated.bench, simulation)
        self.changed.emit()

    def stop(self) -> None:
        """What was tried stays."""
        self._waits = False
        self._jobs.cancel(KEY)
        self.changed.emit()

    def plan_of(self, tried: "Tried") -> Plan | None:
        """None: the simulation that could tell is not there."""
        found, bench = self.found, self._bench
        if found is None or bench is None:
            return None
        from errorflow.search.best import plan_of

        return plan_of(bench, found, tried)

    def take(self, tried: "Tried") -> str:
        """Simulates that plan, as one step; says what comes of it."""
        found, plan = self.found, self.plan_of(tried)
        if found is None or plan is None:
            return "The simulation is being prepared."
        if plan == self._plan:
            return "That is the plan on view."
        from errorflow.report.search import set_text

        self._taken = found, plan
        text = f"Take the plan with {set_text(tried)}"
        self._simulating.edit(text, plan)
        return text

    # What follows from the document

    @property
    def _plan(self) -> Plan | None:
        simulation = self._document.session.simulation
        return None if simulation is None else simulation.plan

    def _on_changed(self, fields: Collection[str]) -> None:
        wanted = {"model", "simulated", "session.simulation", "session.sought", "session.searches"}
        if not wanted & set(fields):
            return
        if "model" in fields:
            self._waits = False
        if {"model", "session.simulation", "session.sought"} & set(fields):
            self.error = None  # it was about what was asked before
        simulated, simulation = self._document.state.simulated, self._document.session.simulation
        bench = None if simulated is None else simulated.bench
        running = self._running
        if bench is not self._bench or simulation is None or (running and running[3] != self.sought):
            self._jobs.cancel(KEY)
            self._bench = bench
        if not self.busy:
            self._show_known()
        if self._waits and bench is not None and simulation is not None and not self._simulating.busy:
            self._waits = False
            self._start(bench, simulation)
        self.changed.emit()

    def _show_known(self) -> None:
        """What answers the form, best about the plan on view; what was just taken stays."""
        simulation = self._document.session.simulation
        known = [] if simulation is None else known_searches(self._document.session, simulation.basis, self.sought)
        if self._taken is not None and self._taken[0] in known and self.is_taken:
            self.found = self._taken[0]
            return
        exact = [found for found in known if found.plan == self.base]
        self.found = next(iter((*exact[::-1], *known[::-1])), None)

    # Running

    def _start(self, bench: "Bench", simulation: Simulation) -> None:
        base, basis, sought = self.base, simulation.basis, self.sought
        # It may be of another bench by now.
        plan = base if base is not None and bench.suits(basis, base) else simulation.plan
        asked = (self._document.session.model, basis, plan, sought)
        if self._running == asked:
            return
        self._jobs.cancel(KEY)
        place, latest = self._place, list["Search"]()

        def work(progress: Progress, give: Give["Search"]) -> "Search":
            def keep(found: "Search") -> None:
                latest[:] = [found]
                give(found)

            return searched(bench, plan, sought, place, keep, progress)

        self._bench, self._running, self._latest = bench, asked, latest
        self.found = self.error = None
        self._jobs.start_in_parts(KEY, TEXT, work, self._take, self._take_last, self._fail, self._dropped)

    def _take(self, found: "Search") -> None:
        self.found = found
        self.changed.emit()

    def _take_last(self, found: "Search") -> None:
        self._end(found)

    def _dropped(self) -> None:
        self._end(self._latest[-1] if self._latest else None)

    def _fail(self, error: ErrorflowError) -> None:
        """Told where the form is: it says what has to be changed."""
        self.error = error
        self._end(self._latest[-1] if self._latest else None)

    def _end(self, found: "Search | None") -> None:
        """What was tried is kept, and shown until something else is asked."""
        asked, self._running, self._latest = self._running, None, []
        if asked is None:
            return
        model, basis, _, sought = asked
        if found is not None and found.tried and model == self._document.session.model:
            self.found = replace(found, stage="")
            self._document.revise(partial(with_search, found=Searched(basis, sought, self.found)))
        self._show_known()
        self.changed.emit()

    def _give_up(self) -> None:
        if self._waits:
            self._waits = False
            self.changed.emit()


def searched(
    bench: "Bench",
    plan: Plan,
    sought: Sought,
    place: Path,
    give: Callable[["Search"], None],
    progress: Progress,
) -> "Search":
    """`give` gets each evaluation as it happens; what an evaluator prints goes into the log."""
    from errorflow.search.asking import searched as search

    progress.step(0, 0, TEXT)
    prints = Prints(place, sought.evaluator)

    def keep(found: "Search") -> None:
        prints.tell()
        give(found)

    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {place} could not be made.", "Free some space, and search again.") from error
    try:
        return search(bench, plan, sought, place, keep, progress)
    except WorkerError:  # the engine has another process by now, and the journal knows what was evaluated
        return search(bench, plan, sought, place, keep, progress)
    finally:
        prints.tell()


class Prints:
    """What an evaluator has printed since somebody asked."""

    def __init__(self, place: Path, evaluator: Path | None) -> None:
        from errorflow.evaluate.on_file import LOG as NAME

        self._evaluator, self._file = evaluator, place / NAME
        self._at = self._size()

    def tell(self) -> None:
        """Line by line, into the log."""
        if self._evaluator is None or self._size() <= self._at:
            return
        with self._file.open("rb") as file:
            file.seek(self._at)
            data = file.read(_MOST_PRINTED)
        self._at += len(data)
        for line in data.decode("utf-8", "replace").splitlines():
            if line.strip():
                LOG.info("%s: %s", self._evaluator.name, line.rstrip())

    def _size(self) -> int:
        return self._file.stat().st_size if self._file.is_file() else 0


def known_searches(session: Session, basis: Basis, sought: Sought) -> "list[Search]":
    """Those that answer the form on these samples, for whatever plan, the newest last."""
    return [each.search for each in session.searches if each.basis == basis and each.sought == sought]


def with_search(session: Session, found: Searched) -> Session:
    """In the place of what was known of the same; the oldest are forgotten."""
    key = _key(found)
    rest = [each for each in session.searches if _key(each) != key]
    return replace(session, searches=(*rest, found)[-KNOWN:])


def _key(searched: Searched) -> tuple[object, ...]:
    return searched.basis, searched.search.plan, searched.sought
