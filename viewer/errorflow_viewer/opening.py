"""Opens a model in the background; the one on view stays until the new one is ready."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from errorflow.errors import ErrorflowError, WrongFileError
from errorflow.graph.model import Graph, Model
from errorflow.progress import Progress
from errorflow.session.model import Session
from errorflow_viewer.document import Document
from errorflow_viewer.drawings import Drawings, Form, Unfolded, View, first_picture, same_form
from errorflow_viewer.jobs import Jobs, ignore_failure
from errorflow_viewer.node_rows import rows_of
from errorflow_viewer.wishes import OPEN, take_back

SHAPES = "shapes"


@dataclass(frozen=True, slots=True)
class _Opened:
    model: Model
    picture: Unfolded | None
    form: Form


class Opening(QObject):
    """Reads a file and draws it, then hands both over at once; afterwards it looks for missing shapes."""

    opened = Signal(object)  # Path
    failed = Signal(object, object)  # Path, ErrorflowError

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        drawings: Drawings,
        view_of: Callable[[Path], View],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._view_of = view_of
        self._document = document
        self._jobs = jobs
        self._drawings = drawings

    def open(self, path: Path, keep_place: bool = False, session: Session | None = None) -> None:
        """Starts to open a file. `keep_place`: the file is on view already and is only read again; `session`: what was
        decided about it at another time."""
        take_back(self._jobs)
        form = self._drawings.form
        if not keep_place:
            form = replace(form, view=self._view_of(path))
        main = self._document.model.graph if keep_place and self._document.model is not None else None
        before = None if main is None else self._drawings.get(main)
        self._jobs.start(
            OPEN,
            f"Opening {path.name}",
            lambda progress: _read_and_draw(path, form, before, progress),
            lambda opened: self._take(path, opened, keep_place, session),
            lambda error: self.failed.emit(path, error),
        )

    def show(self, model: Model, session: Session) -> None:
        """The same for a model that was made and lies in no file."""
        take_back(self._jobs)
        form = self._drawings.form
        self._jobs.start(
            OPEN,
            f"Drawing {model.path.name}",
            lambda progress: _Opened(_listed(model), _draw(model.graph, form, None, progress), form),
            lambda opened: self._take(model.path, opened, False, session),
            lambda error: self.failed.emit(model.path, error),
        )

    def stop(self) -> None:
        """Nothing more is opened or refined."""
        take_back(self._jobs)
        self._jobs.cancel(SHAPES)

    def _take(self, path: Path, opened: _Opened, keep_place: bool, session: Session | None) -> None:
        self._drawings.keep(set())
        if not keep_place:
            self._drawings.form = replace(self._drawings.form, view=opened.form.view)
        if opened.picture is not None and opened.form == self._drawings.form:
            self._drawings.put(opened.model.graph, opened.picture)
        if keep_place:
            self._document.renew(opened.model)
        else:
            self._document.open(opened.model, session)
        self.opened.emit(path)
        self._infer_shapes(opened.model)

    def _infer_shapes(self, model: Model) -> None:
        infer = model.infer_shapes
        if infer is None:
            self._jobs.cancel(SHAPES)
            return
        self._jobs.start(
            SHAPES,
            "Working out missing shapes",
            lambda p: _listed(infer(p)),
            lambda better: self._refine(model, better),
            ignore_failure,
        )

    def _refine(self, model: Model, better: Model) -> None:
        if self._document.model is not model or not same_form(model.graph, better.graph):
            return
        self._drawings.hand_on(model, better)
        self._document.refine(better)


def _read_and_draw(path: Path, form: Form, before: Unfolded | None, progress: Progress) -> _Opened:
    from errorflow.formats import read

    content = read(path, progress)
    if not isinstance(content, Model):
        raise WrongFileError(
            f"{path.name} holds tensors of a run, not a model.", "Open the model file that the tensors belong to."
        )
    return _Opened(_listed(content), _draw(content.graph, form, before, progress), form)


def _listed(model: Model) -> Model:
    """The model, with the order of its list found already."""
    len(rows_of(model.graph).natural)
    return model


def _draw(graph: Graph, form: Form, before: Unfolded | None, progress: Progress) -> Unfolded | None:
    try:
        return first_picture(graph, form, before, progress)
    except ErrorflowError:  # the model can be looked at without a picture; the window tries again and says why
        return None


def file_filter() -> str:
    """The endings of all formats that hold a model; the system's dialogs grow too wide if each has a row of its own."""
    from errorflow.formats import FORMATS

    rows = [row.extensions for row in FORMATS if row.holds == "model"]
    main = " ".join(dict.fromkeys(f"*{endings[0]}" for endings in rows))
    every = " ".join(dict.fromkeys(f"*{ending}" for endings in rows for ending in endings))
    return f"Models ({main} …) ({every});;All files (*)"
