"""The session as a file: saved, opened again, and kept as a draft all the while, so that nothing is ever lost."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from errorflow.errors import ErrorflowError
from errorflow.progress import Progress
from errorflow.session.file import SUFFIX, read_session, write_session
from errorflow.session.model import Session, Sights
from errorflow.session.moved import looked_for, missing
from errorflow.session.stamp import ChangedFileError, refuse_changed, stamp_of
from errorflow.simulate.trial import Trial
from errorflow_viewer.document import Document, found_again
from errorflow_viewer.drafts import Drafts
from errorflow_viewer.drawings import Unfolded, View
from errorflow_viewer.jobs import Jobs, ignore_failure
from errorflow_viewer.second import models_of
from errorflow_viewer.sights import place_of, sights_of, spot_of
from errorflow_viewer.state import Spot
from errorflow_viewer.wishes import SESSION, take_back

LOG = logging.getLogger(__name__)
SAVE, DRAFT, MOVED = "save session", "draft", "look for files"
# Milliseconds after a change until the draft is written.
CALM = 1500
NAMELESS = "#"


@dataclass(frozen=True, slots=True)
class Doors:
    """What a session needs of the window."""

    # Opens its model or starts its comparison, and gives the document that session.
    start: Callable[[Session], None]
    shown: Callable[[], Unfolded | None]
    view: Callable[[], View]
    say: Callable[[str], None]
    failed: Callable[[Path, ErrorflowError], None]
    # Where ticket bundles are unpacked.
    unpacked: Path


@dataclass(frozen=True, slots=True)
class _Found:
    """A session that was read, the file that it is kept in, and what that holds."""

    session: Session
    file: Path | None = None
    kept: Session | None = None
    problems: tuple[str, ...] = ()
    # Files that are not where they were.
    lost: tuple[Path, ...] = ()
    # Of what the file held when it was read.
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class _Coming:
    """What is being opened, and if it had been set aside the draft that is done with then."""

    found: _Found
    draft: Path | None = None


class Sessions(QObject):
    """Knows the file of the session on view, and whether it holds all that was decided."""

    changed = Signal()  # another file, or it is saved or not
    opened = Signal(object, object)  # Path, tuple of what could not be read
    saved = Signal(object)  # Path
    lost_files = Signal(object, object)  # Session, tuple of missing paths
    changed_outside = Signal(object, object)  # Path, ErrorflowError: it was not saved

    def __init__(self, document: Document, jobs: Jobs, drafts: Drafts, doors: Doors, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._drafts = drafts
        self._doors = doors
        self._file: Path | None = None
        # What the file holds; None: there is none.
        self._kept: Session | None = None
        # Of the file, when it was read or written last.
        self._stamp = ""
        # The session on view when it was last looked at, with what was to be seen.
        self._last: Session | None = None
        # The one that is being opened.
        self._coming: _Coming | None = None
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(CALM)
        self._calm.timeout.connect(self._write_draft)
        document.changed.connect(self._on_changed)

    @property
    def file(self) -> Path | None:
        return self._file

    @property
    def modified(self) -> bool:
        """Whether anything was decided that the file does not hold."""
        if self._document.model is None:
            return False
        return self._is_unsaved(self._document.session)

    def captured(self) -> Session:
        """The session on view with what is selected and to be seen."""
        document, state = self._document, self._document.state
        node, graph = state.node, document.graph
        name = "" if node is None or graph is None else graph.node_names[node] or f"{NAMELESS}{node}"
        sights = sights_of(state.spot, self._doors.view(), self._doors.shown(), document.look())
        beside = document.look_beside()
        return replace(document.session, sights=sights, second_sights=beside, search=state.search, node=name)

    # Saving

    def save(self, path: Path, over: bool = False) -> None:
        """Writes the session in the background; `over`: whatever somebody else wrote into its file meanwhile."""
        target = path if path.suffix == SUFFIX else path.with_name(f"{path.name}{SUFFIX}")
        session = self.captured()
        stamp = self._stamp if target == self._file and not over else ""
        self._jobs.start(
            SAVE,
            f"Saving {target.name}",
            lambda _: _write(session, target, stamp),
            lambda written: self._on_saved(target, session, written),
            partial(self._on_unsaved, target),
        )

    def _on_unsaved(self, path: Path, error: ErrorflowError) -> None:
        if isinstance(error, ChangedFileError):
            self.changed_outside.emit(path, error)
        else:
            self._doors.failed(path, error)

    def _on_saved(self, path: Path, session: Session, stamp: str) -> None:
        self._file, self._kept, self._stamp = path, session, stamp
        self._doors.say(f"Saved as {path.name}")
        self.saved.emit(path)
        self.changed.emit()

    # Opening

    def open(self, path: Path) -> None:
        """Reads a session and shows it; what is on view stays until then."""
        take_back(self._jobs)
        self._jobs.start(
            SESSION,
            f"Opening {path.name}",
            lambda progress: _read(path, self._doors.unpacked, progress),
            partial(self._take_file, path),
            partial(self._doors.failed, path),
        )

    def open_draft(self, path: Path) -> None:
        """Shows what was not saved, which then is no longer set aside; it belongs to the file it was a draft of."""
        take_back(self._jobs)
        self._jobs.start(
            SESSION,
            "Opening what was not saved",
            lambda progress: _read(path, self._doors.unpacked, progress),
            lambda found: self._start(_Coming(found, path)),
            partial(self._doors.failed, path),
        )

    def reopen(self, model: Path, otherwise: Callable[[Path], None]) -> None:
        """What was on view when the last window was closed, if it was about that model; else `otherwise` opens it."""
        last = self._drafts.last
        take_back(self._jobs)
        self._jobs.start(
            SESSION,
            f"Opening {model.name}",
            lambda progress: _read(last, self._doors.unpacked, progress),
            lambda found: self._start(_Coming(found)) if _is_about(found.session, model) else otherwise(model),
            lambda _: otherwise(model),
        )

    def _take_file(self, path: Path, found: _Found) -> None:
        # What is said of it comes after all that was said of what is left for it is gone.
        # What is in a bundle is as it was sent: it is saved as another file.
        file = None if is_bundle_name(path) else path
        self._start(_Coming(replace(found, file=file, kept=found.session)))
        self.opened.emit(path, found.problems)

    def _start(self, coming: _Coming) -> None:
        self._coming = coming
        if coming.found.lost:
            self.lost_files.emit(coming.found.session, coming.found.lost)
        else:
            self._doors.start(coming.found.session)

    def look_for_files(self, session: Session, folder: Path) -> None:
        """Files of a session have moved: they are looked for in a folder."""
        self._jobs.start(
            MOVED,
            "Looking for the session's files",
            lambda progress: _found(session, folder, progress),
            lambda found: self._on_found(*found),
            ignore_failure,
        )

    def _on_found(self, session: Session, lost: tuple[Path, ...]) -> None:
        before = _Found(session) if self._coming is None else self._coming.found
        draft = None if self._coming is None else self._coming.draft
        self._start(_Coming(replace(before, session=session, lost=lost), draft))

    # What is on view

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields:
            self._on_model()
        elif "session" in fields and self._last is not None:
            seen = self._last
            self._last = replace(
                self._document.session,
                sights=seen.sights,
                second_sights=seen.second_sights,
                search=seen.search,
                node=seen.node,
            )
        if self._document.model is not None and not {"model", "session", "node", "search", "place"}.isdisjoint(fields):
            self._calm.start()
        if not {"model", "session"}.isdisjoint(fields):
            self.changed.emit()

    def _on_model(self) -> None:
        """Another model is on view, or the same one with more known about it."""
        session, last = self._document.session, self._last
        has_come = self._coming is not None and _is_of(session, self._coming.found.session)
        if last is not None and _same_case(last, session) and not has_come:
            return
        if last is not None and self._is_unsaved(last):
            self._drafts.put_aside(last, self._file)
        coming, self._coming = self._coming, None
        if coming is not None and has_come:
            self._file, self._kept, self._stamp = coming.found.file, coming.found.kept, coming.found.stamp
            if coming.draft is not None:
                self._drafts.forget(coming.draft)
            self._return_to(coming.found.session)
        else:
            self._file = self._kept = None
            self._stamp = ""
        self._last = None if self._document.model is None else self.captured()

    def _is_unsaved(self, session: Session) -> bool:
        fresh = Session(model=session.model, setup=session.setup)
        before = decided(fresh if self._kept is None else self._kept)
        if before == fresh and len(models_of(session)) > 1:  # both are shown beside each other by themselves
            before = replace(before, pairing=session.pairing if session.pairing == "side" else "")
        return decided(session) != before

    def _return_to(self, session: Session) -> None:
        """What was selected, searched for and seen."""
        document, sights = self._document, session.sights
        document.search_for(session.search)
        model, place = document.model, place_of(sights)
        if model is None:
            return
        try:
            graph = place.graph(model)
        except IndexError:
            return
        number, name = _named(session.node)
        node = found_again(graph, number, name)
        # To the node only when it is known which groups are open: it may be in a closed one.
        document.begin_at(Spot(place))
        document.begin_at(spot_of(sights, node, self._doors.shown()))

    # Drafts

    def _write_draft(self) -> None:
        if self._document.model is None:
            return
        session, file = self.captured(), self._file
        self._last = session
        self._jobs.start(
            DRAFT,
            "Keeping a draft",
            lambda _: self._drafts.write(session, file),
            lambda _: None,
            ignore_failure,
            shown=False,
        )

    def unsaved(self) -> tuple[Path, ...]:
        """Drafts that were set aside, newest first."""
        return self._drafts.aside()

    def recover(self) -> tuple[Path, ...]:
        """Drafts of windows that ended without warning."""
        return self._drafts.begin()

    def end(self) -> None:
        """The window is closed."""
        self._calm.stop()
        self._jobs.cancel(DRAFT)
        self._drafts.end(None if self._document.model is None else self.captured(), self._file)


def decided(session: Session) -> Session:
    """The session without what is only looked at, and without what was found out by trying."""
    trials = tuple(Trial(trial.name, trial.plan, trial.basis) for trial in session.trials)
    return replace(session, sights=Sights(), second_sights=None, search="", node="", trials=trials)


def _same_case(one: Session, other: Session) -> bool:
    return (one.model, one.setup) == (other.model, other.setup)


def _is_of(session: Session, opened: Session) -> bool:
    """Whether what is on view is what was opened, and not what was on view meanwhile."""
    return _same_case(session, opened) and decided(replace(session, pairing=opened.pairing)) == decided(opened)


def _is_about(session: Session, model: Path) -> bool:
    """Also where the model was made of the comparison, and has no file of its own."""
    return model in (session.model, session.bundle) or (session.model is None and session.setup is not None)


def _named(text: str) -> tuple[int, str]:
    """The number of a node that has no name; -1: it has one."""
    number = text.removeprefix(NAMELESS)
    return (int(number), "") if text.startswith(NAMELESS) and number.isdecimal() and len(number) < 9 else (-1, text)


def is_bundle_name(path: Path) -> bool:
    """Whether it is called as a ticket bundle is; what is none says so when it is read."""
    return path.suffix.lower() == ".zip"


def _write(session: Session, path: Path, stamp: str) -> str:
    refuse_changed(path, stamp)
    write_session(session, path)
    return stamp_of(path)


def _read(path: Path, unpacked: Path, progress: Progress) -> _Found:
    progress.step(0, 0, f"Opening {path.name}")
    if is_bundle_name(path):
        from errorflow.bundle.opening import open_session

        opened = open_session(path, unpacked, progress)
        return _Found(opened.session, problems=opened.problems)
    stamp = stamp_of(path)  # before it is read: what is written meanwhile is noticed
    opened = read_session(path)
    kept = None
    if opened.belongs_to is not None:
        stamp = stamp_of(opened.belongs_to)
    if opened.belongs_to is not None:
        try:
            kept = read_session(opened.belongs_to).session
        except ErrorflowError as error:  # it is gone, and will be written anew when the user saves
            LOG.info("the file of a draft: %s", error)
    session, lost = opened.session, missing(opened.session)
    if session.bundle is not None and not lost:
        from errorflow.bundle.opening import open_session, with_case

        session = with_case(session, unpacked, progress)
        kept = open_session(session.bundle, unpacked, progress).session if kept is None and session.bundle else kept
    return _Found(session, opened.belongs_to, kept, opened.problems, lost, stamp)


def _found(session: Session, folder: Path, progress: Progress) -> tuple[Session, tuple[Path, ...]]:
    found = looked_for(session, folder, progress)
    return found, missing(found)
