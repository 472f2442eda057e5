"""The lower end of the panel: what lacks, how far it is, and the buttons."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QMenu, QProgressBar, QPushButton, QVBoxLayout

from errorflow_viewer.kit.jobs import Step
from errorflow_viewer.kit.layouts import text_button
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.form_parts import Note

TIP = "Quantize in simulation and paint the errors (Ctrl+Enter)"


class Foot(QFrame):
    """Stays where it is while the form scrolls."""

    start = Signal()
    cancel = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.state = Note()
        self.step = Note()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the simulation")
        self.simulate = text_button("Simulate", lambda: self.start.emit(), TIP)
        self.simulate.setProperty("primary", True)
        self.stop = text_button("Cancel", lambda: self.cancel.emit(), "Cancel what is being simulated (Esc)")
        self.more = QPushButton("More")
        self.more.setToolTip("Save, export, copy")
        self.menu = QMenu(self.more)
        self.menu.setToolTipsVisible(True)
        self.more.setMenu(self.menu)
        row = self._row = QHBoxLayout()
        row.setSpacing(PADDING)
        row.addWidget(self.simulate)
        row.addWidget(self.stop)
        row.addStretch(1)
        row.addWidget(self.more)
        box = self.box = QVBoxLayout(self)
        box.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        box.setSpacing(GRID)
        for widget in (self.state, self.step, self.bar):
            box.addWidget(widget)
        box.addLayout(row)
        self.show_steps(())

    def event(self, event: QEvent) -> bool:
        """Buttons that have no room side by side stand one below the other."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            buttons = [button for button in (self.simulate, self.stop, self.more) if not button.isHidden()]
            wide = sum(button.sizeHint().width() for button in buttons) + (len(buttons) + 2) * PADDING
            ways = QBoxLayout.Direction
            self._row.setDirection(ways.LeftToRight if wide <= self.width() else ways.TopToBottom)
        return super().event(event)

    def add(self, text: str, tip: str, run: Callable[[], None]) -> Callable[[bool], None]:
        """A line of the menu; what is given back turns it on and off."""
        action = self.menu.addAction(text)
        action.setToolTip(tip)
        action.triggered.connect(lambda _=False: run())
        return action.setEnabled

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        """Of what is simulated; none: nothing is."""
        for widget in (self.bar, self.stop):
            widget.setVisible(bool(steps))
        self.step.say(f"{steps[-1].text} …" if steps else "")
        if steps:
            step = steps[-1]
            self.bar.setRange(0, 1000 if step.total > 0 else 0)
            self.bar.setValue(min(1000, step.done * 1000 // step.total) if step.total > 0 else 0)
