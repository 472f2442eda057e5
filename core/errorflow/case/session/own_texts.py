"""Texts that users wrote and named themselves, which no language may change."""

from collections.abc import Iterator

from errorflow.case.session.model import Session
from errorflow.graph.model import Graph


def own_texts(session: Session) -> Iterator[str]:
    """Notes and names that were given by hand."""
    yield session.note
    yield from session.notes.values()
    yield from (trial.name for trial in session.trials)
    yield from (path.stem for path in (session.model, session.since, session.second) if path is not None)


def names_of(graph: Graph) -> frozenset[str]:
    """Finds the names of nodes and tensors that could be taken for words: no others have spaces."""
    return frozenset(name for names in (graph.node_names, graph.tensor_names) for name in names if " " in name)
