"""All methods of calibration on what is simulated: found in the background once, and kept as long as the model is."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.base.progress import Progress
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.state import State

if TYPE_CHECKING:
    from errorflow.quant.precision import Precision
    from errorflow.run.calibrating import Calibrated
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.bench import Bench

    _Wish = tuple[Bench, tuple[object, ...], tuple[Precision, ...]]

KEY, TEXT = "inspector.methods", "Comparing methods of calibration"
# Of so many samples and sets of precisions what was found is kept.
KEPT = 4


class Methods:
    """`told` is called when there is more to be known."""

    def __init__(self, desk: Desk, told: Callable[[], None]) -> None:
        self._document = desk.document
        self._derived = desk.derived
        self._told = told
        self._found: dict[tuple[object, ...], Calibrated] = {}
        self._asked: _Wish | None = None
        row = looked(KEY, TEXT, self._wished, _compared, self._keep, lambda _: told(), ("simulated",))
        desk.derived.add(replace(row, cancelled=self._on_cancelled, drop=lambda _: self._forget()))
        desk.document.changed.connect(self._on_changed)

    def _wished(self, state: State) -> "_Wish | None":
        """What is found on a bench ends with it; what was found holds for the model."""
        asked, simulated = self._asked, state.simulated
        return None if asked is None or simulated is None or simulated.bench is not asked[0] else asked

    def _forget(self) -> None:
        self._asked = None

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields and self._document.state.simulated is None:
            self._found.clear()

    def _on_cancelled(self, *_: object) -> None:
        self._told()

    @property
    def running(self) -> bool:
        return self._derived.running(KEY) is not None

    @property
    def failure(self) -> str:
        """Why there is nothing; "": nothing went wrong."""
        error = self._derived.error(KEY)
        cancelled = "The comparison of methods was cancelled." if self._derived.was_cancelled(KEY) else ""
        return cancelled if error is None else f"{error.message} {error.hint}".strip()

    def known(self, bench: "Bench", precision: "Precision") -> "Calibrated | None":
        """What judges codes of that precision, on the samples of the bench."""
        from errorflow.study.simulate.methods import plain

        fed = _fed(bench.basis)
        return next(
            (found for key, found in self._found.items() if key[0] == fed and plain(precision) in found.judges), None
        )

    def ask(self, bench: "Bench", judges: "tuple[Precision, ...]") -> None:
        """Finds it unless that is under way, or has failed."""
        self._asked = bench, _fed(bench.basis), judges
        self._derived.follow(KEY)

    def again(self) -> None:
        """What failed or was cancelled may be tried once more."""
        if self.failure:
            self._derived.ask(KEY)
        self._told()

    def _keep(self, found: "Calibrated") -> None:
        self._found[() if self._asked is None else self._asked[1:]] = found
        while len(self._found) > KEPT:
            del self._found[next(iter(self._found))]
        self._told()


def _compared(wish: "_Wish", progress: Progress) -> "Calibrated":
    from errorflow.study.simulate.methods import compare_methods

    return compare_methods(wish[0], wish[2], progress)


def _fed(basis: "Basis") -> tuple[object, ...]:
    """Of what a simulation stands on, what all methods see alike."""
    return repr(basis.asked), basis.samples, basis.calibrate_on, basis.others
