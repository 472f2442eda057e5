"""Compares two runs in the background, and shows what is known meanwhile."""

import atexit
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow.sample import sample_of
from errorflow.scenarios.setup import Setup, is_model
from errorflow.session.model import Session
from errorflow_viewer.banner import Notice, notice_of
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Give, Jobs
from errorflow_viewer.measuring import Memory, Work, findings_of, measured
from errorflow_viewer.thumbnails import written_at
from errorflow_viewer.wishes import PREPARE, take_back

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from errorflow.case.model import Case
    from errorflow.case.values import Part, Prepared
    from errorflow.compare.model import Row
    from errorflow.compare.unreadable import Unreadable
    from errorflow.match.model import Match
    from errorflow.run.model import MadeUpShapes
    from errorflow.session.known import Known
    from errorflow.stages.model import Stages

KEY = "compare"
NOTICE = "compare"
# Broken files that are named.
TOLD = 3


@dataclass(frozen=True, slots=True)
class Stage:
    """What comparing needs of the window."""

    # Opens a model file, and gives the document that session.
    open: Callable[[Path, Session], None]
    # The same for a model that was made.
    show: Callable[[Model, Session], None]
    notify: Callable[[Notice], None]
    # Lets the user change what is compared.
    ask: Callable[[Setup], None]


