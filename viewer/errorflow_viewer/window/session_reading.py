"""Sessions as files, read and written in the background."""

import logging
from pathlib import Path

from errorflow.base.errors import ErrorflowError, one_line
from errorflow.base.files import is_file
from errorflow.base.progress import Progress
from errorflow.base.values import dataclass, replace
from errorflow.case.session.model import SUFFIX, Painting, Session, Sights
from errorflow.case.session.moved import looked_for, missing
from errorflow.case.session.stamp import refuse_changed, stamp_of
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.document.drafts import Drafts
from errorflow_viewer.document.second_graph import models_of

LOG = logging.getLogger(__name__)
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
