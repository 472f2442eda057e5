"""What is asked about the simulation on view, and found in the background as soon as that is there."""

from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QObject, Signal

from errorflow.quant.plan import Plan
from errorflow_viewer.derived import Deriving
from errorflow_viewer.document import Document
from errorflow_viewer.simulating import Simulating

if TYPE_CHECKING:
    from errorflow.simulate.bench import Bench


class Asking(QObject):
    """Begins only when somebody wants it; then it waits for the simulation if it has to."""

    # It runs or does not any more, knows more, waits for the simulation, or failed.
    changed = Signal()

    # Its row among what is derived, and what else says something new about it.
    key: ClassVar[str]
    reads: ClassVar[frozenset[str]]

    def __init__(self, document: Document, derived: Deriving, simulating: Simulating, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._derived = derived
        self._simulating = simulating
        document.changed.connect(self._on_changed)
        derived.changed.connect(self._on_derived)
        simulating.failed.connect(lambda _error: derived.give_up(self.key))
        simulating.gave_up.connect(lambda: derived.give_up(self.key))

    @property
    def busy(self) -> bool:
        return self._derived.running(self.key) is not None

    @property
    def waits(self) -> bool:
        """Whether it begins as soon as the simulation is there."""
        return self._derived.waits(self.key)

    @property
    def bench(self) -> "Bench | None":
        simulated = self._document.state.simulated
        return None if simulated is None else simulated.bench

    def plan_asked(self) -> Plan | None:
        """The plan on view; None: nothing is simulated."""
        simulation = self._document.session.simulation
        return None if simulation is None else simulation.plan

    def request(self) -> None:
        """Begins, or goes on with what was cancelled. Without a simulation one is begun first."""
        self._derived.ask(self.key)
        if self._document.session.simulation is None:
            self._simulating.asked.emit()

    def stop(self) -> None:
        """What is known stays; nothing begins by itself any more."""
        self._derived.stop(self.key)

    def _on_changed(self, fields: Collection[str]) -> None:
        if self.reads & set(fields):
            self._follow()
            self.changed.emit()

    def _on_derived(self, name: str) -> None:
        if name == self.key:
            self.changed.emit()

    def _follow(self) -> None:
        """What is on view besides."""
