"""Studies of the model on view: a simulation, what is known about it, and another session beside it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.earlier import Earlier
from errorflow_viewer.document.evaluating import Evaluating
from errorflow_viewer.document.ranking import Rankings
from errorflow_viewer.document.searching import Searching
from errorflow_viewer.document.simulating import Simulating, SimulatingStage
from errorflow_viewer.kit.jobs import Jobs


class Studies:
    """Studies of one window."""

    def __init__(
        self,
        document: Document,
        derived: Deriving,
        jobs: Jobs,
        stage: SimulatingStage,
        show: Callable[[str], None],
        place: Path,
        parent: QObject,
    ) -> None:
        """`show` brings the panel of that key; `place`: the folder for what evaluators print."""
        self.earlier = Earlier(document, derived, parent)
        self.simulating = Simulating(document, derived, jobs, stage, parent)
        self.ranking = Rankings(document, derived, self.simulating, lambda: show("ranking"), parent)
        self.searching = Searching(document, derived, self.simulating, lambda: show("search"), parent)
        self.evaluating = Evaluating(document, derived, self.simulating, place, parent)
