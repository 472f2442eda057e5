"""Opens a model in the background; the one on view stays until the new one is ready."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from errorflow.base import ErrorflowError, Progress, WrongFileError, dataclass, one_line, replace
from errorflow.case.session.model import Session, Sights
from errorflow.graph.model import Graph, Model
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.document.opening_jobs import OPEN, take_back
from errorflow_viewer.document.thumbnails import written_at
from errorflow_viewer.document.viewpoint import form_of, pictures_of
from errorflow_viewer.kit.drawings import Drawings, Form, Unfolded, same_form
from errorflow_viewer.kit.jobs import Jobs

SHAPES = "shapes"
# What tables of results end in; which of these files is one, its content tells.
TABLES = (".csv", ".json", ".txt", ".log", ".db")
# Whole cases: a session, a ticket.
CASES = "*.errorflow *.zip"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Form in which a model is to be drawn."""

    form: Form
    # That of the window when it was asked for.
    now: Form
    # How the same model is drawn until then.
    before: Unfolded | None = None
    # What was seen of it at another time.
    sights: Sights | None = None
    # It is what is on view already, read or made anew.
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class _Opened:
    model: Model
    pictures: Mapping[Graph, Unfolded]


class WithheldError(ErrorflowError):
    """Error of a file that is not opened unless the user says so once more."""


class Opening(QObject):
    """Reads a file and draws it, then hands both over at once.

    `read`: when the file that is on view had been written when it was read.
    """

    began = Signal(object)  # Path
    opened = Signal(object)  # Path
    replaced = Signal()  # something else is on view now, or the same from its beginning
    failed = Signal(object, object)  # Path, ErrorflowError
    withheld = Signal(object, object, object)  # Path, WithheldError, a call that opens it all the same

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        drawings: Drawings,
        form_for: Callable[[Path], Form],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._form_for = form_for
        # Raises a `WithheldError` for what is to be asked about first.
        self.guard: Callable[[Path], None] = lambda _: None
        self.read: Mapping[Path, int] = {}
        # The same of what is being opened.
        self._coming: Mapping[Path, int] = {}
        self._document = document
        self._jobs = jobs
        self._drawings = drawings

    def open(self, path: Path, keep_place: bool = False, session: Session | None = None) -> None:
        """Starts to open a file. `keep_place`: the file is on view already and is only read again; `session`: what was
        decided about it at another time."""
        take_back(self._jobs)
        self.began.emit(path)
        wanted = self._again() if keep_place else self._wanted(path, session)
        wanted = replace(wanted, goes_on=keep_place or session is self._document.session)
        self._jobs.start(
            OPEN,
            f"Opening {one_line(path.name)}",
            lambda progress: _opened(self._read(path, keep_place, progress), wanted, progress),
            lambda opened: self._take(path, path, opened, wanted, keep_place, session),
            lambda error: self.tell(path, error, partial(self.open, path, session=session)),
        )

    def show(self, model: Model, session: Session) -> None:
        """The same for a model that was made and lies in no file. Where it has the nodes on view and some more, or
        some less, the place stays, and what can be undone."""
        origin = model.path if session.bundle is None else session.bundle
        take_back(self._jobs)
        self.began.emit(origin)
        keeps = session == self._document.session and _goes_on(self._document.model, model)
        wanted = self._again() if keeps else self._wanted(model.path, session)
        wanted = replace(wanted, goes_on=session is self._document.session)
        self._jobs.start(
            OPEN,
            f"Drawing {one_line(model.path.name)}",
            lambda progress: _opened(self._guarded(origin, model), wanted, progress),
            lambda opened: self._take(model.path, origin, opened, wanted, keeps, session),
            lambda error: self.tell(origin, error, partial(self.show, model, session)),
        )

    def tell(self, path: Path, error: ErrorflowError, again: Callable[[], None]) -> None:
        """Tells that it was not opened; `again` opens it all the same if it was only withheld."""
        if isinstance(error, WithheldError):
            self.withheld.emit(path, error, again)
        else:
            self.failed.emit(path, error)

    def _read(self, path: Path, known: bool, progress: Progress) -> Model:
        """`known`: it is on view already."""
        if known:
            self._note(path)
        else:
            self.check(path)
        return _read(path, progress)

    def check(self, path: Path) -> None:
        """Checks a file before it is read; in the background, as it looks at the file."""
        self.guard(path)
        self._note(path)

    def _note(self, path: Path) -> None:
        self._coming = written_at((path,))

    def _guarded(self, origin: Path, model: Model) -> Model:
        self.guard(origin)
        return model

    def _again(self) -> _Wanted:
        """Makes a wish to draw as now."""
        model, form = self._document.model, self._drawings.form
        return _Wanted(form, form, None if model is None else self._drawings.get(model.graph))

    def _wanted(self, path: Path, session: Session | None) -> _Wanted:
        now = self._drawings.form
        form = replace(self._form_for(path), width=now.width, height=now.height)
        if session is None:
            return _Wanted(form, now)
        return _Wanted(form_of(session.sights, form), now, sights=session.sights)

    def stop(self) -> None:
        """Stops: nothing more is opened."""
        take_back(self._jobs)

    def _take(
        self, path: Path, origin: Path, opened: _Opened, wanted: _Wanted, keep_place: bool, session: Session | None
    ) -> None:
        """`origin`: the file that it came in."""
        now = self._drawings.form
        self.read = self._coming if origin in self._coming else self.read
        # The user may have switched something meanwhile; how the old model was laid out is no matter to another one.
        as_asked = (now if keep_place else replace(now, view=wanted.now.view)) == wanted.now
        self._drawings.keep(set())
        if not keep_place:
            form = wanted.form if as_asked else replace(now, view=wanted.form.view)
            self._drawings.form = replace(form, width=now.width, height=now.height)
        for graph, picture in opened.pictures.items() if as_asked else ():
            self._drawings.put(graph, picture)
        if keep_place:
            self._document.renew(opened.model)
        else:
            self._document.open(opened.model, session)
        self.opened.emit(path)
        if not wanted.goes_on:
            self.replaced.emit()


