"""Compares two runs in the background, and shows what is known meanwhile."""

import atexit
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from errorflow.base import ErrorflowError, Progress, dataclass, replace
from errorflow.base.sample import sample_of
from errorflow.case.scenarios.setup import Setup, is_model
from errorflow.case.session.model import Session
from errorflow.compare.match.model import Match
from errorflow.compare.model import Row
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Model
from errorflow_viewer.document.derived import Derived, Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.opening_jobs import PREPARE, take_back
from errorflow_viewer.document.state import State
from errorflow_viewer.document.thumbnails import written_at
from errorflow_viewer.kit.banner import Notice, notice_of
from errorflow_viewer.kit.jobs import PART_SECONDS, Give, Jobs

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.case.session.known import KnownRows
    from errorflow.case.values import Part, Prepared
    from errorflow.compare.unreadable import UnreadableFile
    from errorflow.run.model import MadeUpShapes


KEY = "compare"
NOTICE = "compare"
# Broken files that are named.
TOLD = 3


@dataclass(frozen=True, slots=True)
class ComparingStage:
    """Interface that comparing has to the window."""

    # Opens a model file, and gives the document that session.
    open: Callable[[Path, Session], None]
    # The same for a model that was made.
    show: Callable[[Model, Session], None]
    notify: Callable[[Notice], None]
    # Lets the user change what is compared.
    ask: Callable[[Setup], None]


# The work of comparing two runs, as it is done in the background: from what is known already to the verdict.


