"""The session as a file: saved, opened again, and kept as a draft all the while, so that nothing is ever lost."""

import logging
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from errorflow.base import ErrorflowError, Progress, dataclass, one_line, replace
from errorflow.base.files import is_file
from errorflow.case.session.model import SUFFIX, Painting, Session, Sights
from errorflow.case.session.moved import looked_for, missing
from errorflow.case.session.stamp import ChangedFileError, refuse_changed, stamp_of
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.document.document import Document, found_again
from errorflow_viewer.document.drafts import Drafts
from errorflow_viewer.document.opening_jobs import SESSION, take_back
from errorflow_viewer.document.second_graph import models_of
from errorflow_viewer.document.state import Spot
from errorflow_viewer.document.viewpoint import place_of, sights_of, spot_of
from errorflow_viewer.kit.drawings import Unfolded, View
from errorflow_viewer.kit.jobs import Jobs, ignore_failure

# What stands before the number of a node that has no name.
NAMELESS = "#"


@dataclass(frozen=True, slots=True)
class ReadSession:
    """A session that was read, the file that it is kept in, and what that holds."""

    session: Session
    file: Path | None = None
    kept: Session | None = None
    problems: tuple[str, ...] = ()
    # Files that are not where they were.
    lost: tuple[Path, ...] = ()
    # Of what the file held when it was read.
    stamp: str = ""


def decided(session: Session) -> Session:
    """The session without what is only looked at, and without what was found out by trying."""
    trials = tuple(Trial(trial.name, trial.plan, trial.basis) for trial in session.trials)
    return replace(session, sights=Sights(), second_sights=None, search="", node="", trials=trials)


def differs(session: Session, kept: Session | None, painting: Painting) -> bool:
    """Whether anything was decided that is not kept; None: nothing is. `painting`: where none was chosen."""
    fresh = Session(model=session.model, setup=session.setup, painting=painting)
    before = decided(fresh if kept is None else kept)
    if before == fresh and len(models_of(session)) > 1:  # both are shown beside each other by themselves
        before = replace(before, pairing=session.pairing if session.pairing == "side" else "")
    return decided(session) != before


def keep_unsaved(drafts: Drafts, taken: str, painting: Painting, answers: bool = True) -> None:
    """Sets aside what was decided in the window that was closed last, unless that came on view again: then `taken` is
    the stamp of its file. Another one is about to take its place. `answers`: whether the disk of the file that it
    belongs to does; else that counts as holding nothing of it."""
    try:
        if not drafts.last.exists() or stamp_of(drafts.last) == taken:
            return
        from errorflow.case.session.file import read_session

        opened = read_session(drafts.last)
        kept = None if opened.belongs_to is None or not answers else read_session(opened.belongs_to).session
        if differs(opened.session, kept, painting):
            drafts.put_aside(opened.session, opened.belongs_to)
    except (ErrorflowError, OSError) as error:
        LOG.info("the last session was not set aside: %s", error)


def find_last(last: Path) -> bool:
    """Whether the file is there that a session belongs to; on a network drive that may take for ever."""
    from errorflow.case.session.file import read_session

    belongs_to = read_session(last).belongs_to if is_file(last) else None
    return belongs_to is not None and is_file(belongs_to)


def is_session_name(path: Path) -> bool:
    """Whether it is called as a session or a ticket bundle is."""
    return path.suffix == SUFFIX or is_bundle_name(path)


def is_bundle_name(path: Path) -> bool:
    """Whether it is called as a ticket bundle is; what is none says so when it is read."""
    return path.suffix.lower() == ".zip"


def write(session: Session, path: Path, stamp: str) -> str:
    from errorflow.case.session.file import write_session

    refuse_changed(path, stamp)
    write_session(session, path)
    return stamp_of(path)


def read(path: Path, unpacked: Path, progress: Progress) -> ReadSession:
    from errorflow.case.session.file import read_session

    progress.step(0, 0, f"Opening {one_line(path.name)}")
    if is_bundle_name(path):
        from errorflow.report.bundle.opening import open_session

        opened = open_session(path, unpacked, progress)
        return ReadSession(opened.session, problems=opened.problems)
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
        from errorflow.report.bundle.opening import open_session, with_case

        session = with_case(session, unpacked, progress)
        kept = open_session(session.bundle, unpacked, progress).session if kept is None and session.bundle else kept
    return ReadSession(session, opened.belongs_to, kept, opened.problems, lost, stamp)


def found_in(session: Session, folder: Path, progress: Progress) -> tuple[Session, tuple[Path, ...]]:
    found = looked_for(session, folder, progress)
    return found, missing(found)


def is_about(session: Session, model: Path) -> bool:
    """Also where the model was made of the comparison, and has no file of its own."""
    return model in (session.model, session.bundle) or (session.model is None and session.setup is not None)


def named(text: str) -> tuple[int, str]:
    """The number of a node that has no name; -1: it has one."""
    number = text.removeprefix(NAMELESS)
    return (int(number), "") if text.startswith(NAMELESS) and number.isdecimal() and len(number) < 9 else (-1, text)


