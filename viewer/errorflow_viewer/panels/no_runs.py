"""State of a panel while nothing is compared: two runs can be, and a float model can be simulated."""

from collections.abc import Collection

from PySide6.QtWidgets import QPushButton

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.conditions import could_simulate
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.panels.empty import Empty


class NoRuns(Empty):
    """Simulating is offered only where it makes sense."""

    def __init__(self, desk: Desk, sentence: str, compare: str) -> None:
        super().__init__(sentence, compare, lambda: desk.commands.run("compare"))
        self._desk = desk
        self.simulate = QPushButton("Simulate…", self)
        tip = "Quantize the model in simulation, and see which node makes the error"
        tell_keys(self.simulate, desk.settings, tip, "simulate", ("F9",))
        self.simulate.clicked.connect(lambda: desk.studies.simulating.asked.emit())
        self.add(self.simulate)
        self.simulate.setVisible(could_simulate(desk))
        desk.document.changed.connect(self._on_changed)

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "session.simulation"} & set(fields):
            self.simulate.setVisible(could_simulate(self._desk))
