"""Searches the fewest parts that must not be quantized as planned, in the background; what was tried is kept."""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.base import ErrorflowError, FileError, Progress, dataclass, field, replace
from errorflow.base.workers import WorkerError
from errorflow.case.session.model import Searched, Session
from errorflow.quant.plan import Plan
from errorflow.study.search.asked import Sought
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.ranking import RankingRequests
from errorflow_viewer.document.simulating import Simulating
from errorflow_viewer.document.state import State, Taken

if TYPE_CHECKING:
    from errorflow.study.search.model import Search, Tried
    from errorflow.study.simulate.bench import Bench

LOG = logging.getLogger(__name__)
KEY, TEXT = "search", "Searching the smallest set"
# Searches that a session remembers, the newest ones.
KNOWN = 8
# Of what an evaluator prints, so many letters are read at once.
_MOST_PRINTED = 1 << 16


@dataclass(frozen=True)
class SearchingRequest:
    """Wish for what is searched, where, and from which plan."""

    bench: "Bench"
    plan: Plan
    sought: Sought
    basis: Basis = field(compare=False)
    model: Path | None = field(compare=False)


def wished(state: State) -> SearchingRequest | None:
    session, simulated = state.session, state.simulated
    simulation, base = session.simulation, base_of(state)
    if simulated is None or simulation is None:
        return None
    # The base may be of another bench by now.
    suits = base is not None and simulated.bench.suits(simulation.basis, base)
    plan = base if base is not None and suits else simulation.plan
    return SearchingRequest(simulated.bench, plan, session.sought, simulation.basis, session.model)


def is_of_use(wish: SearchingRequest, state: State) -> bool:
    """Whether work is of use: it is brought to its end for the plan that was on view, as long as the same is sought."""
    simulated, session = state.simulated, state.session
    is_there = simulated is not None and session.simulation is not None and simulated.bench is wish.bench
    return is_there and session.sought == wish.sought


def remember(document: Document, wish: SearchingRequest, found: "Search") -> None:
    if found.tried and wish.model == document.session.model:
        kept = Searched(wish.basis, wish.sought, replace(found, stage=""))
        document.revise(partial(with_search, found=kept))


def base_of(state: State) -> Plan | None:
    """The plan that is searched from: that on view, or if it was taken from a search, the one of that search."""
    plan = None if state.session.simulation is None else state.session.simulation.plan
    return state.taken.search.plan if state.taken is not None and state.taken.plan == plan else plan


class Searching(RankingRequests):
    """Search of what the session says; what is found belongs to the samples and the plan that it was found on."""

    key, reads = KEY, frozenset(("model", "simulated", "session.simulation", "session.sought", "session.searches"))
    # Somebody wants to say what is good enough: the panel is there.
    wanted = Signal()

    def __init__(
        self, document: Document, derived: Deriving, simulating: Simulating, show: Callable[[], None], parent: QObject
    ) -> None:
        """`show` brings the panel."""
        super().__init__(document, derived, simulating, parent)
        self._show = show

    # What others may ask for

    @property
    def sought(self) -> Sought:
        return self._document.session.sought

    @property
    def error(self) -> ErrorflowError | None:
        """Told where the form is: it says what has to be changed."""
        return self._derived.error(KEY)

    @property
    def found(self) -> "Search | None":
        """Search that runs, else what answers the form, best about the plan on view; what was just taken stays."""
        if self.busy:
            latest: Search | None = self._derived.latest(KEY)
            return latest
        simulation, taken = self._document.session.simulation, self._document.state.taken
        known = [] if simulation is None else known_searches(self._document.session, simulation.basis, self.sought)
        if taken is not None and taken.search in known and self.is_taken:
            return taken.search
        exact = [found for found in known if found.plan == self.base]
        return next(iter((*exact[::-1], *known[::-1])), None)

    @property
    def is_of_plan(self) -> bool:
        """Whether what is on view is about the plan on view, or that plan was taken from it."""
        return self.found is not None and self.found.plan == self.base

    @property
    def is_taken(self) -> bool:
        """Whether the plan on view was taken from a search."""
        taken = self._document.state.taken
        return taken is not None and taken.plan == self.plan_asked()

    @property
    def base(self) -> Plan | None:
        return base_of(self._document.state)

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
        """Chooses something else, as a step that can be undone; nothing runs before the user wants it."""
        if sought != self.sought:
            self._document.edit(text, sought=sought)

    def find(self) -> None:
        """Searches, or goes on with what was cancelled."""
        self.request()

    def plan_of(self, tried: "Tried") -> Plan | None:
        """Finds the plan; None: the simulation that could tell is not there."""
        found, bench = self.found, self.bench
        if found is None or bench is None:
            return None
        from errorflow.study.search.raising import plan_of

        return plan_of(bench, found, tried)

    def take(self, tried: "Tried") -> str:
        """Simulates that plan, as one step; says what comes of it."""
        found, plan = self.found, self.plan_of(tried)
        if found is None or plan is None:
            return "The simulation is being prepared."
        if plan == self.plan_asked():
            return "That is the plan on view."
        from errorflow.report.search import set_text

        self._document.learn(taken=Taken(found, plan))
        text = f"Take the plan with {set_text(tried)}"
        self._simulating.edit(text, plan)
        return text


def searched(place: Path, wish: SearchingRequest, progress: Progress, give: Callable[["Search"], None]) -> "Search":
    """`give` gets each evaluation as it happens; what an evaluator prints goes into the log."""
    from errorflow.study.search.asking import searched as search

    progress.step(0, 0, TEXT)
    bench, plan, sought = wish.bench, wish.plan, wish.sought
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
    """Output that an evaluator has printed since the last look."""

    def __init__(self, place: Path, evaluator: Path | None) -> None:
        from errorflow.study.evaluate.on_file import LOG as NAME

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
    """Lists those that answer the form on these samples, for whatever plan, the newest last."""
    return [each.search for each in session.searches if each.basis == basis and each.sought == sought]


def with_search(session: Session, found: Searched) -> Session:
    """Puts it in the place of what was known of the same; the oldest are forgotten."""
    key = _key(found)
    rest = [each for each in session.searches if _key(each) != key]
    return replace(session, searches=(*rest, found)[-KNOWN:])


def _key(searched: Searched) -> tuple[object, ...]:
    return searched.basis, searched.search.plan, searched.sought
