"""Keeps what was measured, so that what is opened again is coloured at once."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.compare.options import Options
from errorflow.sample import folder as sample_folder
from errorflow_viewer.comparing import Comparing
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Jobs, ignore_failure
from errorflow_viewer.sessions import Sessions
from errorflow_viewer.state import Compared

if TYPE_CHECKING:
    from errorflow.compare.model import Row
    from errorflow.match.model import Match
    from errorflow.scenarios.setup import Setup

KEY = "keep results"


class Remembering(QObject):
    """Of finished comparisons the rows go into a folder of the user's, and beside the session's file if it has one."""

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        folder: Path,
        sessions: Sessions,
        comparing: Comparing,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._folder = folder
        self._sessions = sessions
        # What was kept last, and where: the same need not be written again.
        self._kept: tuple[Compared, Path | None] | None = None
        comparing.recall = self.recall
        sessions.saved.connect(lambda _: self.keep())
        document.changed.connect(self._on_changed)

    def recall(self, setup: "Setup", match: "Match") -> "Mapping[int, Row]":
        """The rows that are known of a comparison; asked in the background."""
        from errorflow.session.results import beside, recall

        if _is_small(setup):
            return {}
        file = self._sessions.file
        known = {} if file is None else recall(beside(file), match, Options(), file.parent)
        return known if known else recall(self._folder, match, Options())

    def keep(self) -> None:
        """Writes what is on view if it is complete and was not written yet."""
        compared, file, setup = self._document.state.compared, self._sessions.file, self._document.session.setup
        if compared is None:
            self._kept = None
            return
        if compared.match is None or not compared.complete or setup is None or _is_small(setup):
            return
        if self._kept is not None and self._kept[0].match is compared.match and self._kept[1] == file:
            return
        self._kept = compared, file
        match, rows, folder = compared.match, compared.comparison.rows, self._folder

        def write(_: object) -> None:
            from errorflow.session.results import beside, keep

            keep(folder, match, Options(), rows)
            if file is not None:
                keep(beside(file), match, Options(), rows, file.parent)

        self._jobs.start(KEY, "Keeping what was measured", write, lambda _: None, ignore_failure, shown=False)

    def _on_changed(self, fields: Collection[str]) -> None:
        if "compared" in fields:
            self.keep()


def _is_small(setup: "Setup") -> bool:
    """The sample is compared in a moment."""
    return all(sample_folder() in path.parents for path in setup.files.values())
