"""Reasons why a search finds nothing, and the nearest thing that it would find."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from errorflow.explain.findings.fields import FIELD_OF, FIELDS, MEASURED, Field, NodeKnowledge
from errorflow.explain.findings.query import Every, Number, Query, TextQuery, WordChoice, leaves
from errorflow.explain.findings.select import matching

# A name before a sign, as of a field.
_FIELD = re.compile(r"([A-Za-z_]\w*)(?::|[<>=]=?|≤|≥)(.+)", re.DOTALL)
# Characters of what was typed that a sentence repeats.
_LONGEST = 60


def why_nothing(known: NodeKnowledge, query: Query) -> str:
    """Explains a query that makes sense and that no node of the graph matches."""
    if isinstance(query, Every):
        for part in query.parts:
            if not matching(known, part).any():
                return why_nothing(known, part)
        return _never_together(known, query.parts)
    match query:
        case Number():
            return f"No node has {_short(str(query))}{_nearest(known, query)}."
        case TextQuery("", text) if (asked := _FIELD.fullmatch(text)) is not None:
            return _no_field(text, asked[1])
        case TextQuery() | WordChoice():
            return f"No node has {_quoted(query)}.{_like(known, query)}"
    return f"No node has {_short(str(query))}."


def names_no_field(query: Query) -> bool:
    """Whether a word of it is written as a field that there is not, such as `foo:bar`."""
    words = (leaf.text for leaf in leaves(query) if isinstance(leaf, TextQuery) and not leaf.field)
    fields = (asked[1] for word in words if (asked := _FIELD.fullmatch(word)) is not None)
    return any(name.lower() not in FIELD_OF for name in fields)


def nearest_field(name: str, fields: Sequence[Field] = FIELDS) -> str:
    """Proposes the field that may be meant, as a question; "": nothing is like it."""
    names = {other: field for field in fields for other in (field.name, *field.others)}
    found = get_close_matches(name.lower(), names, 1, 0.5)
    return f" Did you mean {names[found[0]].example}?" if found else ""


def _no_field(text: str, name: str) -> str:
    field = FIELD_OF.get(name.lower())
    if field is not None:
        return f"No node has {_short(text)}. {field.name} is asked for as in {field.example}."
    known = ", ".join(each.name for each in FIELDS if each.name != "depth" and each.name not in MEASURED)
    meant = nearest_field(name)
    list_of = "" if meant else f" Known are {known}, and metrics such as {', '.join(list(MEASURED)[:3])}."
    return f"Nothing is called “{_short(text)}”, and “{_short(name)}” is no field.{meant}{list_of}"


def _quoted(leaf: TextQuery | WordChoice) -> str:
    if isinstance(leaf, TextQuery) and not leaf.field:
        return f"“{_short(leaf.text)}” in its name, its type or its tensors"
    return _short(str(leaf))


def _like(known: NodeKnowledge, leaf: TextQuery | WordChoice) -> str:
    """A type or a name that is written alike."""
    if not isinstance(leaf, TextQuery) or leaf.field not in ("", "type"):
        return ""
    types = {value.lower(): value for value in known.texts.graph.op_types.values}
    found = get_close_matches(leaf.text.lower(), types, 1)
    return f" Did you mean type:{types[found[0]]}?" if found else ""


def _never_together(known: NodeKnowledge, parts: Sequence[Query]) -> str:
    counts = [(str(part), int(np.count_nonzero(matching(known, part)))) for part in parts]
    told = ", ".join(f"{_short(text)} finds {count:,}" for text, count in counts)
    return f"No node has all of it: {told}."


def _nearest(known: NodeKnowledge, asked: Number) -> str:
    """The value that comes nearest, and what that is."""
    field = FIELD_OF[asked.field]
    assert field.numbers is not None, "a field of numbers"
    values = field.numbers(known)
    # What is infinite may stand for what is no number.
    finite = values[np.isfinite(values)]
    whole = len(finite) == np.count_nonzero(~np.isnan(values))
    values = finite
    if not len(values):
        return f": {field.name} is a number at none"
    if values.max() < asked.low:
        value, word = float(values.max()), "highest"
    elif values.min() > asked.high:
        value, word = float(values.min()), "lowest"
    else:
        below, above = values[values < asked.low].max(), values[values > asked.high].min()
        return f"; the nearest are {_text(field, float(below))} and {_text(field, float(above))}"
    if field.name in MEASURED:
        word = "best" if MEASURED[field.name].higher_is_better == (word == "highest") else "worst"
    if not whole and word != "best":
        word = "nearest"
    return f"; the {word} is {_text(field, value)}"


def _text(field: Field, value: float) -> str:
    if field.name in MEASURED:
        return MEASURED[field.name].text(value)
    return f"{value:.4g}".replace("-", "−")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