def missing_shapes(name: str, document: Document, drawings: Callable[[], Drawings | None]) -> Derived[Model, Model]:
    """A row: the model of a document with the shapes that its file leaves out, drawn as before."""

    def wished(_: object) -> Model | None:
        model = document.model
        return None if model is None or model.infer_shapes is None else model

    def better(model: Model, progress: Progress, _: object) -> Model:
        return model if model.infer_shapes is None else _listed(model.infer_shapes(progress))

    def keep(_: Document, model: Model, found: Model) -> None:
        if same_form(model.graph, found.graph):
            known = drawings()
            if known is not None:
                known.hand_on(model, found)
            document.refine(found)

    text = "Working out missing shapes"
    return Derived(name=name, text=text, reads=(), wish=wished, work=better, keep=keep, reports="log")


def _goes_on(before: Model | None, after: Model) -> bool:
    """Whether all nodes of one have the same numbers in the other."""
    if before is None:
        return False
    one, other = before.graph, after.graph
    nodes, tensors = min(len(one), len(other)), min(len(one.tensor_names), len(other.tensor_names))
    same_nodes = one.node_names[:nodes] == other.node_names[:nodes]
    return same_nodes and one.tensor_names[:tensors] == other.tensor_names[:tensors]


def _read(path: Path, progress: Progress) -> Model:
    from errorflow.formats import read

    content = read(path, progress)
    if not isinstance(content, Model):
        raise WrongFileError(
            f"{path.name} holds tensors of a run, not a model.", "Open the model file that the tensors belong to."
        )
    return content


def _opened(model: Model, wanted: _Wanted, progress: Progress) -> _Opened:
    return _Opened(_listed(model), pictures_of(model, wanted.form, wanted.sights, wanted.before, progress))


def _listed(model: Model) -> Model:
    """The model, with the order of its list found already."""
    len(rows_of(model.graph).natural)
    return model


def file_filter() -> str:
    """The endings of all formats that hold a model; the system's dialogs grow too wide if each has a row of its own."""
    main, every = _model_endings()
    return f"Models ({main} …) ({every});;All files (*)"


def file_filter_of_all(results: bool) -> str:
    """Writes the filter of all that can be opened, and each kind alone. `results`: there is a model that they may be
    about.
    """
    main, models = _model_endings()
    tables = " ".join(f"*{ending}" for ending in TABLES)
    every = f"{models} {CASES} {tables}" if results else f"{models} {CASES}"
    cases = f"Sessions and ticket bundles ({CASES})"
    rows = [f"All that can be opened ({main} *.errorflow …) ({every})", f"Models ({main} …) ({models})", cases]
    if results:
        rows.insert(2, f"Result tables ({TABLES[0][1:].upper()} …) ({tables})")
    return ";;".join([*rows, "All files (*)"])


def _model_endings() -> tuple[str, str]:
    """The first of each format, and all of them."""
    from errorflow.formats import FORMATS

    rows = [row.extensions for row in FORMATS if row.holds == "model"]
    main = " ".join(dict.fromkeys(f"*{endings[0]}" for endings in rows))
    return main, " ".join(dict.fromkeys(f"*{ending}" for endings in rows for ending in endings))
