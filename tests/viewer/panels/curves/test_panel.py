"""The panel in a window, with a real engine."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.run.samples.asked import SampleSpec as Samples
from errorflow.study.rank.model import Question
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.ranking import SIMULATED_FIRST
from errorflow_viewer.document.simulation_work import OPEN
from errorflow_viewer.kit.look import FONT_FAMILY
from errorflow_viewer.panels.curves.asked import Asked
from errorflow_viewer.panels.curves.files import image_of, write_to
from errorflow_viewer.panels.curves.head import CurvesContext, samples, sets
from errorflow_viewer.panels.curves.panel import WAITS_RANKING, WAITS_SIMULATION, CurvesPanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import CULPRIT, FEW, seen_through, simulation


def drawn(panel: CurvesPanel, qtbot: QtBot) -> None:
    panel.running.start()
    running = panel.running
    qtbot.waitUntil(
        lambda: not running.busy and not running.waits and running.curves is not None and running.is_of_plan
    )
    assert running.curves is not None and running.curves.complete


def culprit(window: MainWindow) -> int:
    assert window.document.graph is not None
    found = window.document.graph.node_index(CULPRIT)
    assert found is not None
    return found


def test_without_a_model_one_is_offered(window: MainWindow) -> None:
    window.panels.show("curves")
    panel = window.panels.by_key["curves"].content
    assert isinstance(panel, CurvesPanel)
    assert panel.stack.currentWidget() is panel.nothing


def test_without_a_simulation_one_is_asked_for_first(panel: CurvesPanel, window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.studies.simulating.asked):
        panel.empty.button.click()
    assert panel.note.accessibleName() == WAITS_SIMULATION
    window.studies.simulating.start(FEW)
    qtbot.waitUntil(lambda: panel.running.curves is not None and panel.running.curves.complete)
    assert not panel.running.waits


def test_weights_activations_and_both_are_drawn_along_the_depth(simulated: CurvesPanel, qtbot: QtBot) -> None:
    drawn(simulated, qtbot)
    curves = simulated.curves
    assert curves is not None
    assert [each.label for each in curves.curves] == ["weights only", "activations only", "weights and activations"]
    assert simulated.inside.currentWidget() is simulated.plot
    assert simulated.head.button.text() == "Drawn" and not simulated.head.button.isEnabled()


def test_a_place_selects_its_node_and_a_node_its_place(
    simulated: CurvesPanel, window: MainWindow, qtbot: QtBot
) -> None:
    drawn(simulated, qtbot)
    assert simulated.plot.shown is not None
    place = simulated.plot.shown.places[culprit(window)]
    simulated.plot.picked.emit(place)
    assert window.document.state.node == culprit(window)
    other = simulated.plot.shown.curves.points[0].nodes[0]
    window.document.select(other)
    assert simulated.plot.selected == 0
    with qtbot.waitSignal(window.document.pointed) as signal:
        simulated.plot.pointed.emit(place)
    assert signal.args == [culprit(window)]
    window.document.pointed.emit(None)
    window.document.pointed.emit(other)
    assert simulated.plot.hovered == 0


def test_average_and_scale_draw_the_same_curves_in_another_way(simulated: CurvesPanel, qtbot: QtBot) -> None:
    drawn(simulated, qtbot)
    known = simulated.running.curves
    simulated.head.average.click()
    assert simulated.plot.shown is not None and simulated.plot.shown.curves.averaged
    simulated.head.log.click()
    assert simulated.plot.shown.linear
    assert simulated.running.curves is known


def test_recovery_ranks_first_and_marks_its_knee(simulated: CurvesPanel, window: MainWindow, qtbot: QtBot) -> None:
    simulated.running.ask(Asked("recovery"))
    simulated.running.start()
    assert simulated.note.accessibleName() == WAITS_RANKING
    drawn(simulated, qtbot)
    shown = simulated.plot.shown
    assert shown is not None and shown.knees[0] is not None and shown.knees[0].at == 1
    assert shown.curves.points[1].nodes[0] == culprit(window)


def test_a_number_of_kept_parts_becomes_the_plan_as_one_step(
    simulated: CurvesPanel, window: MainWindow, qtbot: QtBot
) -> None:
    simulated.running.ask(Asked("recovery"))
    drawn(simulated, qtbot)
    before = simulation(window).plan
    assert not simulated.keep.isEnabled()
    simulated.plot.picked.emit(2)
    assert simulated.keep.text() == "Keep these 2 in float"
    simulated.keep.click()
    assert window.document.undo_text == "Keep the top 2 of the ranking in float"
    curves = simulated.running.curves
    assert curves is not None
    found = seen_through(window, qtbot)
    value = float(curves.over(curves.curves[0], "relative_l2").mean[2])
    row = next(
        row for row in found.comparison.rows if row.values and row.candidate and row.candidate.name == "probabilities"
    )
    assert row.values["relative_l2"] == pytest.approx(value, rel=1e-4)
    assert "plan before" in simulated.note.accessibleName()
    window.document.undo()
    assert simulation(window).plan == before


def test_what_was_decided_since_they_were_drawn_stays(simulated: CurvesPanel, window: MainWindow, qtbot: QtBot) -> None:
    simulated.running.ask(Asked("recovery"))
    drawn(simulated, qtbot)
    simulated.plot.picked.emit(2)
    simulated.keep.click()
    simulated.plot.picked.emit(1)
    simulated.keep.click()
    one = simulation(window).plan
    assert window.document.undo_text == f"Keep {CULPRIT} in float", "of what was kept before, less is kept"
    by_hand = one.keeping_float("/block3/Add")
    window.studies.simulating.edit("By hand", by_hand)
    simulated.plot.picked.emit(3)
    simulated.keep.click()
    kept = simulation(window).plan
    assert {rule for rule in by_hand.rules if rule not in one.rules} <= set(kept.rules)
    assert kept != by_hand


def test_they_are_kept_along_their_own_ranking_whatever_is_ranked_by_now(
    simulated: CurvesPanel, window: MainWindow, qtbot: QtBot
) -> None:
    simulated.running.ask(Asked("recovery"))
    drawn(simulated, qtbot)
    window.studies.ranking.choose("Rank tensors", Question(kind="tensor"))
    assert simulated.running.ranking is None
    simulated.plot.picked.emit(1)
    assert simulated.keep.isEnabled()
    simulated.keep.click()
    assert window.document.undo_text == f"Keep {CULPRIT} in float"


def test_who_cancels_the_simulation_is_not_kept_waiting(panel: CurvesPanel, window: MainWindow, qtbot: QtBot) -> None:
    panel.empty.button.click()
    window.studies.simulating.start(FEW)
    assert panel.running.waits and panel.measuring.sentence.text() == SIMULATED_FIRST
    window.jobs.cancel(OPEN)
    assert not panel.running.waits and panel.inside.currentWidget() is panel.empty


def test_a_simulation_that_fails_ends_the_wait(
    panel: CurvesPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    panel.empty.button.click()
    window.studies.simulating.start(Basis(Samples((str(tmp_path / "nothing.npz"),))))
    assert panel.running.waits
    qtbot.waitUntil(lambda: not window.jobs.running(OPEN))
    assert not panel.running.waits and panel.inside.currentWidget() is panel.empty


def test_partial_quantization_has_marks_of_each_alone(simulated: CurvesPanel, qtbot: QtBot) -> None:
    simulated.running.ask(Asked("partial"))
    drawn(simulated, qtbot)
    curves = simulated.curves
    assert curves is not None and {each.look for each in curves.curves} == {"line", "marks"}


def test_what_was_cancelled_goes_on(simulated: CurvesPanel, qtbot: QtBot) -> None:
    simulated.running.start()
    assert simulated.running.busy and simulated.head.button.text() == "Stop"
    assert simulated.inside.currentWidget() is simulated.measuring
    simulated.head.button.click()
    assert not simulated.running.busy
    drawn(simulated, qtbot)


def test_another_kind_is_drawn_when_it_is_wanted_and_the_first_comes_back(simulated: CurvesPanel, qtbot: QtBot) -> None:
    drawn(simulated, qtbot)
    known = simulated.running.curves
    simulated.head.kind.activated.emit(1)
    assert simulated.running.curves is None and simulated.inside.currentWidget() is simulated.empty
    simulated.head.kind.activated.emit(0)
    assert simulated.running.curves is known


@pytest.mark.parametrize(("ending", "begin"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".csv", b"curve,")])
def test_it_is_written_as_a_file(
    simulated: CurvesPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path, ending: str, begin: bytes
) -> None:
    drawn(simulated, qtbot)
    assert simulated.curves is not None
    path = tmp_path / f"curves{ending}"
    write_to(path, window, simulated.curves, "relative_l2", linear=False)
    qtbot.waitUntil(path.exists)
    assert path.read_bytes().lstrip(b"\xef\xbb\xbf").startswith(begin)


def test_where_they_go_is_asked_without_stopping_the_window(
    simulated: CurvesPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    drawn(simulated, qtbot)
    simulated.export.click()
    [dialog] = window.findChildren(QFileDialog)
    assert dialog.isVisible() and dialog.selectedNameFilter().startswith("SVG")
    dialog.fileSelected.emit(str(tmp_path / "curves.csv"))
    dialog.close()
    qtbot.waitUntil((tmp_path / "curves.csv").exists)
    assert window.settings.export_folder(window.document.folder) == str(tmp_path)


def test_pictures_have_the_font_of_the_window(qapp: object) -> None:
    listed = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="40" font-family="{}"><text y="30">W</text></svg>'
    )
    own = image_of(listed.format(FONT_FAMILY))
    assert image_of(listed.format(f"{FONT_FAMILY}, Inter, Arial")) == own


def test_what_is_told_is_one_line_that_ends_in_dots(simulated: CurvesPanel, qtbot: QtBot) -> None:
    simulated.running.ask(Asked("partial"))
    drawn(simulated, qtbot)
    simulated.plot.picked.emit(1)
    simulated.told.setFixedWidth(120)
    qtbot.waitUntil(lambda: simulated.told.width() == 120)
    simulated.told.show_text(simulated.told.accessibleName())
    assert simulated.told.text().endswith("…")
    assert simulated.plot.minimumHeight() >= 140


def test_sets_can_be_added_and_taken_away() -> None:
    around = CurvesContext(12, 30, ("a", "b"), "block2")
    by_text = {choice.text: choice for choice in sets(Asked(), around)}
    assert by_text["Weights only"].asked.halves == ("activations", "both")
    assert by_text["Only block2"].asked.only == (("a", "b"),)
    more = by_text["All but the top 3 of the ranking"].asked
    assert more.tops == (3,) and more.needs_ranking
    again = {choice.text: choice for choice in sets(more, around)}
    assert again["All but the top 3 of the ranking"].checked
    assert again["Only the whole model"].asked == Asked()
    bare = {choice.text: choice for choice in sets(Asked(), CurvesContext())}
    assert not bare["Only the selection"].enabled


def test_fewer_samples_can_be_measured() -> None:
    found = {choice.text: choice.asked.samples for choice in samples(Asked(), CurvesContext(3))}
    assert found == {"The first sample": (0,), "The first 2 samples": (0, 1), "All samples": ()}
