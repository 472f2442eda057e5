"""The case of any file that holds one: a session, a ticket bundle, a session that was saved of one, or a table."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.sample import other_of
from errorflow.case.comparing import with_shapes
from errorflow.case.model import Case
from errorflow.case.opening import is_result, is_session, open_case
from errorflow.case.session.file import read_session
from errorflow.case.session.model import Session
from errorflow.formats import read_model
from errorflow.report.bundle.archive import is_bundle
from errorflow.report.bundle.model import SECONDS, SUFFIX
from errorflow.report.bundle.opening import reopened


def is_side(path: Path) -> bool:
    """Whether it is a session, a table of tensors, or a bundle."""
    return is_result(path) or is_bundle(path)


@contextmanager
def case_in(path: Path, progress: Progress = SILENT, *, tensors: bool = True) -> Iterator[Case]:
    """A session is measured again; a bundle holds what was. Tensors can be read until this is left."""
    if not _is_of_bundle(path):
        with open_case(path, progress, tensors=tensors) as case:
            yield case
        return
    with TemporaryDirectory(prefix="errorflow-", ignore_cleanup_errors=True) as place:
        yield reopened(path, Path(place), progress)


def side_in(path: Path, progress: Progress = SILENT) -> Case:
    """Opens one of two that are held against each other: what was found, whose tensors are not looked at."""
    with case_in(path, progress, tensors=False) as case:
        if not case.was_compared:
            way = "Open it in the window, compare two runs or simulate the model, and save it."
            raise UsageError(f"{path.name} compares nothing.", way)
        _ = case.findings
        return case


def with_second(case: Case, progress: Progress = SILENT) -> Case:
    """Adds the graph that is shown beside the painted one, if its model can be read."""
    path = None if case.second is not None else second_of(case.session, case.model.path)
    if path is None:
        return case
    try:
        return replace(case, second=with_shapes(read_model(path, progress), progress))
    except ErrorflowError:  # the bundle says that it is not in it
        return case


def second_of(session: Session, shown: Path) -> Path | None:
    """The file of the second graph; None: none is shown."""
    if not session.pairing or session.second is not None:
        return session.second if session.pairing else None
    files = {} if session.setup is None else session.setup.files
    others = (files[key] for key in SECONDS if key in files and files[key] != shown)
    return next(others, other_of(shown))


def _is_of_bundle(path: Path) -> bool:
    if is_bundle(path) or path.suffix.lower() == SUFFIX:
        return True
    return is_session(path) and read_session(path).session.bundle is not None
