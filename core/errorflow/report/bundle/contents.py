"""What a report tells, from the file of a session or of a ticket bundle."""

from pathlib import Path

from errorflow.base.language import keep
from errorflow.base.progress import SILENT, Progress
from errorflow.report.account.own import own_of
from errorflow.report.bundle.cases import case_in
from errorflow.report.content import Content
from errorflow.report.contents import content_of


def content_in(path: Path, title: str = "", progress: Progress = SILENT) -> tuple[Content, tuple[str, ...]]:
    """With what could not be read in the file. Names of the user's own are kept from translation."""
    with case_in(path, progress) as case:
        content, unread = content_of(case, title, progress), case.unread
    keep(own_of(content))
    return content, unread
