"""Keeps what users named and wrote out of the translator's hands."""

from collections.abc import Collection
from typing import Protocol

from PySide6.QtCore import QObject, SignalInstance

from errorflow.graph.model import Graph
from errorflow.language import keep
from errorflow.session.model import Session
from errorflow.session.own_texts import names_of, own_texts


class Told(Protocol):
    """A document, as far as texts of the user's own are in it."""

    changed: SignalInstance

    @property
    def graph(self) -> Graph | None: ...

    @property
    def session(self) -> Session: ...


class OwnTexts(QObject):
    """Follows a document: its notes, trials and names."""

    def __init__(self, document: Told, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._graph: Graph | None = None
        self._names: frozenset[str] = frozenset()
        document.changed.connect(self._on_changed)

    def _on_changed(self, fields: Collection[str]) -> None:
        if not {"model", "place", "session"} & set(fields):
            return
        graph = self._document.graph
        if graph is not self._graph:
            self._graph, self._names = graph, frozenset() if graph is None else names_of(graph)
        keep((*own_texts(self._document.session), *self._names))
