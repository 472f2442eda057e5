"""A window with a model on the bench, for tests of whatever hangs on it."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.session.model import Simulation
from errorflow.quant.plan import Plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.outcome import Outcome
from errorflow_viewer.document.simulation_work import KEY, OPEN
from errorflow_viewer.window.window import MainWindow

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"
FEW = Basis(SampleSpec((str(SAMPLE.calibration),)), samples=12)


def open_model(window: MainWindow, qtbot: QtBot, path: Path = SAMPLE.model) -> None:
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not None and window.document.model.path == path)


def simulate(window: MainWindow, qtbot: QtBot, basis: Basis = FEW, plan: Plan | None = None) -> Outcome:
    """Presses the button, so to speak, and waits until all is known."""
    window.studies.simulating.start(basis, plan)
    qtbot.waitUntil(lambda: window.document.session.simulation is not None, timeout=30_000)
    return seen_through(window, qtbot)


def two_runs(window: MainWindow, qtbot: QtBot) -> None:
    """Run 1 as it is quantized, and on view Run 2 with the culprit in float."""
    open_model(window, qtbot)
    simulate(window, qtbot)
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    seen_through(window, qtbot)
    qtbot.waitUntil(lambda: len(window.document.session.trials) == 2)


def seen_through(window: MainWindow, qtbot: QtBot) -> Outcome:
    """What came of the plan on view, when all of it is known and painted."""

    def is_complete() -> bool:
        state, found = window.document.state, outcome(window)
        return (
            found is not None
            and not window.jobs.running(KEY)
            and not window.jobs.running(OPEN)
            and found.plan == simulation(window).plan
            and found.depth == "complete"
            and state.findings is not None
            and state.findings.comparison is found.comparison
        )

    qtbot.waitUntil(is_complete, timeout=30_000)
    found = outcome(window)
    assert found is not None
    return found


def outcome(window: MainWindow) -> Outcome | None:
    simulated = window.document.state.simulated
    return None if simulated is None else simulated.outcome


def simulation(window: MainWindow) -> Simulation:
    found = window.document.session.simulation
    assert found is not None, "nothing is simulated"
    return found
