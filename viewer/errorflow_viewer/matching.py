"""Matches by hand: whenever the user brings tensors together or parts them, what changed is measured."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow.scenarios.setup import Setup
from errorflow.session.model import HandPair, Session
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Jobs
from errorflow_viewer.state import Compared

if TYPE_CHECKING:
    from errorflow.match.model import Match

KEY = "matches"


class Matching(QObject):
    """Keeps what was compared in step with the pairs of the session, and the same with undo."""

    def __init__(
        self, document: Document, jobs: Jobs, failed: Callable[[ErrorflowError], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._failed = failed
        # What the last job made, and for which pairs: it need not be looked at again.
        self._made: Compared | None = None
        document.changed.connect(self._on_changed)
        # Made late, it finds what was decided before.
        self._on_changed(("compared",))

    def _on_changed(self, fields: Collection[str]) -> None:
        compared = self._document.state.compared
        if not {"compared", "session.hand_pairs"} & set(fields):
            return
        if self._document.session.bundle is not None:  # of which nothing can be measured again
            return
        if "session.hand_pairs" not in fields and (compared is None or compared is self._made):
            return
        model, pairs = self._document.model, self._document.session.hand_pairs
        match = None if compared is None else compared.match
        if compared is None or model is None or match is None or not compared.complete:
            self._jobs.cancel(KEY)
        elif pairs or match.by_rules is not None:
            self._start(model, compared, match, pairs)

    def _start(self, model: Model, compared: Compared, match: "Match", pairs: tuple[HandPair, ...]) -> None:
        setup = self._document.session.setup
        self._jobs.start(
            KEY,
            "Matching by hand",
            lambda progress: matched(model, compared, match, pairs, setup, progress),
            partial(self._take, compared),
            self._failed,
        )

    def _take(self, before: Compared, found: Compared) -> None:
        if self._document.state.compared is before and found is not before:
            self._made = found
            self._document.take_compared(found)


def matched(
    model: Model,
    compared: Compared,
    match: "Match",
    pairs: tuple[HandPair, ...],
    setup: Setup | None,
    progress: Progress,
) -> Compared:
    """What was compared with these pairs; the same if they are in it already."""
    from errorflow.case.comparing import matched_again
    from errorflow.case.model import Case

    held = Case(Session(), model) if compared.case is None else compared.case
    session = replace(held.session, setup=setup, hand_pairs=pairs)
    before = replace(
        held, session=session, model=model, comparison=compared.comparison, match=match, blame=compared.blame
    )
    found = matched_again(before, progress)
    return compared if found is before else Compared.of(found)
