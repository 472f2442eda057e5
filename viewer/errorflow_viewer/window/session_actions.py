"""The commands on the session, rows of the table of commands."""

from functools import partial
from pathlib import Path

from errorflow_viewer.commands.api import Action, Entry, has_model
from errorflow_viewer.window.desk import WholeDesk


def unsaved_entries(desk: WholeDesk) -> tuple[Entry[WholeDesk], ...]:
    """Lists what was not saved before another model took its place, or before a sudden end."""
    return tuple(
        Entry(draft.text, partial(_open_unsaved, draft.path), draft.tip) for draft in desk.session_files.unsaved()
    )


def _open_unsaved(path: Path, desk: WholeDesk) -> None:
    desk.session_files.open_unsaved(path)


def _undo_text(desk: WholeDesk) -> str:
    text = desk.document.undo_text
    return f"&Undo: {text}" if text else "&Undo"


def _redo_text(desk: WholeDesk) -> str:
    text = desk.document.redo_text
    return f"&Redo: {text}" if text else "&Redo"


def _undo(desk: WholeDesk) -> None:
    """Undoes a step; what was said of it holds no longer."""
    text = desk.document.undo_text
    desk.document.undo()
    desk.say(f"Undone: {text}")


def _redo(desk: WholeDesk) -> None:
    text = desk.document.redo_text
    desk.document.redo()
    desk.say(f"Done again: {text}")


def _open_menu(desk: WholeDesk) -> None:
    desk.commands.open_palette("Open ")


SAVING: tuple[Action[WholeDesk], ...] = (
    Action(
        "session.save",
        "Sa&ve session",
        "File/session",
        lambda d: d.session_files.save(),
        "save",
        ("Ctrl+S",),
        "Save what is open and what you decided, with the ways to all files",
        has_model,
    ),
    Action(
        "session.save_as",
        "Save sess&ion as…",
        "File/session",
        lambda d: d.session_files.save_as(),
        shortcuts=("Ctrl+Alt+S",),
        tip="Save the session as another file",
        enabled=has_model,
    ),
)
LOOKING: tuple[Action[WholeDesk], ...] = (
    Action(
        "session.look",
        "Loo&k for the files…",
        "File/session",
        lambda d: d.session_files.look_for_files(),
        tip="Say where the files are that a ticket bundle was made of: it opens as a session that can be run",
        enabled=lambda d: d.document.session.bundle is not None,
        also_called="bundle missing moved",
    ),
    Action("session.unsaved", "&Unsaved sessions", "File/session", _open_menu, "unsaved", entries=unsaved_entries),
)

EDITING: tuple[Action[WholeDesk], ...] = (
    Action(
        "undo",
        "&Undo",
        "Edit/undo",
        _undo,
        "undo",
        ("Ctrl+Z",),
        "Take back the last thing you decided",
        lambda d: bool(d.document.undo_text),
        named=_undo_text,
    ),
    Action(
        "redo",
        "&Redo",
        "Edit/undo",
        _redo,
        "redo",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "Do again what was taken back",
        lambda d: bool(d.document.redo_text),
        named=_redo_text,
    ),
)


# The commands that go back and forward, rows of the table of commands.

GOING: tuple[Action[WholeDesk], ...] = (
    Action(
        "back",
        "&Back",
        "Go/history",
        lambda d: d.document.step_back(),
        "back",
        ("Alt+Left",),
        "Back to where you were",
        lambda d: bool(d.document.state.back),
        toolbar=4,
        reads=("back",),
    ),
    Action(
        "forward",
        "&Forward",
        "Go/history",
        lambda d: d.document.step_forward(),
        "forward",
        ("Alt+Right",),
        "Forward again",
        lambda d: bool(d.document.state.forward),
        toolbar=5,
        reads=("forward",),
    ),
)


# The commands that leave models, rows of the table of commands.

LEAVING: tuple[Action[WholeDesk], ...] = (
    Action(
        "reload",
        "Re&load",
        "File/model",
        lambda d: d.reload(),
        "reload",
        ("F5", "Ctrl+R"),
        "Read the file again",
        has_model,
    ),
    Action(
        "close", "&Close", "File/model", lambda d: d.close_model(), "close", ("Ctrl+W",), "Close the model", has_model
    ),
    Action(
        "cancel",
        "Cancel &what is running",
        "File/model",
        lambda d: d.cancel(),
        shortcuts=("Esc",),
        tip="Stop opening or drawing",
        enabled=lambda d: bool(d.jobs.steps),
    ),
)
