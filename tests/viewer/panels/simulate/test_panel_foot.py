"""What the lower end of the panel says of what is on view."""

from pytestqt.qtbot import QtBot

from errorflow_viewer.document.simulation_work import KEY
from errorflow_viewer.panels.simulate.panel import AS_ON_VIEW, SimulatePanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import CULPRIT, seen_through, simulate, simulation


def test_what_is_on_view_is_said_only_of_its_own_plan(filled: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    simulate(window, qtbot)
    qtbot.waitUntil(lambda: filled.foot.state.said == AS_ON_VIEW)
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    window.jobs.cancel(KEY)
    qtbot.waitUntil(lambda: not window.studies.simulating.busy)
    assert filled.foot.state.said == ""
    window.studies.simulating.again()
    seen_through(window, qtbot)
    qtbot.waitUntil(lambda: filled.foot.state.said == AS_ON_VIEW)
