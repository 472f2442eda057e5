"""How many nodes of each type the graph on view has."""

from collections import Counter
from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.panel import Panel, panel_action


class CountsPanel(QWidget):
    """A line per type, the most frequent first."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._document = desk.document
        self.text = QLabel()
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.nothing = Empty("The types of a model's nodes are counted here.", "Open a model…", desk.ask_for_file)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.nothing)
        self.stack.addWidget(self.text)
        QVBoxLayout(self).addWidget(self.stack)
        self._document.changed.connect(self._on_changed)
        self._on_changed(("model",))

    def _on_changed(self, fields: Collection[str]) -> None:
        if not {"model", "place"} & set(fields):
            return
        graph = self._document.graph
        counts = Counter[str]() if graph is None else Counter(graph.op_types)
        self.text.setText("\n".join(f"{kind}: {count:,}" for kind, count in counts.most_common()))
        self.stack.setCurrentWidget(self.nothing if graph is None else self.text)


COUNTS = Panel(
    "counts",
    "Counts",
    Qt.DockWidgetArea.RightDockWidgetArea,
    False,
    CountsPanel,
    help="how-to/read-the-graph.md",
    command=panel_action("counts", "T&ype counts", "", "", "Show or hide how many nodes of each type there are"),
)
