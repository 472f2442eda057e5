"""What a report tells of, from a session or from a ticket bundle."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.bundle.answered import told_in
from errorflow.bundle.draft import case_of
from errorflow.bundle.opening import brought_in
from errorflow.progress import SILENT, Progress
from errorflow.report.html import opening
from errorflow.report.html.case import Case
from errorflow.session.file import SUFFIX, read_session

# Of files that a report can be made of.
SUFFIXES = (SUFFIX, ".zip")


def case_in(path: Path, title: str = "", progress: Progress = SILENT) -> tuple[Case, tuple[str, ...]]:
    """The case, and what in the file could not be read. A session is measured again; a bundle holds what was."""
    with TemporaryDirectory(prefix="errorflow-", ignore_cleanup_errors=True) as place:
        bundle = brought_in(path, Path(place), progress)
        if bundle is not None:
            found = case_of(bundle.material, title, progress)[0]
            return replace(found, form=told_in(bundle.path).answers), bundle.problems
    opened = read_session(path)
    return opening.case_of(opened.session, title, progress), tuple(opened.problems)
