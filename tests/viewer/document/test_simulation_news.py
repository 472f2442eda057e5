"""What is told of the samples above the graph."""

from pytestqt.qtbot import QtBot

from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.simulation_news import SAMPLES
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.panels.simulate.told import SimulationSummary
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import FEW, open_model, simulate

MADE_UP = Basis(SampleSpec(seed=0, count=2))


def of_samples(window: MainWindow) -> list[Notice]:
    texts = [row.notice for row in window.banners.rows]
    return [notice for notice in texts if notice.key == SAMPLES or "made up" in f"{notice.text} {notice.hint}"]


def test_made_up_samples_are_told_once(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    simulate(window, qtbot, MADE_UP)
    [notice] = of_samples(window)
    assert notice.kind == "warning" and "made up" in notice.text
    assert "made up" not in notice.details


def test_real_samples_take_the_message_of_made_up_ones_away(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    simulate(window, qtbot, MADE_UP)
    window.studies.simulating.start(FEW)
    qtbot.waitUntil(lambda: not any("made up" in notice.text for notice in of_samples(window)), timeout=30_000)


def test_the_panel_says_it_in_its_own_words_alone(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    outcome = simulate(window, qtbot, MADE_UP)
    bench = window.studies.simulating.bench
    assert bench is not None
    told = SimulationSummary.of(bench, outcome)
    assert told.made_up and not any("made up" in note for note in told.notes)
