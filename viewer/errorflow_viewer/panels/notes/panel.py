"""The note on the session, a list of all notes on nodes, and the note on the node that is selected."""

from collections.abc import Collection

import numpy as np
from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QTextCursor
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from errorflow.base.language import Verbatim, joined, say
from errorflow.base.values import dataclass
from errorflow.case.session.model import Session
from errorflow.case.session.noting import kept
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.accessible.keyboard import give
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import fill, pages, rule, spaced, text_button
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.lines.rows import LineRows, RowChoice
from errorflow_viewer.panels.lines.table import HEIGHT, Columns, LinePage, LineTable
from errorflow_viewer.panels.note_lines import NODE as ON_NODE


# A field for a note: what is typed is one step of undo, from where one comes to where one leaves.
class NoteEdit(QPlainTextEdit):
    """`name` says what it is on."""

    typed = Signal(str)
    left = Signal()

    def __init__(self, name: str, hint: str, height: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFixedHeight(height)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)  # a dropped file is opened, not typed
        self.document().setDocumentMargin(PADDING)
        self.textChanged.connect(lambda: self.typed.emit(self.toPlainText()))

    def show_text(self, text: str) -> None:
        """Shows what was written; the cursor stays where nothing changed."""
        if self.toPlainText() != text:
            with QSignalBlocker(self):
                self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


WILL_BE = "Notes on the session and on its nodes are written and listed here."
NONE = "No node has a note yet. Select a node and write one below."
NO_NODE = "Select a node to write a note on it."
NAMELESS = "This node has no name that a note could be kept under."
_SESSION_HEIGHT, _NODE_HEIGHT = 112, 72
_NOTED = frozenset(("model", "place", "session.notes", "session.note"))


