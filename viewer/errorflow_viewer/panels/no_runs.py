"""State of a panel while nothing is compared: two runs can be, and a float model can be simulated."""

from PySide6.QtWidgets import QPushButton

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.conditions import could_simulate
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.panels.empty import Empty


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
