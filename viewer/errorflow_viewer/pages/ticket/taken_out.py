"""What is taken out of all texts: two switches, and a list of what they change, before it is written."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, ROW
from errorflow_viewer.kit.scaling import px

if TYPE_CHECKING:
    from errorflow.report.bundle.model import Redactions
    from errorflow.report.bundle.redaction import Finding

# Lines that are shown: the most frequent ones.
MOST = 200


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
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels(["Before", "After", "Times"])
        self.tree.setAccessibleName("What is taken out of the texts")
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.setMinimumHeight(7 * ROW)
        header = self.tree.header()
        header.setAccessibleName("Columns of what is taken out")
        header.setStretchLastSection(False)
        for place in (0, 1):
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        self.note = text_label(role="label", wraps=True)
        column = spaced(QVBoxLayout(self), GRID)
        for widget in (self.paths, self.names, self.tree, self.note):
            column.addWidget(widget)

    @property
    def redactions(self) -> "Redactions":
        from errorflow.report.bundle.model import Redactions

        return Redactions(self.paths.isChecked(), self.names.isChecked())

    def show_findings(self, findings: "Sequence[Finding]") -> None:
        self.tree.clear()
        self.tree.addTopLevelItems([_item(found) for found in findings[:MOST]])
        self.note.setText(self._said(findings))

    def _said(self, findings: "Sequence[Finding]") -> str:
        if not self.redactions.any:
            return "Nothing is taken out: folders and names go in as they are."
        if not findings:
            return "Nothing of that kind is in the texts."
        more = len(findings) - MOST
        return f"And {more:,} more." if more > 0 else "Pictures, tensors, inputs and models go in as they are."


def _item(found: "Finding") -> QTreeWidgetItem:
    item = QTreeWidgetItem([found.before, found.after, f"{found.count:,}"])
    item.setData(2, EXACT_ROLE, found.count)
    item.setToolTip(0, found.before)
    item.setToolTip(1, found.after)
    item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    item.setSizeHint(0, QSize(0, px(ROW)))
    return item