class Comparing(QObject):
    """Keeps the document's comparison in step with its model and with the setup of its session.

    A session that says what is compared is compared when its model is on view, and so are the runs of a sample.
    """

    def __init__(self, document: Document, jobs: Jobs, stage: Stage, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._stage = stage
        self._work: Work | None = None
        # Runs that were opened to make a graph of them need not be opened again.
        self._prepared: tuple[Setup, Prepared] | None = None
        self._folder: str | None = None
        # When the files that are compared had been written when that was begun.
        self.read: dict[Path, int] = {}
        # What another start has measured already, asked in the background: by the number of the pair.
        self.recall: Callable[[Setup, Match], Mapping[int, Row]] = _recall_nothing
        # The same for what is known by its mark, before anything is opened or run.
        self.recall_known: Callable[[str], Known | None] = lambda _: None
        # What came with the model, and need not be measured.
        self.brought: Callable[[Model], Case | None] = lambda _: None
        document.changed.connect(self._on_changed)

    @property
    def mark(self) -> str:
        """Of all that the result on view depends on; "": nobody knows."""
        return "" if self._work is None else self._work.mark

    @property
    def made_up(self) -> "MadeUpShapes":
        """The shapes of inputs that nobody gave, as far as models were run already."""
        case = None if self._work is None else self._document.state.case
        return {} if case is None else case.made_up_shapes

    @property
    def setup(self) -> Setup | None:
        """What is compared now; None: nothing is."""
        return None if self._work is None else self._work.setup

    def start(self, setup: Setup, session: Session | None = None) -> None:
        """Opens what is to be seen, then compares; `session` is what was decided about it at another time."""
        self.stop()
        take_back(self._jobs)
        wanted = self._document.new_session() if session is None else session
        wanted = wanted if wanted.setup == setup else replace(wanted, setup=setup)  # what goes on stays the same object
        path, model = setup.shown, self._document.model
        if path is None:
            self._make_model(setup, wanted)
        elif model is not None and model.path == path and session is None:
            if setup.file("table") is None:  # a table may be of another model: what is there stays until it is read
                self._document.take_case(None)
                self._document.take_session(replace(self._document.session, setup=setup, simulation=None))
            self._begin(setup, model)
        else:
            self._stage.open(path, replace(wanted, model=path))

    def stop(self) -> None:
        """Nothing more comes of what is under way."""
        self._work = None
        self._jobs.cancel(PREPARE)
        self._jobs.cancel(KEY)

    def again(self) -> None:
        """Compares what the session or a sample says, if there is anything."""
        model = self._document.model
        if model is not None:
            self._begin_with(model)

    def go_on(self) -> None:
        """Measures the rest of what was cancelled."""
        work = self._work
        if work is not None and work.part is not None and work.model is self._document.model:
            self._run(Work(work.setup, work.model, begun=work.part()))

    def _new_folder(self) -> Path:
        """Where models that are run leave their tensors; those of the comparison before go."""
        if self._folder is not None:
            rmtree(self._folder, ignore_errors=True)
        self._folder = mkdtemp(prefix="errorflow-")
        atexit.register(rmtree, self._folder, ignore_errors=True)
        return Path(self._folder)

    def _make_model(self, setup: Setup, session: Session) -> None:
        from errorflow.case.asking import Asking
        from errorflow.case.comparing import opened

        folder = self._new_folder() if _may_run(setup) else None

        def show(found: "tuple[Case, Prepared]") -> None:
            case, prepared = found
            self._prepared = setup, prepared
            self._stage.show(case.model, session)

        def work(progress: Progress) -> "tuple[Case, Prepared]":
            return opened(session, setup, Asking(), folder, progress)

        self._jobs.start(PREPARE, "Opening two runs", work, show, partial(self._fail, setup))

    def _on_changed(self, fields: Collection[str]) -> None:
        model = self._document.model
        if "model" not in fields or self._only_refined(model):
            return
        if model is not None and self._document.comparison is not None:
            return
        self.stop()
        if model is not None and (brought := self.brought(model)) is not None:
            self._document.take_case(brought)
            self._tell_of_stages(brought.stages)
        elif model is not None and not self._is_brought and self._document.session.simulation is None:
            self._begin_with(model)

    @property
    def _is_brought(self) -> bool:
        """A ticket bundle is on view, in which nothing was compared."""
        return self._document.session.bundle is not None

    def _begin_with(self, model: Model) -> None:
        setup = self._document.session.setup
        if setup is None and sample_of(model.path) is not None:
            from errorflow.case.said import setup_of

            setup = setup_of(replace(self._document.session, model=model.path))
        if setup is not None:
            self._begin(setup, model)

    def _only_refined(self, model: Model | None) -> bool:
        """Whether more is known of the model whose runs are compared, or were until the user cancelled."""
        work = self._work
        if work is None or model is None or model.path != work.model.path:
            return False
        if work.model.infer_shapes is None or model.infer_shapes is not None:
            return False  # it was read again
        work.model = model
        return True

    def _begin(self, setup: Setup, model: Model) -> None:
        if (table := setup.file("table")) is not None:
            self._import(Work(setup, model), table)
        else:
            self._run(Work(setup, model))

    def _import(self, work: Work, table: Path) -> None:
        session = replace(self._document.session, setup=work.setup, simulation=None)

        def job(progress: Progress) -> "Case":
            self._note(work.setup)
            return measured(work, session, None, Memory(self.recall, self.recall_known), None, progress, lambda _: None)

        take = partial(self._take_table, work)
        self._jobs.start(KEY, f"Reading {table.name}", job, take, partial(self._fail, work.setup))

    def _take_table(self, work: Work, case: "Case") -> None:
        if self._document.model is work.model:
            self._document.take_session(replace(self._document.session, setup=work.setup, simulation=None))
            self._document.take_case(case)

    def _run(self, work: Work) -> None:
        prepared = self._prepared[1] if self._prepared is not None and self._prepared[0] == work.setup else None
        self._prepared = None
        folder = self._new_folder() if _may_run(work.setup) and work.begun is None and prepared is None else None
        session = self._document.session
        memory = Memory(self.recall, self.recall_known)

        def job(progress: Progress, give: "Give[Part]") -> "Case":
            self._note(work.setup)
            return measured(work, session, prepared, memory, folder, progress, give)

        self._work = work
        self._jobs.start_in_parts(
            KEY,
            "Comparing two runs",
            job,
            partial(self._take, work),
            partial(self._take_last, work),
            partial(self._fail, work.setup),
            partial(self._keep, work),
        )

    def _note(self, setup: Setup) -> None:
        """In the background, as it looks at the files."""
        self.read = written_at(setup.files.values())

    def _take(self, work: Work, part: "Part") -> None:
        if self._work is work:
            work.part = part
            self._document.take_case(part())

    def _take_last(self, work: Work, case: "Case") -> None:
        if self._work is work:
            self._document.take_case(case, findings_of(case))
            self._tell_of(case)

    def _tell_of(self, case: "Case") -> None:
        """What is to be known beside the numbers when all of them are there."""
        from errorflow.compare.unreadable import unreadable

        self._tell_of_stages(case.stages)
        if case.match is None or case.comparison is None:
            return
        if case.complete and (broken := unreadable(case.match, case.comparison.rows)):
            texts = [found.text for found in broken]
            self._stage.notify(Notice("warning", _broken_text(broken), _first_of(texts), key="broken", of_model=True))

    def _tell_of_stages(self, stages: "Stages | None") -> None:
        """Of three runs, which step is at fault."""
        if stages is not None:
            self._stage.notify(Notice("info", stages.text, key="stages", of_model=True))

    def _keep(self, work: Work) -> None:
        """The user cancelled: what was measured stays."""
        part = work.part
        case = None if self._work is not work or part is None else part()
        if case is None or case.complete:
            return
        self._document.take_case(case)
        text, hint = _left(case)
        self._stage.notify(
            Notice(
                "info",
                text,
                hint,
                key=NOTICE,
                button="Go on",
                pressed=self.go_on,
                of_model=True,
            )
        )

    def _fail(self, setup: Setup, error: ErrorflowError) -> None:
        """Where the two runs stand the wrong way round, one click puts them right."""
        from errorflow.match.refused import UnfitRunsError
        from errorflow.scenarios.propose import swapped

        notice = replace(notice_of(error, NOTICE), button="Change…", pressed=lambda: self._stage.ask(setup))
        if isinstance(error, UnfitRunsError):
            notice = replace(notice, text=error.said, hint=error.way)
            if error.swaps:
                notice = replace(notice, button="Swap", pressed=lambda: self.start(swapped(setup)))
        self._stage.notify(notice)


def _broken_text(broken: "Sequence[Unreadable]") -> str:
    """How many of which run."""
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


def _left(case: "Case") -> tuple[str, str]:
    """What a cancel leaves, and what there is to be done about it."""
    count, done = len(case.comparison.rows), len(case.comparison.known)
    if done < count:
        text = f"The comparison was cancelled: {done:,} of {count:,} tensors are measured."
        return text, "What is known stays on view."
    text = f"The comparison was cancelled when all {count:,} tensors were measured."
    return text, "Go on to work out who is to blame."


def _may_run(setup: Setup) -> bool:
    """Whether models may stand for runs, whose tensors need a place."""
    sides = (setup.file(need) for need in ("candidate", "reference"))
    told = any(path is not None and is_model(path) for path in sides)
    return told or any(setup.file(need) is not None for need in ("quantized", "simulator"))


def _recall_nothing(setup: Setup, match: "Match") -> "Mapping[int, Row]":  # noqa: ARG001 - whoever recalls looks at them
    return {}
