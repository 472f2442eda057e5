"""Completion of a query: names of fields and their words."""

import re
from collections.abc import Mapping, Sequence

from errorflow.base.values import dataclass
from errorflow.explain.findings.fields import FIELD_OF, FIELDS, Field

MOST = 10
# So much of a field's name is asked for before it is offered.
LEAST = 2
_WORD = re.compile(r"[^\s()]*\Z")
_SIGN = re.compile(r"[<>:]")


@dataclass(frozen=True, slots=True)
class Offer:
    """`text` takes the place of what was written since `start`."""

    start: int
    text: str
    what: str


def complete(text: str, words: Mapping[str, Sequence[str]], *, findings: bool = True) -> tuple[Offer, ...]:
    """Offers what may be meant at the end of `text`, the likeliest first.

    `words` are those that a field of text is known to find, by its name; without `findings` only what needs none.
    """
    if text.count('"') % 2:
        return ()
    found = _WORD.search(text)
    word = "" if found is None else found[0].lstrip("-")
    start = len(text) - len(word)
    name, colon, value = word.partition(":")
    if colon and name.lower() in FIELD_OF:
        return _words(FIELD_OF[name.lower()], start + len(name) + 1, value, words)
    if len(word) < LEAST:
        return ()
    begun = word.lower()
    fields = [field for field in FIELDS if findings or not field.of_findings]
    named = sorted(
        (field for field in fields if any(name.startswith(begun) for name in (field.name, *field.others))),
        key=lambda field: not field.name.startswith(begun),
    )
    return tuple(Offer(start, _opened(field), field.what) for field in named[:MOST])


def _opened(field: Field) -> str:
    """The name up to where its value begins, as in its example."""
    sign = _SIGN.search(field.example)
    return field.name if sign is None else f"{field.name}{sign[0]}"


def _words(field: Field, start: int, value: str, words: Mapping[str, Sequence[str]]) -> tuple[Offer, ...]:
    before, comma, last = value.rpartition(",")
    if field.kind != "choice":
        before, comma, last = "", "", value
    place = start + len(before) + len(comma)
    known = field.words if field.words else tuple(words.get(field.name, ()))
    begun = last.lower().replace("_", "-")
    shown = [(word.replace(" ", "-"), field.what) for word in known]
    hits = [(word, what) for word, what in shown if word.lower().startswith(begun) and word.lower() != begun]
    return tuple(Offer(place, word, what) for word, what in hits[:MOST])
