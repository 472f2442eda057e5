"""The panel of the simulation."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from errorflow_viewer.desk import Desk
from errorflow_viewer.panels.empty import Empty

NOTHING = "Open a model to see what quantization does to it, node by node."


class SimulatePanel(QWidget):
    """Without a model it offers to open one."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.nothing = Empty(NOTHING, "Open a model…", desk.ask_for_file)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.nothing)
        desk.simulating.asked.connect(lambda: desk.show_panel("simulate"))