LOG = logging.getLogger(__name__)
SAVE, DRAFT, MOVED, LAST = "save session", "draft", "look for files", "last"
# Milliseconds after a change until the draft is written.
CALM = 1500


@dataclass(frozen=True, slots=True)
class Doors:
    """Interface that a session has to the window."""

    # Opens its model or starts its comparison, and gives the document that session.
    start: Callable[[Session], None]
    shown: Callable[[], Unfolded | None]
    view: Callable[[], View]
    say: Callable[[str], None]
    failed: Callable[[Path, ErrorflowError], None]
    # Where ticket bundles are unpacked.
    unpacked: Path


@dataclass(frozen=True, slots=True)
class HeldSession:
    """View before something was only shown for a while; `draft`: where it is kept meanwhile."""

    session: Session
    file: Path | None
    kept: Session | None
    stamp: str
    draft: Path | None


@dataclass(frozen=True, slots=True)
class _Coming:
    """Session that is being opened, and if it had been set aside the draft that is done with then."""

    found: ReadSession
    draft: Path | None = None
    # If it was on view when the last window was closed, the stamp of the file that says so.
    last: str = ""


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
        # What stands behind something that is only shown for a while; the window may be closed meanwhile.
        self._held: HeldSession | None = None
        self._is_shown_only = False
        # Of what was on view when the last window was closed, if it came on view here.
        self._last_taken = ""
        # Whether that was looked for.
        self._is_looked_for = False
        # The one that is being opened.
        self._coming: _Coming | None = None
        self._calm = QTimer(self, singleShot=True, interval=CALM)
        self._calm.timeout.connect(self._write_draft)
        document.changed.connect(self._on_changed)

    @property
    def file(self) -> Path | None:
        return self._file

    @property
    def stamp(self) -> str:
        """Stamp of what was in the file when it was read or written last; "": there is none."""
        return self._stamp

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
        """Writes the session in the background; `over`: over what another program wrote into its file meanwhile."""
        target = path if path.suffix == SUFFIX else path.with_name(f"{path.name}{SUFFIX}")
        session = self.captured()
        stamp = self._stamp if target == self._file and not over else ""
        self._jobs.start(
            SAVE,
            f"Saving {one_line(target.name)}",
            lambda _: write(session, target, stamp),
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
        self._doors.say(f"Saved as {one_line(path.name)}")
        self.saved.emit(path)
        self.changed.emit()

    # Opening

    def open(self, path: Path) -> None:
        """Reads a session and shows it; what is on view stays until then."""
        take_back(self._jobs)
        self._jobs.start(
            SESSION,
            f"Opening {one_line(path.name)}",
            lambda progress: read(path, self._doors.unpacked, progress),
            partial(self._take_file, path),
            partial(self._doors.failed, path),
        )

    def open_draft(self, path: Path) -> None:
        """Shows what was not saved, which then is no longer set aside; it belongs to the file it was a draft of."""
        take_back(self._jobs)
        self._jobs.start(
            SESSION,
            "Opening what was not saved",
            lambda progress: read(path, self._doors.unpacked, progress),
            lambda found: self._start(_Coming(found, path)),
            partial(self._doors.failed, path),
        )

    def reopen(self, model: Path, otherwise: Callable[[Path], None]) -> None:
        """Reopens what was on view when the last window was closed, if it was about that model; else `otherwise` opens
        it.
        """
        last = self._drafts.last
        take_back(self._jobs)
        self._jobs.start(
            SESSION,
            f"Opening {one_line(model.name)}",
            lambda progress: (read(last, self._doors.unpacked, progress), stamp_of(last)),
            lambda read: self._reopen(*read, model, otherwise),
            lambda _: otherwise(model),
        )

    def _reopen(self, found: ReadSession, stamp: str, model: Path, otherwise: Callable[[Path], None]) -> None:
        if is_about(found.session, model):
            self._start(_Coming(found, last=stamp))
        else:
            otherwise(model)

    def _take_file(self, path: Path, found: ReadSession) -> None:
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
            lambda progress: found_in(session, folder, progress),
            lambda found: self._on_found(*found),
            ignore_failure,
        )

    def _on_found(self, session: Session, lost: tuple[Path, ...]) -> None:
        before = ReadSession(session) if self._coming is None else self._coming.found
        draft = None if self._coming is None else self._coming.draft
        self._start(_Coming(replace(before, session=session, lost=lost), draft))

    # What is only shown for a while

    def hold(self) -> None:
        """Holds: from now on other things are on view, of which nothing is kept; nothing of what is on view now is
        lost.
        """
        self._held, self._is_shown_only = None, True
        if self._document.model is not None:
            session = self.captured()
            draft = self._set_aside(session) if self._is_unsaved(session) else None
            self._held = HeldSession(session, self._file, self._kept, self._stamp, draft)
        self._last = self._file = self._kept = None
        self._stamp = ""
        self._calm.stop()

    def bring_back(self) -> bool:
        """Shows again what is held; False: nothing was on view, and nothing of what is now is kept."""
        held, self._held = self._held, None
        self._is_shown_only, self._last = False, None
        if held is None:
            return False
        take_back(self._jobs)
        self._start(_Coming(ReadSession(held.session, held.file, held.kept, stamp=held.stamp), held.draft))
        return True

    def let_go(self) -> None:
        """Lets go: what is on view stays, and is kept as everything else; what is held can be opened again by its
        draft.
        """
        self._held, self._is_shown_only = None, False
        self._last = None if self._document.model is None else self.captured()

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
        """Follows another model on view, or the same one with more known about it."""
        self.look_for_last()
        session, last = self._document.session, self._last
        has_come = self._coming is not None and _is_of(session, self._coming.found.session)
        if last is not None and _same_case(last, session) and not has_come:
            return
        if last is not None and self._is_unsaved(last):
            self._set_aside(last)
        coming, self._coming = self._coming, None
        if coming is not None and has_come:
            self._file, self._kept, self._stamp = coming.found.file, coming.found.kept, coming.found.stamp
            if coming.draft is not None:
                self._drafts.forget(coming.draft)
            self._last_taken = coming.last if coming.last else self._last_taken
            self._return_to(coming.found.session)
        else:
            self._file = self._kept = None
            self._stamp = ""
        self._last = None if self._document.model is None or self._is_shown_only else self.captured()

    def look_for_last(self) -> None:
        """Looks for the last one, which is needed at the end, when a drive that does not answer cannot be waited
        for.
        """
        if not self._is_looked_for:
            self._is_looked_for, last = True, self._drafts.last
            text = "Looking for the last session"
            self._jobs.quietly(LAST, text, lambda _: find_last(last))

    def _is_unsaved(self, session: Session) -> bool:
        return differs(session, self._kept, self._document.painting)

    def _return_to(self, session: Session) -> None:
        """Returns to what was selected, searched for and seen."""
        document, sights = self._document, session.sights
        document.search_for(session.search)
        model, place = document.model, place_of(sights)
        if model is None:
            return
        try:
            graph = place.graph(model)
        except IndexError:
            return
        number, name = named(session.node)
        node = found_again(graph, number, name)
        # To the node only when it is known which groups are open: it may be in a closed one.
        document.begin_at(Spot(place))
        document.begin_at(spot_of(sights, node, self._doors.shown()))

    # Drafts

    def _set_aside(self, session: Session) -> Path | None:
        """Sets a session aside. Where there is no room for it, the user is told: it is gone when it is not undone."""
        try:
            return self._drafts.put_aside(session, self._file)
        except (OSError, ErrorflowError) as error:
            LOG.warning("not set aside: %s", error)
            said = ErrorflowError(
                "What was decided and not saved could not be set aside.",
                "There is no room where drafts are kept: free some space, then open the model again.",
            )
            said.__cause__ = error
            self._doors.failed(self._drafts.folder, said)
            return None

    def _write_draft(self) -> None:
        if self._document.model is None or self._is_shown_only:
            return
        session, file = self.captured(), self._file
        self._last = session
        self._jobs.quietly(DRAFT, "Keeping a draft", lambda _: self._drafts.write(session, file))

    def unsaved(self) -> tuple[Path, ...]:
        """Drafts that were set aside, newest first."""
        return self._drafts.aside()

    def recover(self) -> tuple[Path, ...]:
        """Drafts of windows that ended without warning."""
        return self._drafts.begin()

    def keep(self) -> None:
        """Keeps a draft of what is on view at once, as the process may be gone in a moment."""
        self._calm.stop()
        self._jobs.cancel(DRAFT)
        if self._document.model is not None:
            try:
                self._drafts.write(self.captured(), self._file)
            except (OSError, ErrorflowError) as error:
                LOG.warning("no draft: %s", error)

    def end(self, awaits_last: bool = False) -> None:
        """The window is closed. `awaits_last`: what was on view the last time is still to come, and stays the last."""
        self._calm.stop()
        self._jobs.cancel(DRAFT)
        if awaits_last and self._document.model is None:
            self._drafts.leave()
            return
        answers = not self._jobs.running(LAST)
        keep_unsaved(self._drafts, self._last_taken, self._document.painting, answers)
        if not self._is_shown_only:
            self._drafts.end(None if self._document.model is None else self.captured(), self._file)
            return
        held = self._held
        self._drafts.end(None if held is None else held.session, None if held is None else held.file)
        if held is not None and held.draft is not None:
            self._drafts.forget(held.draft)


def _same_case(one: Session, other: Session) -> bool:
    return (one.model, one.setup) == (other.model, other.setup)


def _is_of(session: Session, opened: Session) -> bool:
    """Whether what is on view is what was opened, and not what was on view meanwhile."""
    return _same_case(session, opened) and decided(replace(session, pairing=opened.pairing)) == decided(opened)
