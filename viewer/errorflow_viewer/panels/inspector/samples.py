"""Sample of a simulation that is looked at, and the box to choose another one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy

from errorflow.compare.metrics import METRICS
from errorflow_viewer.document.state import State

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome

# What the session holds for whichever sample is worst.
WORST = -1
# More than anybody looks through; the worst ones are among them.
MOST = 1000
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")


def sample_on_view(state: State) -> int | None:
    """Finds its number; None: nothing is simulated, or nothing known of it."""
    simulated, simulation = state.simulated, state.session.simulation
    if simulated is None or simulated.outcome is None or simulation is None:
        return None
    from errorflow.case.simulating import sample_of

    return sample_of(simulation, simulated.bench, simulated.outcome)


def sample_text(bench: "Bench", number: int) -> str:
    """Counted from 1, with its name."""
    name = bench.evaluated.name(number) if 0 <= number < bench.evaluated.count else ""
    return f"sample {number + 1:,}: {name}" if name else f"sample {number + 1:,}"


class SampleBox(QComboBox):
    """The worst one first; only there while something is simulated."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Sample")
        self.view().setAccessibleName("Samples")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.activated.connect(lambda index: self.chosen.emit(int(self.itemData(index))))
        self._of: tuple[object, ...] = ()
        self.hide()

    def show_state(self, state: State) -> None:
        simulated, simulation = state.simulated, state.session.simulation
        if simulated is None or simulated.outcome is None or simulation is None:
            self._of = ()
            self.clear()
            self.hide()
            return
        of = (simulated.bench, simulated.outcome)
        if len(self._of) != len(of) or any(a is not b for a, b in zip(self._of, of, strict=True)):
            self._of = of
            self._fill(simulated.bench, simulated.outcome)
        with QSignalBlocker(self):
            self.setCurrentIndex(max(self.findData(simulation.sample), 0))
        self.setToolTip(f"The sample whose values are looked at: {self.currentText()}")
        self.show()

    def _fill(self, bench: "Bench", outcome: "Outcome") -> None:
        with QSignalBlocker(self):
            self.clear()
            worst = max(outcome.worst_sample, 0)
            text = sample_text(bench, worst)
            self.addItem(f"Worst, {text}" if outcome.worst_sample >= 0 else f"{text[:1].upper()}{text[1:]}", WORST)
            for number in _in_order(bench, outcome):
                text = sample_text(bench, number)
                self.addItem(f"{text[:1].upper()}{text[1:]}", number)


def _in_order(bench: "Bench", outcome: "Outcome") -> Sequence[int]:
    """Orders those that were measured, worst first, and then the others."""
    from errorflow.study.simulate.over_samples import worst_first

    known = worst_first(outcome.table, bench.engine.outputs, _SQNR)
    first = frozenset(known)
    rest = (number for number in range(bench.engine.samples) if number not in first)
    return [*known, *rest][:MOST]
