"""Examination: from a session to its case, the one way for every door, and the only place that prepares and
measures.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.base import SILENT, Progress, UsageError
from errorflow.case.comparing import compared, with_shapes
from errorflow.case.model import Case
from errorflow.case.said import said_of, setup_of
from errorflow.case.session.model import Session
from errorflow.case.values import Asking
from errorflow.formats import read_model

_REPORT = Asking()


@contextmanager
def examine(session: Session, asking: Asking = _REPORT, progress: Progress = SILENT) -> Iterator[Case]:
    """The case of a session; its tensors can be read until this is left.

    `asking.give` gets the same case in parts while it fills up. What was kept by another start is found by its content.
    """
    setup = setup_of(session)
    if session.simulation is not None and session.model is not None:
        from errorflow.case.simulating import simulated  # loads all that runs and quantizes models

        with simulated(session, session.model, session.simulation, progress) as case:
            yield case
    elif setup is not None and setup.files:
        with _folder(asking.folder) as folder:
            yield compared(session, setup, asking, folder, progress)
    elif session.model is not None:
        model = with_shapes(read_model(session.model, progress), progress)
        yield Case(session, model, files=(model.path,), **said_of(session))
    else:
        raise UsageError("The session holds no model.", "Open a model in the window, and save the session.")


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """The one that was given, or one that is gone behind this with all that models left there."""
    if given is not None:
        yield given
        return
    with TemporaryDirectory(prefix="errorflow-", ignore_cleanup_errors=True) as place:
        yield Path(place)