@dataclass(eq=False, slots=True)
class MeasuringRequest:
    """Wish for what is compared, on the model on view."""

    setup: Setup
    model: Model
    session: Session
    # What came with the model, and need not be measured.
    brought: "Case | None" = None
    # Runs that were opened to make a graph of them, and what a cancel left.
    prepared: "Prepared | None" = None
    begun: "Case | None" = None
    # Of all that the result depends on; "": nobody asked, or it cannot be said.
    mark: str = ""
    # What is measured by now, of which the window has seen a part at most.
    newest: "Part | None" = None

    def __eq__(self, other: object) -> bool:
        """Whether `other`, which came later, is the same with more known of its model at most."""
        if not isinstance(other, MeasuringRequest) or self.setup != other.setup:
            return False
        old, new = self.model, other.model
        refined = old.path == new.path and old.infer_shapes is not None and new.infer_shapes is None
        return old is new or refined

    __hash__ = None  # type: ignore[assignment]  # what is equal by `__eq__` goes in one direction only


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of what another start has found."""

    rows: "Callable[[Setup, Match], Mapping[int, Row]]"
    known: "Callable[[str], KnownRows | None]"


def measured(
    wish: MeasuringRequest, memory: "Memory", folder: Path | None, progress: Progress, give: "Give[Case]"
) -> "Case":
    """`give`: takes parts with all that is found on the graph, so that each is one change of the window."""
    from errorflow.case.comparing import compared
    from errorflow.case.session.marks import mark_of
    from errorflow.case.values import Asking, EarlierRows

    def known(setup: Setup, painted: Path | None, progress: Progress) -> "KnownRows | None":
        wish.mark = mark_of(setup, painted, progress)
        return memory.known(wish.mark)

    later = 0.0

    def tell(part: "Part") -> None:
        """A step more than a row is never left out; rows come so fast that most are."""
        nonlocal later
        is_row, now = part is wish.newest, time.monotonic()
        wish.newest = part
        if not is_row or now >= later:
            give(_prepared(part()))
            later = time.monotonic() + max(PART_SECONDS, time.monotonic() - now)

    kept = EarlierRows(memory.rows, known)
    asking = Asking(folder, tell, kept, model=wish.model, prepared=wish.prepared, begun=wish.begun)
    return _prepared(compared(wish.session, wish.setup, asking, folder, progress))


def _prepared(case: "Case") -> "Case":
    """The window is about to show all columns."""
    findings = findings_of(case)
    if findings is not None:
        findings.prepare()
    return case


def findings_of(case: "Case") -> "Findings | None":
    """Makes findings; None: the rows cannot be laid on the graph. The numbers are there all the same."""
    try:
        return case.findings
    except ErrorflowError:  # who looks for findings next says what is wrong
        return None


class Comparing:
    """The row of the derived values that is the comparison: what the session says is compared when its model is on
    view, and so are the runs of a sample.

    Two things are begun by a click, before the session says so, and stay jobs: two runs without a model are opened to
    make one, and a table is read that may be of another model than the one on view.
    """

    def __init__(self, document: Document, jobs: Jobs, derived: Deriving, stage: ComparingStage) -> None:
        self._document, self._jobs, self._derived, self._stage = document, jobs, derived, stage
        self._prepared: tuple[Setup, Prepared] | None = None
        self._folder: str | None = None
        # What was read, while the session comes to say so.
        self._table: Case | None = None
        # When the files that are compared had been written when that was begun.
        self.read: dict[Path, int] = {}
        # What the case on view was made for.
        self._shown: MeasuringRequest | None = None
        # What another start has measured already, asked in the background: by the number of the pair.
        self.recall: Callable[[Setup, Match], Mapping[int, Row]] = _recall_nothing
        # The same for what is known by its mark, before anything is opened or run.
        self.recall_known: Callable[[str], KnownRows | None] = lambda _: None
        # What came with the model, and need not be measured.
        self.brought: Callable[[Model], Case | None] = lambda _: None
        derived.add(self._row())

    def _row(self) -> "Derived[MeasuringRequest, Case]":
        return Derived(
            name=KEY,
            text=_text,
            reads=("session.setup", "session.simulation", "session.bundle"),
            wish=self._wished,
            work=self._measured,
            keep=self._keep,
            part=self._keep,
            keeps_parts=True,
            drop=lambda _: self._forget(),
            known=self._is_known,
            reports="value",
            failed=lambda error: self._fail(self.setup, error),
            told=lambda _, case: _told(case),
            cancelled=_left,
        )

    @property
    def mark(self) -> str:
        """Mark of all that the result on view depends on; "" where that is unknown."""
        return "" if self._shown is None else self._shown.mark

    @property
    def made_up(self) -> "MadeUpShapes":
        """Shapes of inputs that were made up, as far as models were run already."""
        case = self._document.state.case
        return {} if case is None else case.made_up_shapes

    @property
    def setup(self) -> Setup | None:
        """Setup that is compared now; None: nothing is."""
        wish = self._wished(self._document.state)
        return None if wish is None or wish.brought is not None else wish.setup

    def start(self, setup: Setup, session: Session | None = None) -> None:
        """Opens what is to be seen, then compares; `session` is what was decided about it at another time."""
        take_back(self._jobs)
        self._prepared = None
        wanted = self._document.new_session() if session is None else session
        wanted = wanted if wanted.setup == setup else replace(wanted, setup=setup)  # what goes on stays the same object
        path, model = setup.shown, self._document.model
        if path is None:
            self._make_model(setup, wanted)
        elif model is None or model.path != path or session is not None:
            self._stage.open(path, replace(wanted, model=path))
        elif setup.file("table") is not None:
            self._read(setup, model)
        else:
            self._begin(setup)

    def stop(self) -> None:
        """Stops: nothing more comes of what is being opened."""
        self._jobs.cancel(PREPARE)

    def again(self) -> None:
        """Compares what the session or a sample says, if there is anything."""
        self._derived.follow(KEY)

    def go_on(self) -> None:
        """Measures the rest of what was cancelled."""
        self._derived.ask(KEY)

    def _begin(self, setup: Setup) -> None:
        """Begins on the model on view, also once more."""
        running = self._derived.running(KEY)
        self._document.take_case(None)
        self._document.take_session(replace(self._document.session, setup=setup, simulation=None))
        if self._derived.running(KEY) is running:
            self._derived.ask(KEY)

    # What is begun by a click

    def _make_model(self, setup: Setup, session: Session) -> None:
        from errorflow.case.comparing import opened
        from errorflow.case.values import Asking

        folder = self._new_folder() if _may_run(setup) else None

        def show(found: "tuple[Case, Prepared]") -> None:
            case, prepared = found
            self._prepared = setup, prepared
            self._stage.show(case.model, session)

        def work(progress: Progress) -> "tuple[Case, Prepared]":
            return opened(session, setup, Asking(), folder, progress)

        self._jobs.start(PREPARE, "Opening two runs", work, show, partial(self._fail, setup))

    def _read(self, setup: Setup, model: Model) -> None:
        """Reads a table; what is on view stays until it is known that the table is about this model."""
        wish = MeasuringRequest(setup, model, replace(self._document.session, setup=setup, simulation=None))

        def take(case: "Case") -> None:
            if self._document.model is not None and wish == replace(wish, model=self._document.model):
                self._table = case
                self._document.take_session(replace(self._document.session, setup=setup, simulation=None))
                self._table = None
                self._document.take_case(case)  # a simulation that is left takes its own away

        work = partial(self._measured, wish, give=lambda _: None)
        self._jobs.start(PREPARE, _text(wish), work, take, partial(self._fail, setup))

    # What follows from the session

    def _wished(self, state: State) -> MeasuringRequest | None:
        model, session = state.model, state.session
        if model is None:
            return None
        if (brought := self.brought(model)) is not None:
            return MeasuringRequest(Setup(), model, session, brought)
        if session.bundle is not None or session.simulation is not None:
            return None
        setup = session.setup
        if setup is None and sample_of(model.path) is not None:
            from errorflow.case.said import setup_of

            setup = setup_of(replace(session, model=model.path))
        if setup is None:
            return None
        prepared = self._prepared[1] if self._prepared is not None and self._prepared[0] == setup else None
        case = state.case
        goes_on = case is not None and not case.complete and case.session.setup == session.setup
        return MeasuringRequest(
            setup, model, session, None, prepared, case if goes_on else None, self.mark if goes_on else ""
        )

    def _is_known(self, _: State, wish: MeasuringRequest) -> "Case | None":
        """Finds what came along, and a table that was read before the session said so."""
        return wish.brought if self._table is None else self._table

    def _measured(self, wish: MeasuringRequest, progress: Progress, give: "Give[Case]") -> "Case":
        """Measures in the background. Where models that are run leave their tensors, those of the comparison before
        go.
        """
        self.read = written_at(wish.setup.files.values())
        runs = _may_run(wish.setup) and wish.begun is None and wish.prepared is None
        folder = self._new_folder() if runs else None
        return measured(wish, Memory(self.recall, self.recall_known), folder, progress, give)

    def _new_folder(self) -> Path:
        if self._folder is not None:
            rmtree(self._folder, ignore_errors=True)
        self._folder = mkdtemp(prefix="errorflow-")
        atexit.register(rmtree, self._folder, ignore_errors=True)
        return Path(self._folder)

    def _forget(self) -> None:
        """Forgets all of a model that is closed."""
        self._shown = None

    def _keep(self, document: Document, wish: MeasuringRequest, found: "Case") -> None:
        """A part or the whole, with what was found on its graph; a part that is on view gives way to what is known."""
        self._shown = wish
        if not found.complete:
            if found is document.state.case and wish.newest is not None:
                document.take_case(wish.newest())
            else:
                document.take_case(found, findings_of(found))
            return
        self._prepared = None
        if found is not document.state.case:
            document.take_case(found, findings_of(found) if wish.brought is None else None)
        if wish.brought is not None:
            for notice in _about_stages(found):
                self._stage.notify(notice)

    def _fail(self, setup: Setup | None, error: ErrorflowError) -> None:
        """Fails; where the two runs stand the wrong way round, one click puts them right."""
        from errorflow.case.scenarios.propose import swapped
        from errorflow.compare.match.codes import UnfitRunsError

        if setup is None:
            return
        notice = replace(notice_of(error, NOTICE), button="Change…", pressed=lambda: self._stage.ask(setup))
        if isinstance(error, UnfitRunsError):
            notice = replace(notice, text=error.said, hint=error.way)
            if error.swaps:
                notice = replace(notice, button="Swap", pressed=lambda: self.start(swapped(setup)))
        self._stage.notify(notice)


def _text(wish: MeasuringRequest) -> str:
    table = wish.setup.file("table")
    return "Comparing two runs" if table is None else f"Reading {table.name}"


def _told(case: "Case") -> Iterator[Notice]:
    """Yields what is to be known beside the numbers when all of them are there."""
    from errorflow.compare.unreadable import unreadable

    yield from _about_stages(case)
    if case.match is not None and (broken := unreadable(case.match, case.comparison.rows)):
        texts = [found.text for found in broken]
        yield Notice("warning", _broken_text(broken), _first_of(texts), key="broken", of_model=True)


def _about_stages(case: "Case") -> Iterator[Notice]:
    """Yields which step of three runs is at fault."""
    if case.stages is not None:
        yield Notice("info", case.stages.text, key="stages", of_model=True)


def _broken_text(broken: "Sequence[UnreadableFile]") -> str:
    """Says how many tensors of which run are broken."""
    by_side = Counter(found.side for found in broken)
    (side, count), *others = by_side.items()
    of = f" of the {side}" if side and not others else ""
    told = ", ".join(f"{number:,} of the {each}" for each, number in by_side.items() if each) if others else ""
    if count == 1 and not others:
        return f"A file{of} is broken and was not compared."
    return f"{len(broken):,} files{of} are broken and were not compared{f': {told}' if told else ''}."


def _first_of(texts: "Sequence[str]") -> str:
    more = f" And {len(texts) - TOLD:,} more." if len(texts) > TOLD else ""
    return f"{' '.join(texts[:TOLD])}{more}"


def _left(wish: MeasuringRequest, _: object, again: Callable[[], None]) -> Notice | None:
    """Says what a cancel leaves, and what there is to be done about it; None: all is there, or nothing."""
    case = None if wish.newest is None else wish.newest()
    if case is None or case.complete:
        return None
    count, done = len(case.comparison.rows), len(case.comparison.known)
    text = f"The comparison was cancelled: {done:,} of {count:,} tensors are measured."
    hint = "What is known stays on view."
    if done == count:
        text = f"The comparison was cancelled when all {count:,} tensors were measured."
        hint = "Go on to work out who is to blame."
    return Notice("info", text, hint, key=NOTICE, button="Go on", pressed=again, of_model=True)


def _may_run(setup: Setup) -> bool:
    """Whether models may stand for runs, whose tensors need a place."""
    sides = (setup.file(need) for need in ("candidate", "reference"))
    told = any(path is not None and is_model(path) for path in sides)
    return told or any(setup.file(need) is not None for need in ("quantized", "simulator"))


def _recall_nothing(setup: Setup, match: Match) -> "Mapping[int, Row]":  # noqa: ARG001 - whoever recalls looks at them
    return {}
