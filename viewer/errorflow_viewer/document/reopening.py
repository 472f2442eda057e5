"""Opens the model of the last time again at the next start, but never twice one that brought the app down."""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

from PySide6.QtCore import QObject, QTimer, Signal

from errorflow.base.codec import Between, Codec, as_json, parsed
from errorflow.base.files import is_folder
from errorflow.base.values import dataclass, replace
from errorflow_viewer.document.document import Document, found_again
from errorflow_viewer.document.opening import Opening
from errorflow_viewer.document.opening_jobs import OPEN
from errorflow_viewer.document.state import Place, Spot
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.stored import is_file

LOG = logging.getLogger(__name__)
KEY = "reopen"
# A model that is on view so long, in ms, did not bring the app down.
SAFE = 3000
MOST_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Last:
    """A model, and what was looked at and selected in it."""

    path: Path
    place: Place
    number: int = -1  # of the selected node; -1: none
    node: str = ""  # its name

    def text(self) -> str:
        return as_json(_Rows(str(self.path), self.place.path, self.place.function, self.number, self.node))

    @classmethod
    def parse(cls, text: str) -> "Last | None":
        """Parses a line; None: nothing, or rubbish."""
        try:
            rows: _Rows = Codec().read(_Rows, parsed(text))
        except ValueError:
            return None
        return cls(Path(rows.file), Place(rows.bodies[:MOST_DEPTH], rows.function), rows.number, rows.node)


@dataclass(frozen=True, slots=True)
class _Rows:
    """`Last` as it is written."""

    file: str
    bodies: tuple[Annotated[int, Between(0)], ...]
    function: Annotated[int, Between(-1)]
    number: Annotated[int, Between(-1)]
    node: str


class Reopening(QObject):
    """Remembers at the end of one run, and opens at the start of the next."""

    # A file that is not opened again by itself, as the last start with it did not end well; a call that opens it.
    withheld = Signal(object, object)

    def __init__(
        self,
        settings: Settings,
        document: Document,
        jobs: Jobs,
        opening: Opening,
        show: Callable[[Path], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._document = document
        self._jobs = jobs
        self._show = show
        self._wanted: Last | None = None
        # What is remembered in place of what is on view, while that is only shown for a while; "" is nothing.
        self._held: str | None = None
        self._safe = QTimer(self, singleShot=True, interval=SAFE)
        self._safe.timeout.connect(self._end_trial)
        opening.opened.connect(self._on_opened)
        opening.failed.connect(lambda _path, _error: self._give_up())

    def start(self) -> None:
        """Opens the model of the last time, if that is wanted, it is still there, and it did no harm."""
        last, on_trial = Last.parse(self._settings.last_model), self._settings.on_trial
        self._end_trial()
        if last is None or not self._settings.reopens:
            return
        if on_trial == str(last.path):
            LOG.info("not opened again: the last start with it did not end well")
            self.withheld.emit(last.path, partial(self._look_for, last))
            return
        self._look_for(last)

    def _look_for(self, last: Last) -> None:
        """Looks for it on trial: should it bring the app down, the next start knows."""
        self._settings.on_trial = str(last.path)
        self._settings.flush()
        self._wanted = last
        # The file may lie on a network drive that does not answer.
        self._jobs.quietly(
            KEY,
            f"Looking for {last.path.name}",
            lambda _: is_file(last.path) or is_folder(last.path),  # a run of which a model was made
            partial(self._open, last),
        )

    def _open(self, last: Last, there: bool) -> None:
        """Opens it, unless the user has opened another one meanwhile."""
        if there and self._document.model is None and not self._jobs.running(OPEN):
            self._show(last.path)
        else:
            self._give_up()

    def hold(self) -> None:
        """Holds what is on view now: what comes from now on is not returned to."""
        self._held = self._text()

    def let_go(self) -> None:
        """Lets go: what is on view counts again."""
        self._held = None

    def remember(self) -> bool:
        """Writes down what is on view at the end; True: what was on view the last time is still to come, and counts."""
        awaits = self._wanted is not None and self._document.model is None
        self._give_up()
        if not awaits:
            self._settings.last_model = self._text() if self._held is None else self._held
        return awaits

    def _text(self) -> str:
        """Writes what is on view, to return to."""
        model, graph, state = self._document.model, self._document.graph, self._document.state
        if model is None or graph is None:
            return ""
        last = Last(model.path, state.place)
        if state.node is not None:
            last = replace(last, number=state.node, node=graph.node_names[state.node])
        return last.text()

    def _on_opened(self, path: Path) -> None:
        last, self._wanted = self._wanted, None
        if last is None:
            return
        if last.path != path:  # opened before the last model was there
            self._end_trial()
            return
        self._return_to(last)
        self._safe.start()

    def _return_to(self, last: Last) -> None:
        """Returns as far as it is still there, unless its session has returned there already."""
        if self._document.state.sight is not None:
            return
        model = self._document.model
        assert model is not None, "it was just opened"
        try:
            graph = last.place.graph(model)
        except IndexError:
            return
        node = found_again(graph, last.number, last.node)
        if last.place != Place() or node is not None:
            self._document.begin_at(Spot(last.place, node))

    def _give_up(self) -> None:
        self._wanted = None
        self._end_trial()

    def _end_trial(self) -> None:
        self._safe.stop()
        self._settings.on_trial = ""
