"""Above the steps of a guide: which guide it is, the user's own files, and the folder that was looked through."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout

from errorflow.case.scenarios.found import Discovered
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GAP, PADDING
from errorflow_viewer.pages.guide.given_row import GivenRow

# Of what was found, and of what could not be looked into, so much stands in the tooltip.
_FOUND, _PROBLEMS = 20, 10


class GuideHead(QFrame):
    """Two lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "verdict")
        self.title = text_label(role="title")
        self.other = QPushButton("Another guide…")
        self.other.setProperty("link", True)
        self.other.setToolTip("Answer the questions again; what was done in this guide stays until you begin another")
        self.own = GivenRow()
        self.looked = Elided(Qt.TextElideMode.ElideMiddle)
        self.looked.setProperty("muted", True)
        self.forget()
        self.look = QPushButton("Look through a folder…")
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(GAP)
        first.addWidget(self.title)
        first.addWidget(self.other)
        first.addStretch(1)
        second.setSpacing(GAP)
        second.addWidget(self.own, 1)
        second.addWidget(self.looked)
        second.addWidget(self.look)
        box = spaced(QVBoxLayout(self), PADDING, (GAP, PADDING, GAP, PADDING))
        box.addLayout(first)
        box.addLayout(second)

    def forget(self) -> None:
        """Nothing was looked through."""
        self.looked.show_text("or drop a folder that holds everything")
        self.looked.setToolTip("")

    def show_found(self, found: Discovered) -> None:
        """What lies there, in a few words; all of it in the tooltip."""
        count = len(found.found)
        where = ", ".join(path.name for path in found.paths[:3])
        self.looked.show_text(f"Looked through {where}: {count:,} {'thing' if count == 1 else 'things'} to compare")
        texts = [f"{found.shown(each.path)}: {each.text}" for each in found.found[:_FOUND]]
        self.looked.setToolTip("\n".join([*texts, *found.problems[:_PROBLEMS]]))
