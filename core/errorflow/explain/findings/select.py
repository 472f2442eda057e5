"""Selection of nodes and tensors by a query."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.explain.findings.fields import FIELD_OF, NodeKnowledge
from errorflow.explain.findings.parse import parse
from errorflow.explain.findings.query import Either, Every, Not, Number, Query, TextQuery, WordChoice, leaves
from errorflow.explain.findings.texts import Bools, Texts

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings

# Fields whose words may stand in the name of a tensor that no node makes.
_OF_TENSORS = ("", "name", "tensor")


def select(findings: "Findings", query: str, notes: Mapping[str, str] | None = None) -> Ints:
    """The nodes that match, in file order; raises a `QueryError` with what is wrong."""
    known = NodeKnowledge(Texts(findings.graph), findings, notes)
    parsed = parse(query)
    if asks_for_attributes(parsed):
        known.texts.attributes = known.texts.read_attributes()
    return np.flatnonzero(matching(known, parsed)).astype(np.int32)


def matching(known: NodeKnowledge, query: Query) -> Bools:
    """Marks the nodes that match; raises a `QueryError` where the answer is not known yet."""
    return _folded(query, lambda leaf: _leaf(known, leaf), len(known.texts.graph))


def matching_tensors(texts: Texts, query: Query) -> Bools:
    """Marks the tensors whose names match; a query about nodes finds none."""
    count = len(texts.graph.tensor_names)
    asked = leaves(query)
    if not asked or not all(isinstance(leaf, TextQuery) and leaf.field in _OF_TENSORS for leaf in asked):
        return np.zeros(count, bool)
    return _folded(
        query, lambda leaf: texts.tensors.containing(leaf.text) if isinstance(leaf, TextQuery) else _none(count), count
    )


def asks_for_attributes(query: Query) -> bool:
    return any(isinstance(leaf, TextQuery) and leaf.field == "attr" for leaf in leaves(query))


def asks_for_findings(query: Query) -> bool:
    """Whether what is found may change with what was compared, or what the user wrote."""
    return any(leaf.field in ("dtype", "note", "noted") or _needs(leaf.field) for leaf in leaves(query))


def _needs(field: str) -> bool:
    return bool(field) and FIELD_OF[field].of_findings


def _folded(query: Query, ask: Callable[[TextQuery | WordChoice | Number], Bools], count: int) -> Bools:
    match query:
        case Not(part):
            return ~_folded(part, ask, count)
        case Every(parts):
            found = np.ones(count, bool)
            for part in parts:
                found &= _folded(part, ask, count)
            return found
        case Either(parts):
            found = _none(count)
            for part in parts:
                found |= _folded(part, ask, count)
            return found
        case _:
            return ask(query)


def _none(count: int) -> Bools:
    return np.zeros(count, bool)


def _leaf(known: NodeKnowledge, leaf: TextQuery | WordChoice | Number) -> Bools:
    if isinstance(leaf, TextQuery):
        texts = FIELD_OF[leaf.field].texts if leaf.field else None
        return known.texts.anything(leaf.text, known.tensors) if texts is None else texts(known, leaf.text, leaf.exact)
    if isinstance(leaf, Number):
        return _within(known, leaf)
    return _chosen(known, leaf)


def _within(known: NodeKnowledge, leaf: Number) -> Bools:
    numbers = FIELD_OF[leaf.field].numbers
    assert numbers is not None, "a field of numbers"
    values = numbers(known)
    return (values >= leaf.low) & (values <= leaf.high)


def _chosen(known: NodeKnowledge, leaf: WordChoice) -> Bools:
    field = FIELD_OF[leaf.field]
    found = _none(len(known.texts.graph))
    for place, word in enumerate(field.words):
        if not any(word.startswith(begun) for begun in leaf.words):
            continue
        if field.switch is not None:
            on = field.switch(known)
            found |= on if place == 0 else ~on
        elif field.choices is not None:
            found |= field.choices(known, place)
    return found
