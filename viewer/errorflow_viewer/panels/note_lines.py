"""Lines on what was written on the session and on a node, as sections of a page, with a link to where it is written."""

from errorflow_viewer.document.document import Document
from errorflow_viewer.panels.sections import Line, Section, link, plain

# The scheme of links that lead to the notes, and to which of both fields.
NOTES = "notes"
SESSION, NODE = "session", "node"


def session_note(document: Document) -> Section:
    text = document.session.note
    lines = tuple(Line("", plain(line)) for line in text.splitlines() if line.strip())
    edit = link(f"{NOTES}:{SESSION}", "Edit" if text else "Write a note")
    return Section("Note on this session", (*lines, Line("", edit)))


def node_note(document: Document, node: int) -> Section:
    """Empty where nothing was written."""
    graph = document.graph
    text = "" if graph is None else document.session.notes.get(graph.node_names[node], "")
    lines = tuple(Line("", plain(line)) for line in text.splitlines() if line.strip())
    return Section("Note", (*lines, Line("", link(f"{NOTES}:{NODE}", "Edit"))) if lines else ())
