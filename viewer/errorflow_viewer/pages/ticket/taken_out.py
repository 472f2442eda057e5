"""What is taken out of all texts: two switches, and a list of what they change, before it is written."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QTreeView, QVBoxLayout, QWidget

from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, ROW
from errorflow_viewer.kit.tables.column import Column, Listing
from errorflow_viewer.kit.tables.furnish import furnish_tree, share_columns
from errorflow_viewer.kit.tables.table import TableModel

if TYPE_CHECKING:
    from errorflow.report.bundle.model import Redactions
    from errorflow.report.bundle.redaction import Finding

# Lines that are shown: the most frequent ones.
MOST = 200
_COLUMNS: "tuple[Column[Finding], ...]" = (
    Column("Before", lambda found: found.before, is_name=True, cell_tip=lambda found: found.before),
    Column("After", lambda found: found.after, is_name=True, cell_tip=lambda found: found.after),
    Column(
        "Times",
        lambda found: f"{found.count:,}",
        is_number=True,
        has_title_left=True,
        exact=lambda found: found.count,
    ),
)


class TakenOut(QWidget):
    """Both are on at first."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.paths = QCheckBox("Folders: of a path the file's name stays")
        self.names = QCheckBox("Names of users and machines")
        for box in (self.paths, self.names):
            box.setChecked(True)
            box.toggled.connect(lambda _: self.changed.emit())
        self.table: TableModel[Finding] = TableModel(self, _COLUMNS)
        self.tree = QTreeView()
        furnish_tree(self.tree, self.table, "What is taken out of the texts", "Columns of what is taken out")
        share_columns(self.tree, 0, 1)
        self.tree.setRootIsDecorated(False)
        self.tree.setMinimumHeight(7 * ROW)
        self.note = text_label(role="label", wraps=True)
        column = spaced(QVBoxLayout(self), GRID)
        for widget in (self.paths, self.names, self.tree, self.note):
            column.addWidget(widget)

    @property
    def redactions(self) -> "Redactions":
        from errorflow.report.bundle.model import Redactions

        return Redactions(self.paths.isChecked(), self.names.isChecked())

    def show_findings(self, findings: "Sequence[Finding]") -> None:
        self.table.show(Listing(findings[:MOST], _COLUMNS))
        self.note.setText(self._said(findings))

    def _said(self, findings: "Sequence[Finding]") -> str:
        if not self.redactions.any:
            return "Nothing is taken out: folders and names go in as they are."
        if not findings:
            return "Nothing of that kind is in the texts."
        more = len(findings) - MOST
        return f"And {more:,} more." if more > 0 else "Pictures, tensors, inputs and models go in as they are."
