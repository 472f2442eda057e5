"""Opens a model in the background; the one on view stays until the new one is ready."""

from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from errorflow.errors import ErrorflowError, WrongFileError
from errorflow.graph.model import Graph, Model
from errorflow.layout.drawing import Drawing
from errorflow.progress import Progress
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Jobs, ignore_failure

KEY = "open"
SHAPES = "shapes"


@dataclass(frozen=True, slots=True)
class Form:
    """How graphs are drawn: in one long column, or in columns like a newspaper, `aspect` times as wide as high."""

    columns: bool
    aspect: float = 1.4


@dataclass(frozen=True, slots=True)
class _Opened:
    model: Model
    drawing: Drawing | None
    form: Form


class Drawings:
    """The drawings of one form that are made already, as long as their graphs live."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._made: WeakKeyDictionary[Graph, Drawing] = WeakKeyDictionary()

    @property
    def form(self) -> Form:
        return self._form

    @form.setter
    def form(self, form: Form) -> None:
        if form != self._form:
            self._form = form
            self._made.clear()

    def get(self, graph: Graph) -> Drawing | None:
        return self._made.get(graph)

    def put(self, graph: Graph, drawing: Drawing, form: Form) -> None:
        """Keeps a drawing; one that was begun before the form changed is too late."""
        if form == self._form:
            self._made[graph] = drawing

    def hand_on(self, old: Model, new: Model) -> None:
        """The same model with more known about it is drawn as before."""
        for before, after in zip(old.graphs(), new.graphs(), strict=False):
            made = self._made.get(before)
            if made is not None and same_form(before, after):
                self._made[after] = made


def same_form(one: Graph, other: Graph) -> bool:
    """Whether numbers of nodes and tensors mean the same in both."""
    return one.node_names == other.node_names and one.tensor_names == other.tensor_names


class Opening(QObject):
    """Reads a file and draws it, then hands both over at once; afterwards it looks for missing shapes."""

    opened = Signal(object)  # Path
    failed = Signal(object, object)  # Path, ErrorflowError

    def __init__(self, document: Document, jobs: Jobs, drawings: Drawings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._drawings = drawings

    def open(self, path: Path, keep_place: bool = False) -> None:
        """Starts to open a file. `keep_place`: the file is on view already and is only read again."""
        form = self._drawings.form
        self._jobs.start(
            KEY,
            f"Opening {path.name}",
            lambda progress: _read_and_draw(path, form, progress),
            lambda opened: self._take(path, opened, keep_place),
            lambda error: self.failed.emit(path, error),
        )

    def _take(self, path: Path, opened: _Opened, keep_place: bool) -> None:
        if opened.drawing is not None:
            self._drawings.put(opened.model.graph, opened.drawing, opened.form)
        if keep_place:
            self._document.renew(opened.model)
        else:
            self._document.open(opened.model)
        self.opened.emit(path)
        self._infer_shapes(opened.model)

    def _infer_shapes(self, model: Model) -> None:
        infer = model.infer_shapes
        if infer is None:
            self._jobs.cancel(SHAPES)
            return
        self._jobs.start(
            SHAPES, "Working out missing shapes", infer, lambda better: self._refine(model, better), ignore_failure
        )

    def _refine(self, model: Model, better: Model) -> None:
        if self._document.model is not model or not same_form(model.graph, better.graph):
            return
        self._drawings.hand_on(model, better)
        self._document.refine(better)


def _read_and_draw(path: Path, form: Form, progress: Progress) -> _Opened:
    from errorflow.formats import read

    content = read(path, progress)
    if not isinstance(content, Model):
        raise WrongFileError(
            f"{path.name} holds tensors of a run, not a model.", "Open the model file that the tensors belong to."
        )
    return _Opened(content, _draw(content.graph, form, progress), form)


def _draw(graph: Graph, form: Form, progress: Progress) -> Drawing | None:
    try:
        return draw(graph, form, progress)
    except ErrorflowError:  # the model can be looked at without a picture; the window tries again and says why
        return None


def draw(graph: Graph, form: Form, progress: Progress) -> Drawing:
    """The picture of one graph."""
    from errorflow.layout.engine import LayoutOptions, layout

    options = LayoutOptions(view="columns" if form.columns else "down", aspect=form.aspect)
    return layout(graph, options, progress)
