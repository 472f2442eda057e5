"""Compares two runs in the background, and shows what is known meanwhile."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.errors import ErrorflowError
from errorflow.progress import Progress
from errorflow.sample import Sample, sample_of
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Jobs
from errorflow_viewer.state import Compared

if TYPE_CHECKING:
    from errorflow.match.model import Match

KEY = "compare"


class Comparing(QObject):
    """Runs that belong to a sample are compared by themselves when it is opened."""

    def __init__(
        self, document: Document, jobs: Jobs, failed: Callable[[ErrorflowError], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._failed = failed
        document.changed.connect(self._on_changed)

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields and self._document.comparison is None:
            self._compare_sample()

    def _compare_sample(self) -> None:
        model = self._document.model
        sample = None if model is None else sample_of(model.path)
        if model is None or sample is None:
            self._jobs.cancel(KEY)
            return
        self._jobs.start(
            KEY,
            "Comparing two runs",
            lambda progress: _compared(sample, progress),
            self._document.take_compared,
            self._failed,
        )


def _compared(sample: Sample, progress: Progress) -> Compared:
    from errorflow.compare import compare_match
    from errorflow.formats import read_tensors
    from errorflow.match.by_name import match_by_name

    match: Match = match_by_name(read_tensors(sample.reference_run), read_tensors(sample.candidate_run), progress)
    return Compared(compare_match(match, progress=progress), match)