class NotesPanel(QWidget):
    """Panel of notes; everything typed here is kept in the session at once."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._node = ""
        self._syncing = False
        self.session = NoteEdit(
            "Note on this session", "What this case is about, kept with the session", _SESSION_HEIGHT
        )
        self.node = NoteEdit("Note on the selected node", "What you know about this node", _NODE_HEIGHT)
        self.about = QLabel()
        self.about.setTextFormat(Qt.TextFormat.PlainText)  # a name of a node is in it
        self.table: LineTable[NoteRows, NodeNote] = LineTable(COLUMNS, self)
        self.page = LinePage(self.table, CHOICES, "notes", "Filter notes")
        self.page.choice.hide()
        self.view = self.page.view
        offer_table(desk, self.view, "notes")
        self.remove = text_button("Remove", self._remove, "Remove the note that is selected in the list")
        self.remove.setFixedHeight(HEIGHT)
        self.page.add_to_head(self.remove)
        self.none = Empty(NONE)
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self._lay_out()
        self.session.typed.connect(self._keep_session)
        self.node.typed.connect(self._keep_node)
        for edit in (self.session, self.node):
            edit.left.connect(self._document.end_merging)
        self.page.narrowed.connect(self._on_narrowed)
        self.view.asked_again.connect(self._on_row)
        self.view.asked_again.connect(self._offer_to_remove)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.view.selectionModel().currentRowChanged.connect(self._offer_to_remove)
        self.view.activated.connect(lambda _: desk.focus_graph())
        follow(self, self._document.changed, self._on_changed, (*_NOTED, "node"))
        self._show_all()

    def _lay_out(self) -> None:
        heading = QLabel("Note on this session")
        self.listed = QLabel("Notes on nodes")
        for label in (heading, self.listed, self.about):
            label.setProperty("role", "label")
            label.setContentsMargins(PADDING, GRID, PADDING, GRID)
        self.list = pages(self.page, self.none)
        self.content = QWidget()
        box = spaced(QVBoxLayout(self.content))
        parts = (heading, self.session, rule(), self.listed, self.list, rule(), self.about, self.node)
        for part in parts:
            box.addWidget(part, 1 if part is self.list else 0)
        self.stack = pages(self.nothing, self.content)
        fill(self, self.stack)

    def take_keyboard(self, field: str) -> None:
        """Takes the keyboard; one goes on writing where the note ends."""
        edit = self.node if field == ON_NODE else self.session
        edit.moveCursor(QTextCursor.MoveOperation.End)
        give(edit)

    # Showing

    def _on_changed(self, fields: Collection[str]) -> None:
        if not _NOTED.isdisjoint(fields):
            self._show_all()
        else:
            self._show_node()

    def _show_all(self) -> None:
        session, model = self._document.session, self._document.model
        self.stack.setCurrentWidget(self.nothing if model is None else self.content)
        self.session.show_text(session.note)
        names = frozenset(name for graph in (model.graphs() if model is not None else ()) for name in graph.node_names)
        self.table.show_rows(NoteRows.of(session, names))
        if session.notes:
            self.page.refresh()
        self.list.setCurrentWidget(self.page if session.notes else self.none)
        self._tell_count()
        self._show_node()

    def _show_node(self) -> None:
        node, graph = self._document.state.node, self._document.graph
        self._node = "" if node is None or graph is None else graph.node_names[node]
        self.node.setEnabled(bool(self._node))
        none = NO_NODE if node is None else NAMELESS
        self.about.setText(f"Note on {self._node}" if self._node else none)
        self.about.setToolTip(self._node)
        self.node.show_text(self._document.session.notes.get(self._node, "") if self._node else "")
        self._mark_selected()

    def _on_narrowed(self) -> None:
        self._tell_count()
        self._mark_selected()

    def _tell_count(self) -> None:
        shown, total = self.table.rowCount(), len(self._document.session.notes)
        self.page.count.setText(f"{shown:,} of {total:,}" if shown < total else f"{total:,}")

    def _mark_selected(self) -> None:
        rows = self.table.rows
        found = None
        if rows is not None and self._node:
            lines = [number for number, note in enumerate(rows.lines) if note.node == self._node]
            found = self.table.row_of(lines[0]) if lines else None
        self._syncing = True
        self.view.setCurrentIndex(QModelIndex() if found is None else self.table.index(found, NODE))
        self._syncing = False
        self._offer_to_remove(self.view.currentIndex())

    def _offer_to_remove(self, index: QModelIndex) -> None:
        self.remove.setEnabled(self.table.line_at(index.row()) is not None)

    # Deciding

    def _keep_session(self, text: str) -> None:
        self._document.edit("Note on this session", merge=True, note=kept(text))

    def _keep_node(self, text: str) -> None:
        if not self._node:
            return
        notes = dict(self._document.session.notes)
        if kept(text):
            notes[self._node] = kept(text)
        else:
            notes.pop(self._node, None)
        self._document.edit(f"Note on {self._node}", merge=True, notes=notes)

    def _remove(self) -> None:
        """Removes a note, also where the model has no such node any more, so that it cannot be selected."""
        note = self.table.line_at(self.view.currentIndex().row())
        if note is not None:
            others = {name: text for name, text in self._document.session.notes.items() if name != note.node}
            self._document.edit(f"Remove the note on {note.node}", notes=others)

    def _on_row(self, index: QModelIndex) -> None:
        note = self.table.line_at(index.row())
        if note is None or self._syncing or note.node == self._node:
            return
        for place in (self._document.state.place, Place()):
            model = self._document.model
            node = None if model is None else place.graph(model).node_index(note.node)
            if node is not None:
                self._document.go(place, node=node)
                return
        self._desk.say(f"No node of the graph on view is called {note.node}.")


# Notes on nodes as rows to search and sort.

NODE, TEXT = range(2)
# No number belongs to a note.
COLUMNS = Columns(("Node", "Note"), wide=(NODE, TEXT), names=(NODE,), error=-1, note="", none="")


@dataclass(frozen=True, slots=True)
class NodeNote:
    node: str
    text: str
    # Whether the model on view has such a node.
    known: bool = True


@dataclass(frozen=True, eq=False)
class NoteRows(LineRows[NodeNote]):
    """Rows in the order in which they were written."""

    @classmethod
    def of(cls, session: Session, names: frozenset[str]) -> "NoteRows":
        return cls(tuple(NodeNote(node, text, node in names) for node, text in session.notes.items()))

    def cell(self, row: int, column: int) -> str:
        note = self.lines[row]
        return Verbatim(note.node if column == NODE else " ".join(note.text.split()))

    def words(self, line: NodeNote) -> str:
        return f"{line.node} {line.text}"

    def tip(self, row: int) -> str:
        note = self.lines[row]
        lost = "" if note.known else say("The model on view has no node of this name.")
        return joined("\n", filter(None, (note.node, note.text, lost)))

    def steps_back(self, row: int, column: int) -> bool:
        return not self.lines[row].known or column == NODE


CHOICES: tuple[RowChoice[NoteRows], ...] = (RowChoice("All", lambda rows: np.ones(len(rows), bool)),)
