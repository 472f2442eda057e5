"""Evaluates the runs of the session for real, on a labelled set, in the background; the numbers are kept with them."""

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.base import ErrorflowError, FileError, Progress, dataclass, field, replace
from errorflow.case.session.model import Session
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.simulate.trial import Accuracy, Trial
from errorflow_viewer.document.derived import Derived, Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.simulating import Simulating
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.following import follow

if TYPE_CHECKING:
    from errorflow.study.evaluate.labelled_set import LabelledSummary
    from errorflow.study.evaluate.on_trials import TrialEvaluation
    from errorflow.study.simulate.bench import Bench

KEY, TEXT = "evaluate", "Evaluating on the labelled set"
LOOK = "look at the labelled set"
# What the steps of undo are called.
STEP = "Change what is evaluated on"
STOPPED = "The evaluation was stopped: other samples or ranges are simulated now."
# As sentences that are kept call a run, whatever its name will be.
IT = "It"
_FIELDS = frozenset(("model", "simulated", "session.simulation", "session.labelled", "session.trials"))


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Results of runs that were evaluated, and why others were not."""

    runs: tuple[tuple[Trial, Accuracy], ...]
    failed: tuple[ErrorflowError, ...] = ()


@dataclass(frozen=True)
class EvaluationRequest:
    """Runs that are to be evaluated, on which bench, and on what."""

    bench: "Bench"
    asked: LabelledSet
    trials: tuple[Trial, ...] = field(default=(), compare=False)


def wished(state: State) -> EvaluationRequest | None:
    """Makes the wish for all runs, of which there may be none yet."""
    simulated, session = state.simulated, state.session
    return None if simulated is None else EvaluationRequest(simulated.bench, session.labelled, session.trials)


class Evaluating(QObject):
    """Evaluation of what the session says, on the bench on view."""

    # It runs or does not any more, knows more of what it is asked, or failed.
    changed = Signal()
    # Somebody wants to say on what: whoever holds the form shows it.
    wanted = Signal()
    # So many runs are evaluated; some are not, or none.
    done = Signal(int)
    failed = Signal(object)  # ErrorflowError

    def __init__(
        self, document: Document, derived: Deriving, simulating: Simulating, place: Path, parent: QObject
    ) -> None:
        """`place`: the folder for what evaluators print."""
        super().__init__(parent)
        self._document, self._derived, self._simulating, self._place = document, derived, simulating, place
        # Those that are meant; none: all.
        self._names: Collection[str] = ()
        # The form is wanted as soon as there is a run.
        self._waits = False
        # What is known of what is asked, and what is wrong with it, or with the last evaluation.
        self.seen: LabelledSummary | None = None
        self.error: ErrorflowError | None = None
        derived.add(self._row())
        follow(self, derived.changed, lambda _: self.changed.emit(), (KEY,))
        document.changed.connect(self._on_changed)

    # What others may ask for

    @property
    def labelled(self) -> LabelledSet:
        return self._document.session.labelled

    @property
    def busy(self) -> bool:
        return self._derived.running(KEY) is not None

    @property
    def lack(self) -> str:
        """Reason why nothing can be evaluated; "": it can."""
        if not self._document.session.trials:
            return "Nothing is simulated yet."
        if self._document.state.simulated is not None:
            return ""
        is_coming = self._document.session.simulation is not None
        return "The simulation is being prepared." if is_coming else "Go to a run first: nothing is simulated now."

    @property
    def outputs(self) -> tuple[str, ...]:
        """Outputs of the float model."""
        simulated = self._document.state.simulated
        if simulated is None:
            return ()
        from errorflow.study.evaluate.labelled_set import outputs_of

        return outputs_of(simulated.bench)

    @property
    def lacks_run(self) -> bool:
        """Whether something must be simulated first."""
        return not self._document.session.trials and self._document.session.simulation is None

    def begin(self) -> None:
        """Begins; without any run the form can be filled in all the same."""
        if self._document.session.trials and self._document.session.simulation is None:
            self.simulate_first()
        else:
            self.wanted.emit()

    def simulate_first(self) -> None:
        """The form comes back with the run."""
        self._waits = True
        self._simulating.asked.emit()

    def choose(self, asked: LabelledSet) -> None:
        """Chooses as a step that can be undone; nothing runs before the user wants it."""
        if asked != self.labelled:
            self._document.edit(STEP, labelled=asked)

    def evaluate(self, names: Collection[str] = ()) -> None:
        """The runs of these names; without names all that are listed."""
        self._names = names
        if self._wished(self._document.state) is not None:
            self.error = None
            self._derived.ask(KEY)

    def stop(self) -> None:
        """Stops; what was known before stays."""
        self._derived.stop(KEY)

    # What follows from the document

    def _on_changed(self, fields: Collection[str]) -> None:
        state = self._document.state
        was_stopped = self.error is not None and self.error.message == STOPPED
        if "model" in fields or "session.labelled" in fields or ("bench" in fields and not was_stopped):
            self.error = None
        if "model" in fields:
            self._waits = False
        if self._waits and state.simulated is not None and state.session.trials:
            self._waits = False
            self.wanted.emit()
        if _FIELDS & set(fields):
            self.changed.emit()

    def _wished(self, state: State) -> EvaluationRequest | None:
        wish, names = wished(state), self._names
        meant = () if wish is None else tuple(each for each in wish.trials if not names or each.name in names)
        return replace(wish, trials=meant) if wish is not None and meant else None

    def _row(self) -> Derived[EvaluationRequest, Evaluated]:
        return Derived(
            name=KEY,
            text=TEXT,
            reads=("simulated",),
            wish=self._wished,
            work=lambda wish, progress, _: evaluated(wish.bench, wish.trials, wish.asked, self._place, progress),
            keep=lambda _, __, found: self._take(found),
            by_itself=False,
            # On another run of the same bench it goes on; another bench ends it: that is about to be closed.
            holds=lambda wish, state: state.simulated is not None and state.simulated.bench is wish.bench,
            overtaken=lambda: self._take_problem(ErrorflowError(STOPPED, "Evaluate again.")),
            reports="value",
            failed=self._fail,
        )

    def looking(self) -> Derived[EvaluationRequest, "LabelledSummary"]:
        """Makes the row of what there is, without running anything: worked out while it is shown."""
        return Derived(
            name=LOOK,
            text="Looking at the labelled set",
            reads=("simulated", "session.labelled"),
            wish=wished,
            work=_seen,
            keep=lambda _, __, found: self._take_seen(found),
            drop=lambda _: self._take_seen(None),
            stays=False,
            after=(KEY,),
            reports="value",
            failed=self._take_problem,
            shown=False,
        )

    # What comes of it

    def _take_seen(self, found: "LabelledSummary | None") -> None:
        if found is not self.seen:
            self.seen = found
            self.changed.emit()

    def _take_problem(self, error: ErrorflowError) -> None:
        """Told where the form is: it says what has to be changed."""
        self.error = error
        self.changed.emit()

    def _take(self, found: Evaluated) -> None:
        self._document.revise(partial(with_accuracy, found=found.runs))
        self.done.emit(len(found.runs))
        for error in found.failed[:1]:
            self._fail(error)

    def _fail(self, error: ErrorflowError) -> None:
        self._take_problem(error)
        self.failed.emit(error)


def _seen(wish: EvaluationRequest, progress: Progress, _: object) -> "LabelledSummary":
    from errorflow.study.evaluate.labelled_set import seen

    return seen(wish.bench, wish.asked, progress)


def evaluated(
    bench: "Bench", trials: tuple[Trial, ...], asked: LabelledSet, place: Path, progress: Progress
) -> Evaluated:
    from errorflow.study.evaluate.on_trials import evaluate_trials

    progress.step(0, 0, TEXT)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {place} could not be made.", "Free some space, and evaluate again.") from error
    told = evaluate_trials(bench, trials, asked, place, progress)
    runs = ((trial, accuracy_of(told, number)) for number, trial in enumerate(told.trials))
    return Evaluated(tuple(runs), told.failed)


def accuracy_of(told: "TrialEvaluation", number: int) -> Accuracy:
    """Makes what is kept of one run, in plain numbers and sentences."""
    found = told.evaluation
    run, original = found.runs[number], found.original
    hits, before = (next(iter(each.hits.values()), ()) for each in (run, original))
    return Accuracy(
        told.about,
        found.samples,
        {f"top-{each.k}": each.right for each in hits},
        {f"top-{each.k}": each.right for each in before},
        found.evaluator,
        run.value,
        original.value,
        _sentences(told, number),
        told.identity,
        told.evaluator,
        told.higher_is_better,
        None if run.judgement is None else run.judgement.good,
    )


def _sentences(told: "TrialEvaluation", number: int) -> tuple[str, ...]:
    from errorflow.report.evaluation import run_lines

    found, run = told.evaluation, told.evaluation.runs[number]
    lines = [run.note, *run_lines(found, replace(run, name=IT, note=""))]
    if run.judgement is not None:
        lines.append(f"{IT} is {'' if run.judgement.good else 'not '}good enough for {found.evaluator}.")
    return tuple(line for line in lines if line)


def with_accuracy(session: Session, found: Sequence[tuple[Trial, Accuracy]]) -> Session:
    """Runs that are gone by now are not brought back, and those with another name are still the same."""

    def renewed(trial: Trial) -> Trial:
        same = (accuracy for each, accuracy in found if (each.plan, each.basis) == (trial.plan, trial.basis))
        accuracy = next(same, None)
        return trial if accuracy is None else replace(trial, accuracy=accuracy)

    return replace(session, trials=tuple(map(renewed, session.trials)))
