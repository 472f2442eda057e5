"""Empty state of a panel: one sentence, and the button that brings something, if there is one."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from errorflow_viewer.commands.api import Desk, could_simulate
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.kit.layouts import text_label
from errorflow_viewer.kit.look import GAP, PADDING


class Empty(QWidget):
    """Sentence and button, in the upper middle of the panel."""

    def __init__(self, sentence: str, button: str = "", pressed: Callable[[], None] | None = None) -> None:
        super().__init__()
        self.sentence = text_label(sentence, muted=True, wraps=True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.button = QPushButton(button)
        if pressed is not None:
            self.button.clicked.connect(lambda: pressed())
        box = self._box = QVBoxLayout(self)
        box.setContentsMargins(PADDING * 2, PADDING * 4, PADDING * 2, PADDING)
        box.setSpacing(GAP)
        box.addWidget(self.sentence)
        box.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        box.addStretch(1)
        self.button.setVisible(pressed is not None)  # in its place: alone it would be a window for a moment

    def add(self, button: QPushButton) -> None:
        """Adds another way, below the others."""
        self._box.insertWidget(self._box.count() - 1, button, 0, Qt.AlignmentFlag.AlignHCenter)


# State of a panel while nothing is compared: two runs can be, and a float model can be simulated.


class NoRuns(Empty):
    """Simulating is offered only where it makes sense."""

    def __init__(self, desk: Desk, sentence: str, compare: str) -> None:
        super().__init__(sentence, compare, lambda: desk.commands.run("compare"))
        self.simulate = QPushButton("Simulate…", self)
        tip = "Quantize the model in simulation, and see which node makes the error"
        tell_keys(self.simulate, desk.settings, tip, "simulate", ("F9",))
        self.simulate.clicked.connect(lambda: desk.studies.simulating.asked.emit())
        self.add(self.simulate)
        self.simulate.setVisible(could_simulate(desk))
        show = self.simulate.setVisible
        follow(self, desk.document.changed, lambda _: show(could_simulate(desk)), ("model", "session.simulation"))
