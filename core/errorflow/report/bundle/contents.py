"""Contents of a report, from the file of a session or of a ticket bundle."""

from collections.abc import Iterator
from pathlib import Path

from errorflow.base.language import keep
from errorflow.base.progress import SILENT, Progress
from errorflow.case.session.own_texts import names_of
from errorflow.report.bundle.opening import case_in
from errorflow.report.content import Content
from errorflow.report.contents import content_of


def content_in(path: Path, title: str = "", progress: Progress = SILENT) -> tuple[Content, tuple[str, ...]]:
    """Makes the content, with what could not be read in the file. Names of the user's own are kept from translation."""
    with case_in(path, progress) as case:
        content, unread = content_of(case, title, progress), case.unread
    keep(own_of(content))
    return content, unread


# What of a case its user wrote or named, which no language may change.


def own_of(case: Content) -> Iterator[str]:
    yield case.note
    yield from case.notes.values()
    yield from case.form.values()
    yield from (trial.name for trial in case.trials)
    yield from names_of(case.graph)
