"""The run that is compared with, simulated on ranges of its own where it had others."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.base import Progress, dataclass, field, replace
from errorflow.case.session.model import Session
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.earlier import beside
from errorflow_viewer.document.finding import prepared
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.following import follow

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome

AGAINST = "against"


@dataclass(frozen=True)
class TrialRequest:
    """The bench on view, and what is compared with there, whatever it is called."""

    bench: "Bench"
    of: tuple[object, ...]
    trial: Trial = field(compare=False)
    graph: Graph | None = field(compare=False)


def wished(state: State) -> TrialRequest | None:
    simulated, simulation = state.simulated, state.session.simulation
    trial = None if simulation is None else trial_named(state.session, simulation.against)
    if state.model is None or simulated is None or trial is None:
        return None
    return TrialRequest(simulated.bench, (trial.plan, trial.basis), trial, state.place.graph(state.model))


def known(state: State, wish: TrialRequest) -> "Outcome | None":
    """Finds what is known already of that plan on the bench on view."""
    is_here = state.simulated is not None and wish.trial.basis == wish.bench.basis
    return state.simulated.knows(wish.trial.plan) if is_here and state.simulated is not None else None


def take(document: Document, outcome: "Outcome | None") -> None:
    simulated = document.state.simulated
    if simulated is not None and simulated.against is not outcome:
        document.take_simulated(replace(simulated, against=outcome))


def worked_out(wish: TrialRequest, progress: Progress) -> "Outcome":
    return _simulated(wish.bench, wish.trial, wish.graph, progress)


def _simulated(bench: "Bench", trial: Trial, graph: Graph | None, progress: Progress) -> "Outcome":
    from errorflow.case.simulating import outcome_of
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import floated

    if bench.suits(trial.basis, trial.plan):
        return prepared(outcome_of(bench, trial.plan, quick=True, progress=progress), graph)
    with (
        floated(bench.floated.path, trial.basis.reference, progress) as model,
        Bench.open(model, trial.basis, trial.plan, progress=progress) as other,
    ):
        return prepared(outcome_of(other, trial.plan, quick=True, progress=progress), graph)


def trial_named(session: Session, name: str) -> Trial | None:
    return next((trial for trial in session.trials if trial.name == name), None)


def trial_on_view(session: Session) -> Trial | None:
    """The one whose plan and basis are simulated now; None: it is not known yet, or nothing is simulated."""
    simulation = session.simulation
    if simulation is None:
        return None
    wanted = simulation.plan, simulation.basis
    return next((trial for trial in session.trials if (trial.plan, trial.basis) == wanted), None)


# Lays what was found of the run that is compared with beside what was found of the run on view. That is another run
# of the same simulation, or else what another session found.

# What the run on view is called as long as it is not in the list.
NEW = "This run"
# The same where another session is compared with.
THIS = "This session"
_DECIDED = ("session.simulation", "session.trials", "session.since")
_FIELDS = frozenset(("findings", "simulated", "case", "before", *_DECIDED))


class RunsBeside(QObject):
    """Follower that is made before those that show findings, so that one run's are never seen in between."""

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._shown: Findings | None = None
        follow(self, document.changed, lambda _: self._lay(), _FIELDS)

    def _lay(self) -> None:
        findings, simulated = self._document.state.findings, self._document.state.simulated
        against = None if simulated is None else simulated.against
        if findings is None:
            self._shown = None
        elif simulated is None or against is None or not self._is_wanted:
            self._lay_earlier(findings)
        elif simulated.outcome is not None and simulated.outcome.depth == "quick":
            self._wait(findings)
        else:
            self._show(findings, against)

    def _lay_earlier(self, findings: Findings) -> None:
        """Lays the earlier run only where complete: what has not been measured yet is not gone."""
        self._shown = None
        state = self._document.state
        if state.session.since is not None and self._is_quick:
            self._wait(findings)
            return
        compared = state.case
        is_complete = compared is not None and compared.complete and compared.comparison is findings.comparison
        before = beside(state, findings) if is_complete and state.session.since is not None else None
        if findings.against is not before:
            self._document.take_findings(findings.beside("" if before is None else THIS, before))

    @property
    def _is_quick(self) -> bool:
        simulated = self._document.state.simulated
        return simulated is not None and simulated.outcome is not None and simulated.outcome.depth == "quick"

    @property
    def _is_wanted(self) -> bool:
        simulation = self._document.session.simulation
        return simulation is not None and bool(simulation.against)

    def _wait(self, findings: Findings) -> None:
        """Numbers of one sample and numbers of all are not compared: what was shown stays until all are known."""
        shown = self._shown
        if shown is not None and shown.graph is findings.graph and findings is not shown:
            self._document.take_findings(shown)

    def _show(self, findings: Findings, against: "Outcome") -> None:
        session = self._document.session
        trial = trial_on_view(session)
        now = NEW if trial is None else trial.name
        before = "" if session.simulation is None else session.simulation.against
        known = findings.against
        if (
            known is not None
            and known.comparison is against.comparison
            and (findings.name, known.name) == (now, before)
        ):
            self._shown = findings
            return
        self._shown = findings.beside(now, _on_graph_of(findings, against).beside(before, None))
        self._document.take_findings(self._shown)


def _on_graph_of(findings: Findings, outcome: "Outcome") -> Findings:
    """Bodies and functions have tensors of their own."""

    theirs = outcome.findings
    if theirs.graph is findings.graph:
        return theirs
    return Findings.of(findings.graph, outcome.comparison, None, findings.side)
