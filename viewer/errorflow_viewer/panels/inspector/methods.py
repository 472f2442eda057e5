"""All methods of calibration on what is simulated: found in the background once, and kept as long as the model is."""

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

from errorflow.errors import ErrorflowError
from errorflow.progress import Progress
from errorflow_viewer.desk import Desk

if TYPE_CHECKING:
    from errorflow.quant.precision import Precision
    from errorflow.run.calibrating import Calibrated
    from errorflow.simulate.basis import Basis
    from errorflow.simulate.bench import Bench
    from errorflow_viewer.jobs import Give

KEY, TEXT = "inspector.methods", "Comparing methods of calibration"
# Of so many samples and sets of precisions what was found is kept.
KEPT = 4


class Methods:
    """`told` is called when there is more to be known."""

    def __init__(self, desk: Desk, told: Callable[[], None]) -> None:
        self._document = desk.document
        self._jobs = desk.jobs
        self._told = told
        self._found: dict[tuple[object, ...], Calibrated] = {}
        self._wanted: tuple[object, ...] = ()
        # Where it is being found, or was last.
        self._bench: Bench | None = None
        # Why there is nothing; "": nothing went wrong.
        self.failure = ""
        desk.document.changed.connect(self._on_changed)

    @property
    def running(self) -> bool:
        return self._jobs.running(KEY)

    def known(self, bench: "Bench", precision: "Precision") -> "Calibrated | None":
        """What judges codes of that precision, on the samples of the bench."""
        from errorflow.simulate.methods import plain

        fed = _fed(bench.basis)
        return next(
            (found for key, found in self._found.items() if key[0] == fed and plain(precision) in found.judges), None
        )

    def ask(self, bench: "Bench", judges: "tuple[Precision, ...]") -> None:
        """Finds it unless that is under way, or has failed."""
        wanted = (_fed(bench.basis), judges)
        if self._wanted == wanted and (self.running or self.failure):
            return
        self._wanted, self.failure, self._bench = wanted, "", bench

        def work(progress: Progress, _give: "Give[Calibrated]") -> "Calibrated":
            from errorflow.simulate.methods import compare_methods

            return compare_methods(bench, judges, progress)

        take = partial(self._take, wanted)
        drop = partial(self._drop, wanted)
        self._jobs.start_in_parts(KEY, TEXT, work, lambda _: None, take, self._fail, drop)

    def again(self) -> None:
        """What failed or was cancelled may be tried once more."""
        self.failure, self._wanted = "", ()
        self._told()

    def _take(self, wanted: tuple[object, ...], found: "Calibrated") -> None:
        self._found[wanted] = found
        while len(self._found) > KEPT:
            del self._found[next(iter(self._found))]
        self._told()

    def _fail(self, error: ErrorflowError) -> None:
        self.failure = f"{error.message} {error.hint}".strip()
        self._told()

    def _drop(self, wanted: tuple[object, ...]) -> None:
        if wanted == self._wanted:  # else something else is wanted by now
            self.failure = "The comparison of methods was cancelled."
            self._told()

    def _on_changed(self, fields: Collection[str]) -> None:
        """What is found on a bench ends with it; what was found holds for the model."""
        simulated = self._document.state.simulated
        if "simulated" in fields and self._bench is not None and (simulated is None or simulated.bench != self._bench):
            self._wanted, self.failure, self._bench = (), "", None
            self._jobs.cancel(KEY)
        if "model" in fields and simulated is None:
            self._found.clear()


def _fed(basis: "Basis") -> tuple[object, ...]:
    """Of what a simulation stands on, what all methods see alike."""
    return repr(basis.asked), basis.samples, basis.calibrate_on, basis.others
