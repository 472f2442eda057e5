"""Answers in the form of a bundle, and notes of its session: read without unpacking it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from errorflow.base.errors import ErrorflowError
from errorflow.base.values import dataclass, field
from errorflow.case.session.file import parse_session
from errorflow.report.bundle.archive import pieces_of
from errorflow.report.bundle.form import BLANK, FIELDS
from errorflow.report.bundle.model import SESSION, TICKET

# Of a form, and of a session: more nobody filled in.
_MOST_BYTES = 8 << 20
_POINT = re.compile(r"- \*\*(.+?)\*\*: ?(.*)")
_LABELS = frozenset(field.label for field in FIELDS)
_VERDICT = "## Verdict"


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """Answers by the labels of the form: those that were given. `verdict` is its sentence."""

    answers: Mapping[str, str] = field(default_factory=dict)
    verdict: str = ""
    note: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


def told_in(path: Path) -> GivenAnswers:
    """Empty where the bundle is gone or holds no form: what else is in it can be shown all the same."""
    try:
        text = _member(path, TICKET)
        session = parse_session(_member(path, SESSION).encode(), path.parent, SESSION).session
    except (ErrorflowError, KeyError):
        return GivenAnswers()
    return GivenAnswers(answers_in(text), _verdict(text), session.note, session.notes)


def answers_in(text: str) -> dict[str, str]:
    """Reads answers from the form as it was written; a blank is no answer."""
    found: dict[str, str] = {}
    at = ""
    for line in text.splitlines():
        point = _POINT.fullmatch(line)
        if point is not None and point[1] in _LABELS and point[1] not in found:
            at, found[at] = point[1], point[2]
        elif at and line.startswith("  "):
            found[at] += f"\n{line[2:]}"
        else:
            at = ""
    return {label: answer.strip() for label, answer in found.items() if answer.strip() not in ("", BLANK)}


def told_lines(told: GivenAnswers) -> Iterator[str]:
    """Yields lines for the command line."""
    if told.answers:
        yield "From the form"
        for label, answer in told.answers.items():
            first, *more = answer.splitlines()
            yield f"  {label}: {first}"
            yield from (f"    {line}" for line in more)
    if told.note:
        yield "Note"
        yield from (f"  {line}" for line in told.note.splitlines())
    if told.notes:
        yield "Notes on nodes"
        yield from (f"  {node}: {text}" for node, text in told.notes.items())


def _verdict(text: str) -> str:
    lines = iter(text.splitlines())
    if _VERDICT not in lines:
        return ""
    return next((line for line in lines if line.strip()), "")


def _member(path: Path, name: str) -> str:
    found = bytearray()
    for piece in pieces_of(path, name):
        found += piece
        if len(found) > _MOST_BYTES:
            break
    return found.decode("utf-8", "replace")
