"""The values of a tensor over all samples of a simulation, where one wants more than the sample on view."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from errorflow.errors import ErrorflowError
from errorflow.progress import Progress
from errorflow_viewer.desk import Desk
from errorflow_viewer.panels.inspector.view import Subject
from errorflow_viewer.plots.check_box import CheckBox
from errorflow_viewer.state import Place, Simulated

if TYPE_CHECKING:
    from errorflow.evidence.distribution import Distribution

KEY = "inspector.every sample"


class EverySample:
    """A box to check, and what is found in the background while it is; `told` hears when that changes."""

    def __init__(self, desk: Desk, told: Callable[[], None]) -> None:
        self._desk, self._told = desk, told
        self.box = CheckBox("All samples")
        self.box.clicked.connect(lambda _: self._told())
        # Of which bench, plan, tensor and axis it is.
        self._of: tuple[object, ...] = ()
        self._distribution: Distribution | None = None

    @property
    def found(self) -> "Distribution | None":
        """None: one sample is to be shown, or the others are still being looked at."""
        return self._distribution if self.box.isChecked() else None

    def look(self, subject: Subject | None, axis: int | None) -> None:
        """What is shown now."""
        simulated = self._simulated(subject)
        self.box.setVisible(simulated is not None)
        if simulated is None or simulated.outcome is None or subject is None or not self.box.isChecked():
            self._forget()
            return
        engine, plan, name = simulated.bench.engine, simulated.outcome.plan, subject.choice.name
        self.box.setToolTip(f"The values of all {engine.samples:,} samples, not only of the one on view")
        of = (engine, plan, name, axis)
        if len(of) == len(self._of) and all(a is b or a == b for a, b in zip(of, self._of, strict=True)):
            return
        self._forget()
        self._of = of

        def work(progress: Progress) -> "Distribution":
            from errorflow.simulate.distributions import distribution_of

            return distribution_of(engine, plan, name, None, axis, progress)

        self._desk.jobs.start(KEY, "Looking at all samples", work, self._take, self._fail)

    def _simulated(self, subject: Subject | None) -> Simulated | None:
        """None: there are not several samples of it."""
        state = self._desk.document.state
        simulated = state.simulated
        if subject is None or simulated is None or simulated.outcome is None or state.place != Place():
            return None
        engine = simulated.bench.engine
        is_there = subject.choice.end != "weight" and subject.choice.name in engine.tensors
        return simulated if is_there and engine.samples > 1 else None

    def _forget(self) -> None:
        if self._of:
            self._desk.jobs.cancel(KEY)
        self._of, self._distribution = (), None

    def _take(self, found: "Distribution") -> None:
        self._distribution = found
        self._told()

    def _fail(self, error: ErrorflowError) -> None:
        """As if nobody had asked."""
        self.box.setChecked(False)
        self._forget()
        self._desk.say(error.message)
        self._told()
