"""Notes on nodes as rows to search and sort."""

from dataclasses import dataclass

import numpy as np

from errorflow.base.language import Verbatim, joined, say
from errorflow.case.session.model import Session
from errorflow_viewer.panels.lines.rows import Choice, LineRows
from errorflow_viewer.panels.lines.table import Columns

NODE, TEXT = range(2)
# No number belongs to a note.
COLUMNS = Columns(("Node", "Note"), wide=(NODE, TEXT), names=(NODE,), error=-1, note="", none="")


@dataclass(frozen=True, slots=True)
class Note:
    node: str
    text: str
    # Whether the model on view has such a node.
    known: bool = True


@dataclass(frozen=True, eq=False)
class NoteRows(LineRows[Note]):
    """In the order in which they were written."""

    @classmethod
    def of(cls, session: Session, names: frozenset[str]) -> "NoteRows":
        return cls(tuple(Note(node, text, node in names) for node, text in session.notes.items()))

    def cell(self, row: int, column: int) -> str:
        note = self.lines[row]
        return Verbatim(note.node if column == NODE else " ".join(note.text.split()))

    def words(self, line: Note) -> str:
        return f"{line.node} {line.text}"

    def tip(self, row: int) -> str:
        note = self.lines[row]
        lost = "" if note.known else say("The model on view has no node of this name.")
        return joined("\n", filter(None, (note.node, note.text, lost)))

    def steps_back(self, row: int, column: int) -> bool:
        return not self.lines[row].known or column == NODE


CHOICES: tuple[Choice[NoteRows], ...] = (Choice("All", lambda rows: np.ones(len(rows), bool)),)
