"""The graph painted by the error of two runs: from opening a sample to colours, words, the switch and the export."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from errorflow.blame.model import Verdict
from errorflow.compare import Comparison, compare
from errorflow.formats import read_tensors
from errorflow.layout.drawing import Kind
from errorflow.report.fold import UNMEASURED
from errorflow.report.paint import Paint
from errorflow.sample import SAMPLES, Sample
from errorflow.session.model import Painting
from errorflow_viewer.actions import ACTIONS
from errorflow_viewer.banner import Notice
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.desk import Entry
from errorflow_viewer.drawings import Unfolded
from errorflow_viewer.error_painting import ErrorPainting
from errorflow_viewer.window import MainWindow
from viewer.models import branching_model

SAMPLE = SAMPLES[0]
WITHOUT_RUNS = "No two runs of this model are compared"


def errors(window: MainWindow) -> ErrorPainting:
    return window._graph_view.errors


def shown(window: MainWindow) -> Unfolded:
    found = window._graph_view.shown
    assert found is not None
    return found


def painted(window: MainWindow) -> Paint:
    """How the picture is painted; what the canvas was given goes with what it shows."""
    paint = errors(window).paint
    assert paint is not None
    assert len(paint.errors.badness) == len(shown(window).drawing)
    return paint


def opened(window: MainWindow, qtbot: QtBot, sample: Sample = SAMPLE) -> MainWindow:
    window.open(sample.model)
    qtbot.waitUntil(lambda: window.document.model is not None and errors(window).paint is not None)
    qtbot.waitUntil(lambda: is_settled(window), timeout=20_000)
    return window


def is_settled(window: MainWindow) -> bool:
    """Whether all is measured and found: what is known meanwhile is painted, too."""
    compared, findings = window.document.state.compared, window.document.state.findings
    complete = compared is not None and compared.complete and not window.jobs.steps
    return complete and findings is not None and findings.comparison is compared.comparison  # type: ignore[union-attr]  # complete says so


def box_of(window: MainWindow, name: str) -> int:
    graph = window.document.graph
    node = None if graph is None else graph.node_index(name)
    assert node is not None
    box = shown(window).box_of(node)
    assert box is not None
    return box


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_a_sample_is_painted_by_the_error_of_its_runs(window: MainWindow, qtbot: QtBot, sample: Sample) -> None:
    opened(window, qtbot, sample)
    comparison = window.document.comparison
    assert comparison is not None
    wanted = compare(read_tensors(sample.reference_run), read_tensors(sample.candidate_run)).rows
    assert {row.tensor: row.values for row in comparison.rows} == {row.tensor: row.values for row in wanted}
    assert painted(window).errors.measured.any()
    assert painted(window).measure == "accumulated · Relative error"


def test_before_and_after_the_fault_the_colours_differ(window: MainWindow, qtbot: QtBot) -> None:
    """The culprit of the first sample is the first bad node."""
    opened(window, qtbot)
    window.folds.open_all()
    badness = painted(window).errors.badness
    [culprit] = SAMPLE.truth().culprits
    graph = window.document.graph
    assert graph is not None
    bad = [badness[box_of(window, name)] for name in graph.node_names]
    first = graph.node_index(culprit)
    assert first is not None
    assert max(bad[:first]) < 0.5 < bad[first]


def test_closing_groups_paints_the_folds(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.folds.close_all()
    paint, graph = painted(window), window.document.graph
    assert graph is not None
    folds = np.flatnonzero(shown(window).drawing.kinds == Kind.FOLD)
    assert paint.errors.folds.tolist() == folds.tolist() and len(folds)
    counts = [len(shown(window).drawing.nodes_of_box(int(fold))) for fold in folds]
    assert paint.errors.bands.sum(axis=1).tolist() == counts
    [culprit] = SAMPLE.truth().culprits
    fold = box_of(window, culprit)
    assert paint.errors.badness[fold] == 1.0
    worst, spread, *_ = window.view.note_on(fold).splitlines()
    assert worst.startswith("accumulated · Relative error ") and "nodes measured: " in spread


def test_the_tooltip_of_a_node_names_measure_value_and_tensor(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.folds.open_all()
    [culprit] = SAMPLE.truth().culprits
    graph, comparison = window.document.graph, window.document.comparison
    assert graph is not None and comparison is not None
    node = graph.node_index(culprit)
    assert node is not None
    tensor = graph.tensor_names[graph.node_outputs[node][0]]
    row = comparison.row(tensor)
    assert row is not None
    text = f"accumulated · Relative error {row.value('relative_l2'):.4f} – {tensor}"
    assert window.view.note_on(box_of(window, culprit)).splitlines()[0] == text


def test_the_switch_turns_the_colours_off_and_on(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    switch = window.commands.made["switch.error"]
    coloured = window.view.picture()
    assert switch.isEnabled() and switch.isChecked() and "two runs" in switch.toolTip()
    switch.trigger()
    assert errors(window).paint is None and not switch.isChecked()
    assert window.view.picture() != coloured and window.view.note_on(0) == ""
    window.folds.close_all()
    assert errors(window).paint is None
    switch.trigger()
    assert painted(window).errors.measured.any()


def test_the_switch_is_remembered(window: MainWindow, qtbot: QtBot) -> None:
    window.settings.switch("error", False)
    window.switches.turn("error")
    window.switches.turn("error")
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.comparison is not None and not window.jobs.steps)
    assert errors(window).paint is None
    window.switches.turn("error")
    qtbot.waitUntil(lambda: errors(window).paint is not None)


def test_without_runs_the_switch_says_what_is_missing(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    switch = window.commands.made["switch.error"]
    assert not switch.isEnabled() and switch.toolTip().startswith(WITHOUT_RUNS)
    assert switch.statusTip().startswith(WITHOUT_RUNS) and window.commands.menus["View"].toolTipsVisible()
    assert errors(window).paint is None


def test_another_model_takes_the_colours_away(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: window.document.comparison is None and not window.jobs.steps)
    assert errors(window).paint is None
    window.close_model()
    assert window.document.comparison is None


def test_reading_the_file_again_paints_it_again(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    before = window.document.comparison
    window.reload()
    qtbot.waitUntil(lambda: window.document.comparison is not before and errors(window).paint is not None)
    assert painted(window).errors.measured.any()


def test_any_comparison_can_be_shown(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    comparison = window.document.comparison
    assert comparison is not None
    window.folds.close_all()
    window.document.take_comparison(Comparison(comparison.rows[:3]))
    qtbot.waitUntil(lambda: errors(window).paint is not None)
    qtbot.waitUntil(lambda: bool(painted(window).errors.bands[:, UNMEASURED].any()))
    window.document.take_comparison(Comparison(()))
    qtbot.waitUntil(lambda: errors(window).paint is None)


def test_hidden_nodes_count_where_their_value_is_seen(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.folds.close_all()
    total = int(painted(window).errors.bands.sum()) + int((shown(window).drawing.kinds == Kind.OPERATOR).sum())
    window.switches.turn("quiet")
    qtbot.waitUntil(lambda: shown(window).draft.quiet is not None and not window.jobs.steps)
    boxes = shown(window).boxes_of_nodes()
    counted = np.bincount(boxes[boxes >= 0], minlength=len(shown(window).drawing))
    folds = painted(window).errors.folds
    assert painted(window).errors.bands.sum(axis=1).tolist() == counted[folds].tolist()
    assert int(counted.sum()) == total


def test_runs_that_cannot_be_read_are_told_of(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Sample, "candidate_run", property(lambda _: tmp_path / "gone.npz"))
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: len(window.banners.rows) == 2)
    notices: list[Notice] = [row.notice for row in window.banners.rows]
    assert any(notice.kind == "error" and "gone.npz" in notice.text for notice in notices)
    assert errors(window).paint is None


def test_an_exported_graph_is_painted(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    picture = window.exports._picture()
    assert picture is not None and picture.paint is painted(window)


def test_a_closed_model_leaves_nothing_in_memory(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.document.select(node=3)
    window.document.search_for("conv")
    qtbot.waitUntil(lambda: not window.jobs.steps)
    left = weakref.ref(window.document.graph)
    window.close_model()
    window.jobs.stop()

    def gone() -> bool:  # when what jobs have still sent is delivered
        gc.collect()
        return left() is None

    qtbot.waitUntil(gone)


# What the user decides


def painting(window: MainWindow) -> Painting:
    return window.document.session.painting


def entries(window: MainWindow, key: str) -> dict[str, Entry]:
    [row] = [row for row in ACTIONS if row.key == key]
    assert row.entries is not None
    return {entry.text: entry for entry in row.entries(window)}


def test_all_that_was_measured_can_be_painted(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    found = entries(window, "metric")
    assert list(found)[:3] == ["Cosine similarity", "Relative error", "SQNR"]
    assert [text for text, entry in found.items() if entry.checked] == ["Relative error"]
    found["SQNR"].run(window)
    assert painted(window).measure == "accumulated · SQNR" and painting(window).metric == "sqnr"
    assert window.document.undo_text == "Paint by SQNR"
    window.document.undo()
    assert painted(window).measure == "accumulated · Relative error"


def test_keys_go_through_the_metrics(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    names = list(entries(window, "metric"))
    seen = []
    for _ in names:
        window.commands.made["metric.next"].trigger()
        seen.append(painted(window).measure.removeprefix("accumulated · "))
    assert sorted(seen) == sorted(names) and seen[-1] == "Relative error"
    window.commands.made["metric.previous"].trigger()
    assert painted(window).measure == f"accumulated · {seen[-2]}"


def test_one_key_swaps_the_marks(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    plain = painted(window)
    QTest.keyClick(window.view, Qt.Key.Key_X)
    assert (painted(window).measure, painted(window).bar) == (plain.bar, plain.measure)
    assert window.commands.made["marks.swap"].isChecked()
    window.document.undo()
    assert painted(window).measure == plain.measure


def test_the_culprit_is_the_origin(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.folds.close_all()
    [culprit] = SAMPLE.truth().culprits
    signs = painted(window).signs
    assert signs is not None
    assert signs.verdicts[box_of(window, culprit)] == Verdict.ORIGIN
    assert signs.ends[box_of(window, culprit)] and f"origin: {culprit}" in window.view.note_on(box_of(window, culprit))


def test_limits_are_dragged_as_one_step(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    before = painting(window)
    for bad in (0.4, 0.3, 0.2):
        window.view.limits.moved.emit(0.05, bad)
    window.view.limits.settled.emit()
    assert painting(window).limits == {"relative_l2": (0.05, 0.2)} and painted(window).bad == "0.2"
    window.view.limits.moved.emit(0.05, 0.1)
    window.document.undo()
    assert painted(window).bad == "0.2"
    window.document.undo()
    assert painting(window) == before and painted(window).bad == "0.5"


def test_limits_are_reset_and_that_is_a_step_too(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.view.limits.moved.emit(0.05, 0.1)
    window.view.limits.reset.emit()
    assert painting(window).limits == {} and painted(window).bad == "0.5"
    window.document.undo()
    assert painted(window).bad == "0.1"


def test_the_legend_has_a_menu_of_its_own(window: MainWindow, qtbot: QtBot) -> None:
    view = opened(window, qtbot).view
    view.limits.moved.emit(0.2, 0.4)
    assert painting(window).limits
    spot = QPoint(view.width() // 2, view.height() - 4)
    assert view.legend_at(QPointF(spot))
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(view, QContextMenuEvent(reason, spot, view.mapToGlobal(spot)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts = [action.text().replace("&", "") for action in menu.actions() if not action.isSeparator()]
    assert texts[0] == "Paint by" and "Colours of error" in texts and "Limits" in texts
    assert not any("group" in text.lower() for text in texts)
    next(action for action in menu.actions() if action.text().replace("&", "") == "Reset the limits").trigger()
    assert not painting(window).limits
    menu.close()


def test_a_preset_says_what_it_is_for(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    found = entries(window, "limits")
    assert [text for text, entry in found.items() if entry.checked] == ["Default"]
    assert "msit" in found["Vendor limits (Ascend)"].tip
    found["int8 detection"].run(window)
    assert (painted(window).good, painted(window).bad) == ("0.05", "0.2")
    assert painting(window).preset == "int8-detection"
    assert [text for text, entry in entries(window, "limits").items() if entry.checked] == ["int8 detection"]
    window.view.limits.moved.emit(0.05, 0.1)
    assert painting(window).preset == ""


def test_a_palette_dresses_the_graph(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    entries(window, "palette.error")["One hue"].run(window)
    theme = window.appearance.theme
    assert window.view._screen.style.colors.error == colors_of(theme, "single").error
    assert painted(window).palette == "single"
    window.document.undo()
    assert window.view._screen.style.colors.error == colors_of(theme).error


def test_edges_and_the_front_are_switched(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    signs = painted(window).signs
    assert painted(window).tints is not None and signs is not None and signs.front.any()
    for key in ("edges.tint", "front.outline"):
        assert window.commands.made[key].isChecked()
        window.commands.made[key].trigger()
        assert not window.commands.made[key].isChecked()
    signs = painted(window).signs
    assert painted(window).tints is None and signs is not None and not signs.front.any()


def test_without_runs_nothing_can_be_chosen(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    for key in ("metric.next", "marks.swap", "edges.tint", "front.outline"):
        assert window.commands.made[key].toolTip().startswith(WITHOUT_RUNS)
    assert entries(window, "metric") == {}


def test_other_metrics_are_made_ready_meanwhile(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    findings = window.document.state.findings
    assert findings is not None
    keys = {scale.key for scale in findings.scales}
    qtbot.waitUntil(lambda: set(findings.placed._columns) == keys)


def test_a_click_on_the_legend_finds_what_it_explains(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.document.select(node=3)
    view = window.view
    places = view._screen.legend.places(view.width(), view.devicePixelRatioF(), view._screen.style)
    [place] = [place for entry, place in places.entries if entry.sign == Verdict.ORIGIN]
    spot = (place.center() + QPointF(0, view._port().height)).toPoint() / view.devicePixelRatioF()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
    assert window.document.state.search == "verdict:origin" and window.document.state.node == 3
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
    assert window.document.state.search == ""


# What is left alone


def test_only_another_palette_dresses_the_canvas(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    dressed: list[object] = []
    window.view.set_colors = dressed.append  # type: ignore[method-assign, assignment]  # counted
    for painting in (Painting("cosine"), Painting("cosine", swapped=True), Painting("cosine", edges=False)):
        window.document.edit("Paint", painting=painting)
    assert not dressed
    window.document.edit("Palette", painting=Painting("cosine", edges=False, palette="single"))
    assert len(dressed) == 1


def test_neither_a_theme_nor_a_metric_asks_for_a_new_layout(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    before, unfolded = shown(window), list[bool]()
    window._graph_view.unfolded.connect(lambda: unfolded.append(True))
    window.set_theme("dark")
    window.document.edit("Paint", painting=Painting("cosine", palette="single", limits={"cosine": (0.99, 0.9)}))
    window.set_theme("light")
    assert shown(window) is before
    assert not unfolded
    assert not window.jobs.running("layout")
