"""Notes that the user writes on a session and on nodes; an empty text takes a note away."""

import os
from dataclasses import replace
from difflib import get_close_matches

from errorflow.base.codec import MOST_LETTERS
from errorflow.base.errors import UsageError
from errorflow.case.session.model import Session


def kept(text: str) -> str:
    """Cuts a text to what a session that is read again keeps; "": nothing was written."""
    return text[:MOST_LETTERS] if text.strip() else ""


def with_note(session: Session, text: str) -> Session:
    """Copies the session with another note on all of it."""
    _check(text)
    return replace(session, note=kept(text))


def with_note_on(session: Session, node: str, text: str) -> Session:
    """Copies the session with another note on a node, which the model must have if it is there."""
    _check(text)
    others = {name: note for name, note in session.notes.items() if name != node}
    if not text.strip():
        return replace(session, notes=others)
    _check_name(session, node)
    return replace(session, notes={**others, node: text})


def _check(text: str) -> None:
    if len(text) > MOST_LETTERS:
        raise UsageError(
            f"A note has at most {MOST_LETTERS:,} letters.", "Write what counts, and name a file for the rest."
        )


def _check_name(session: Session, node: str) -> None:
    from errorflow.formats import read_model

    if session.model is None or not os.path.exists(session.model):  # noqa: PTH110 - never raises
        return
    names = read_model(session.model).graph.node_names
    if node in names:
        return
    like = get_close_matches(node, [name for name in names if name], 1)
    hint = f"Did you mean {like[0]}?" if like else "`errorflow inspect MODEL --nodes` lists them."
    raise UsageError(f"{session.model.name} has no node {node}.", hint)
