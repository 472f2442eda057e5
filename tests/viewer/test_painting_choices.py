"""What the user decides about how error is painted: metric, marks, limits, palette, edges, front."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from errorflow.case.session.model import Painting
from errorflow.explain.blame.model import Verdict
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.commands.api import Entry
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from viewer.lending import SHARED, Prepare
from viewer.models import branching_model
from viewer.window.test_error_painting import SAMPLE, WITHOUT_RUNS, box_of, opened, painted, shown

pytestmark = SHARED


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return opened


def painting(window: MainWindow) -> Painting:
    return window.document.session.painting


def entries(window: MainWindow, key: str) -> dict[str, Entry[Any]]:
    [row] = [row for row in ACTIONS if row.key == key]
    assert row.entries is not None
    return {entry.text: entry for entry in row.entries(window)}


def test_all_that_was_measured_can_be_painted(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    found = entries(window, "metric")
    assert list(found)[:4] == ["Share of blame", "Cosine similarity", "Relative error", "SQNR"]
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
        seen.append(painted(window).measure.rpartition(" · ")[2])
    assert sorted(seen) == sorted(names) and seen[-1] == "Relative error"
    window.commands.made["metric.previous"].trigger()
    assert painted(window).measure == f"accumulated · {seen[-2]}"


def test_the_share_of_blame_is_painted_and_one_key_returns_to_the_error(own_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(own_window, qtbot)
    entries(window, "metric")["Share of blame"].run(window)
    paint, metric = painted(window), window.commands.made["limits.reset"]
    assert paint.measure == "error at probabilities · Share of blame" and paint.bar == "accumulated · Relative error"
    assert [text for text, entry in entries(window, "metric").items() if entry.checked] == ["Share of blame"]
    # The metric on view stays what the lists show.
    assert painting(window).metric == "relative_l2" and painting(window).blamed
    assert not metric.isEnabled()
    window.view.limits.moved.emit(5.0, 20.0)
    assert (painted(window).good, painted(window).bad) == ("5 %", "20 %")
    window.commands.made["limits.reset"].trigger()
    assert painted(window).good == paint.good
    QTest.keyClick(window.view, Qt.Key.Key_X)
    assert painted(window).measure == "accumulated · Relative error" and not painting(window).blamed
    QTest.keyClick(window.view, Qt.Key.Key_X)
    assert painted(window).measure == "introduced · Relative error"


def test_one_key_swaps_the_marks(own_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(own_window, qtbot)
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
