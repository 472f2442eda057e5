"""The second graph: another form of the model on view, and how the nodes of both belong together."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from PySide6.QtCore import QObject, Signal

from errorflow.base import ErrorflowError, Progress, WrongFileError, one_line
from errorflow.base.arrays import Ints
from errorflow.base.files import is_file
from errorflow.base.sample import other_of
from errorflow.case.session.model import Session, Sights
from errorflow.compare.match.model import Match
from errorflow.explain.difference.model import Links, Side
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph, Model
from errorflow_viewer.document.derived import Derived, Deriving
from errorflow_viewer.document.derived_table import listed, looked
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.opening import missing_shapes
from errorflow_viewer.document.state import State
from errorflow_viewer.document.viewpoint import form_of, pictures_of, place_of, spot_of
from errorflow_viewer.kit.drawings import Drawings, Form, Unfolded, same_form
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.jobs import Jobs

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.explain.difference.table import Differences

    _Linked = tuple[Graph, Graph, Side | None, Match | None]
    _Found = tuple[Graph, "Case", Side]

OPEN, SHAPES, LINK, FINDINGS = "second.open", "second.shapes", "second.link", "second.findings"
THERE = "second.there"
# Needs of a comparison that are models, each with the side that it is on.
_REFERENCES, _CANDIDATES = ("original", "closed_fusion"), ("quantized", "fusion")
Which = Literal["main", "second"]


class Second(QObject):
    """Holds a document of its own, in which the second graph is looked at, and the links between both graphs."""

    changed = Signal(object)  # Collection[str]: "model", "links", "proposed"
    failed = Signal(object)  # ErrorflowError

    def __init__(self, main: Document, jobs: Jobs, derived: Deriving, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = Document(self)
        # Its pictures, as long as somebody shows them.
        self.drawings: Drawings | None = None
        # It is seen as it was at another time, and nobody has touched it since.
        self.returned = False
        self.links: Links | None = None
        self.differences: Differences | None = None
        # The side that the second graph is on.
        self.side: Side = "candidate"
        self._main = main
        self._jobs = jobs
        self._derived = derived
        self._asked: Path | None = None
        # What was seen of it at another time, when it was returned to: once is enough.
        self._used: Sights | None = None
        # What was seen of it when it was hidden, with the files of both graphs.
        self._left: tuple[Path, Path, Sights] | None = None
        # A file, and whether it is there; None: that is not asked, or the drive has not answered.
        self._there: tuple[Path, bool] | None = None
        # The graph that came along in a ticket bundle, which lies in no file.
        self.brought: Callable[[], Model | None] = _none
        follow(self, main.changed, self._on_main, ("model", "session.painting", "search"))
        self.document.changed.connect(self._on_second)
        derived.add(*self._rows())

    # What there is

    @property
    def model(self) -> Model | None:
        return self.document.model

    @property
    def opening(self) -> bool:
        return self._jobs.running(OPEN)

    @property
    def linked(self) -> bool:
        """Whether both graphs on view are those that were linked: subgraphs are not."""
        links, main, second = self.links, self._main.graph, self.document.graph
        if links is None or main is None or second is None:
            return False
        ours, others = (links.reference, links.candidate) if self.side == "candidate" else _turned(links)
        return same_form(ours, main) and same_form(others, second)

    @property
    def proposed(self) -> Path | None:
        """File that the second graph is in, as far as it is named."""
        model, session, brought = self._main.model, self._main.session, self.brought()
        if brought is not None and (session.second in (None, brought.path) or not self._is_there(session.second, True)):
            return brought.path
        if session.second is not None or model is None:
            return session.second
        known = self._other_of_setup(model)
        if session.bundle is not None and known is not None and not self._is_there(known, False):
            return None  # it did not come along
        return other_of(model.path) if known is None else known

    def _other_of_setup(self, model: Model) -> Path | None:
        """The other model that is compared."""
        session = self._main.session
        files = {} if session.setup is None else session.setup.files
        mine = next((key for key, path in files.items() if path == model.path), "")
        order = (*_CANDIDATES, *_REFERENCES) if mine in _REFERENCES else (*_REFERENCES, *_CANDIDATES)
        return next((files[key] for key in order if key in files and files[key] != model.path), None)

    def _is_there(self, path: Path | None, unknown: bool) -> bool:
        """`unknown`: as long as the disk has not answered."""
        return unknown if self._there is None or self._there[0] != path else self._there[1]

    def _there_row(self) -> Derived[tuple[Model, Path], tuple[Path, bool]]:
        """Whether the file is there that the second graph may be in: a drive may not answer."""

        def wished(state: State) -> tuple[Model, Path] | None:
            model, session, brought = state.model, state.session, self.brought()
            if model is None or (brought is None and session.bundle is None):
                return None
            path = self._other_of_setup(model) if session.second is None else session.second
            return None if path is None else (model, path)

        def look(wish: tuple[Model, Path]) -> tuple[Path, bool]:
            return wish[1], is_file(wish[1])

        def keep(found: tuple[Path, bool]) -> None:
            before, self._there = self.proposed, found
            if before != self.proposed:
                self.changed.emit({"proposed"})

        def drop() -> None:
            self._there = None

        reads = "session.second", "session.setup", "session.bundle"
        row = listed(THERE, "Looking for the second model", reads, wished, look, keep, drop)
        return replace(row, stays=False)

    @property
    def has_both(self) -> bool:
        """Whether the comparison is about the model on view and another one."""
        model = self._main.model
        models = models_of(self._main.session)
        return model is not None and model.path in models and len(models) > 1

    @property
    def _given_side(self) -> "Side | None":
        """Side of the second graph, where the comparison says it."""
        second, setup = self.model, self._main.session.setup
        files = {} if setup is None or second is None else setup.files
        here = {key for key, path in files.items() if second is not None and path == second.path}
        return "candidate" if here & set(_CANDIDATES) else "reference" if here & set(_REFERENCES) else None

    def side_of(self, which: Which) -> Side:
        if which == "second":
            return self.side
        return "reference" if self.side == "candidate" else "candidate"

    def partners(self, which: Which, nodes: Ints) -> Ints:
        """The nodes of the other graph that belong to some of one."""
        if self.links is None or not self.linked:
            return np.zeros(0, np.int32)
        return self.links.partners(self.side_of(which), nodes)

    # Opening and closing

    def open(self, path: Path) -> None:
        """Reads the model in the background; the one before stays until then."""
        self._asked = path
        sights, form = self._sights, None if self.drawings is None else self.drawings.form
        brought = self.brought()
        known = brought if brought is not None and brought.path == path else None
        self._jobs.start(
            OPEN,
            f"Opening {one_line(path.name)}",
            lambda progress: _opened(path, known, form, sights, progress),
            lambda opened: self._take(*opened, sights),
            self._on_failed,
        )

    def open_proposed(self) -> None:
        """Shows the model that belongs to the one on view, if it is not there already."""
        path = self.proposed
        here = self._asked if self._jobs.running(OPEN) else None if self.model is None else self.model.path
        if path is not None and path != here:
            self.open(path)

    def close(self) -> None:
        """Forgets all of it."""
        self._jobs.cancel(OPEN)
        self._asked = None
        self.document.close()

    @property
    def _sights(self) -> Sights | None:
        """View of it when the session was saved that has just been opened, or when it was hidden."""
        sights, main = self._main.session.second_sights, self._main.model
        if sights is not None and sights is not self._used:
            return sights
        if self._left is None or main is None or self._left[:2] != (main.path, self._asked):
            return None
        return self._left[2]

    def leave(self, sights: Sights) -> None:
        """Leaves: it is about to be hidden, and shown again it is to look the same."""
        main, model = self._main.model, self.model
        if main is not None and model is not None:
            self._left = main.path, model.path, sights

    def _take(self, model: Model, pictures: Mapping[Graph, Unfolded], sights: Sights | None) -> None:
        self.returned = False
        if self.drawings is not None:
            self.drawings.keep(set())
            for graph, picture in pictures.items():
                self.drawings.put(graph, picture)
        self.document.open(model)
        if sights is not None:
            if sights is self._main.session.second_sights:
                self._used = sights
            self._left = None
            self._return_to(sights, model)
        self._follow_painting()
        self.document.search_for(self._main.state.search)

    def _return_to(self, sights: Sights, model: Model) -> None:
        """Returns as far as it is still there."""
        place = place_of(sights)
        try:
            shown = None if self.drawings is None else self.drawings.get(place.graph(model))
        except IndexError:  # the model has changed
            return
        spot = spot_of(sights, None, shown)
        self.returned = spot.sight is not None
        self.document.begin_at(spot)

    def _on_failed(self, error: ErrorflowError) -> None:
        self.failed.emit(error)

    # Following the main graph

    def _rows(self) -> Iterator[Derived[Any, Any]]:
        fail, reads = self._on_failed, ("case",)
        links = looked(LINK, "Linking both graphs", self._to_link, _linked, self._take_links, fail, reads)
        take, find = self.document.take_findings, lambda wish, _: _found(*wish)
        findings = looked(FINDINGS, "Finding the tensors", self._to_find, find, take, fail, reads)
        yield self._there_row()
        yield missing_shapes(SHAPES, self.document, lambda: self.drawings)
        yield replace(links, drop=lambda _: self._forget_links())
        yield replace(findings, drop=lambda _: take(None), shown=False)

    def _on_main(self, fields: Collection[str]) -> None:
        model = self._main.model
        if "model" in fields and model is not None and self.links is not None:
            mine = self.links.reference if self.side == "candidate" else self.links.candidate
            if not same_form(mine, model.graph):  # else they still hold until there are better ones
                self._forget_links()
        if "session.painting" in fields:
            self._follow_painting()
        if "search" in fields:
            self.document.search_for(self._main.state.search)

    def _on_second(self, fields: Collection[str]) -> None:
        if "model" in fields:
            for name in (SHAPES, LINK, FINDINGS):
                self._derived.follow(name)
            self.changed.emit({"model"})

    def _follow_painting(self) -> None:
        if self.model is not None:
            session = replace(self.document.session, painting=self._main.session.painting)
            self.document.take_session(session)

    def _to_link(self, state: State) -> "_Linked | None":
        main, second, compared = state.model, self.model, state.case
        if main is None or second is None:
            return None
        match = None if compared is None or not compared.complete else compared.match
        return main.graph, second.graph, self._given_side, match

    def _take_links(self, found: "tuple[Differences, Side]") -> None:
        self.differences, self.side = found
        self.links = self.differences.links
        self._derived.follow(FINDINGS)
        self.changed.emit({"links"})

    def _forget_links(self) -> None:
        if self.links is not None:
            self.links = self.differences = None
            self.changed.emit({"links"})

    def _to_find(self, state: State) -> "_Found | None":
        graph, compared = self.document.graph, state.case
        return None if graph is None or compared is None else (graph, compared, self.side)


def models_of(session: Session) -> set[Path]:
    """The models that the comparison of a session is about."""
    if session.bundle is not None:  # which brings one graph
        return set()
    files = {} if session.setup is None else session.setup.files
    return {files[key] for key in (*_CANDIDATES, *_REFERENCES) if key in files}


def _none() -> Model | None:
    return None


def _turned(links: Links) -> tuple[Graph, Graph]:
    return links.candidate, links.reference


def _read(path: Path, progress: Progress) -> Model:
    from errorflow.formats import read

    content = read(path, progress)
    if not isinstance(content, Model):
        raise WrongFileError(f"{path.name} holds tensors of a run, not a model.", "Choose the model that they are of.")
    return content


def _opened(
    path: Path, known: Model | None, form: Form | None, sights: Sights | None, progress: Progress
) -> tuple[Model, Mapping[Graph, Unfolded]]:
    """The model and, if it was seen at another time, its pictures of then: others are made when there is room.

    `known`: what came along stands for it where the file is gone.
    """
    model = _read(path, progress) if known is None or is_file(path) else known
    if form is None or sights is None:
        return model, {}
    return model, pictures_of(model, form_of(sights, form), sights, progress=progress)


def _linked(wish: "_Linked", progress: Progress) -> "tuple[Differences, Side]":
    """Finds what both differ in, and the side that the second is on. `side`: it was stated."""
    from errorflow.explain.difference.link import is_candidate, link
    from errorflow.explain.difference.table import differences

    main, second, side, match = wish
    guess: Side = "reference" if is_candidate(main, second) else "candidate"
    known = guess if side is None else side
    ours, others = (main, second) if known == "candidate" else (second, main)
    return differences(link(ours, others, match, progress), progress), known


def _found(graph: Graph, compared: "Case", side: Side) -> Findings:
    findings = Findings.of(graph, compared.comparison, side=side)
    for scale in findings.scales[:1]:
        findings.worst(scale)
    len(findings.node_states)
    return findings
