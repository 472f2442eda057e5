"""The values of a tensor over all samples of a simulation, where one wants more than the sample on view."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.state import Place, Simulated
from errorflow_viewer.panels.inspector.view import Subject
from errorflow_viewer.plots.check_box import CheckBox

if TYPE_CHECKING:
    from errorflow.explain.inspect.distribution import Distribution
    from errorflow.quant.plan import Plan
    from errorflow.run.engine.engine import Engine

    _Wish = tuple[Engine, Plan, str, int | None]

KEY = "inspector.every sample"


class EverySample:
    """A box to check, and what is found in the background while it is; `told` hears when that changes."""

    def __init__(self, desk: Desk, told: Callable[[], None]) -> None:
        self._desk, self._told = desk, told
        self.box = CheckBox("All samples")
        self.box.clicked.connect(lambda _: self._told())
        self._wish: _Wish | None = None
        self._distribution: Distribution | None = None
        row = looked(KEY, "Looking at all samples", lambda _: self._wish, _distribution, self._take, self._fail)
        desk.derived.add(replace(row, drop=lambda _: self._forget(), stays=False))

    @property
    def found(self) -> "Distribution | None":
        """None: one sample is to be shown, or the others are still being looked at."""
        return self._distribution if self.box.isChecked() else None

    def look(self, subject: Subject | None, axis: int | None) -> None:
        """What is shown now."""
        simulated = self._simulated(subject)
        self.box.setVisible(simulated is not None)
        self._wish = None
        if simulated is not None and simulated.outcome is not None and subject is not None and self.box.isChecked():
            engine = simulated.bench.engine
            self.box.setToolTip(f"The values of all {engine.samples:,} samples, not only of the one on view")
            self._wish = engine, simulated.outcome.plan, subject.choice.name, axis
        self._desk.derived.follow(KEY)

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
        self._distribution = None

    def _take(self, found: "Distribution") -> None:
        self._distribution = found
        self._told()

    def _fail(self, error: ErrorflowError) -> None:
        """As if nobody had asked."""
        self.box.setChecked(False)
        self._desk.say(error.message)
        self._told()


def _distribution(wish: "_Wish", progress: Progress) -> "Distribution":
    from errorflow.study.simulate.distributions import distribution_of

    engine, plan, name, axis = wish
    return distribution_of(engine, plan, name, None, axis, progress)
