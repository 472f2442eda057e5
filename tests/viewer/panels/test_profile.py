"""The metric along the depth, linked with the graph, the list and the search."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.compare.model import PENDING, Comparison, Row
from errorflow.explain.findings.profile import RELATIVE
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Model
from errorflow_viewer.panels.profile.panel import ProfilePanel
from errorflow_viewer.panels.profile.plot import ProfileView
from errorflow_viewer.plots.span import Span, brush_text, brushed, whole, with_brush, without_brush
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.lending import Prepare
from viewer.models import chain

INFO = TensorInfo("", "float32", (1,), 4)
NODES = 40
# Not measured; the worst of all.
GAP, WORST = 5, 20


def values() -> dict[int, float]:
    return {node: 0.9 if node == WORST else 0.01 + node / 1000 for node in range(NODES) if node != GAP}


def comparison() -> Comparison:
    return Comparison(
        tuple(Row(f"t{node + 1}", INFO, INFO, {RELATIVE.key: value, "cosine": 0.5}) for node, value in values().items())
    )


def panel_of(window: MainWindow) -> ProfilePanel:
    content = window.panels.by_key["profile"].content
    assert isinstance(content, ProfilePanel)
    return content


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    model = Model(Path("/models/chain.onnx"), "ONNX model", chain(NODES))
    return lambda window, qtbot: window.document.open(model)


@pytest.fixture
def plot(lent_window: MainWindow, qtbot: QtBot) -> Iterator[ProfileView]:
    window = lent_window
    window.document.take_case(case_with(comparison()))
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    panel = panel_of(window)
    qtbot.waitUntil(lambda: panel.plot is not None and panel.stack.currentWidget() is panel.plot)
    plot = panel.plot
    assert plot is not None
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_0)  # all of it, whatever a test before looked at
    size, least = plot.size(), plot.minimumHeight()
    yield plot
    if shiboken6.isValid(plot):
        plot.setMinimumHeight(least)
        plot.resize(size)


def spot_of(plot: ProfileView, place: float) -> QPoint:
    room = plot.room
    assert room is not None
    return QPointF(room.x(place), (room.top + room.bottom) / 2).toPoint()


def click(plot: ProfileView, place: float) -> None:
    QTest.mouseClick(plot, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot_of(plot, place))


def drag(plot: ProfileView, start: QPoint, end: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    QTest.mousePress(plot, button, Qt.KeyboardModifier.NoModifier, start)
    for share in (0.3, 0.7, 1.0):
        QTest.mouseMove(plot, start + (end - start) * share)
    QTest.mouseRelease(plot, button, Qt.KeyboardModifier.NoModifier, end)


class TestEmpty:
    def test_without_a_model_it_says_what_will_be_here(self, window: MainWindow) -> None:
        panel = panel_of(window)
        assert panel.stack.currentWidget() is panel.nothing
        assert panel.plot is None

    def test_without_runs_it_offers_to_compare(self, window: MainWindow) -> None:
        window.document.open(Model(Path("/models/chain.onnx"), "ONNX model", chain(3)))
        panel = panel_of(window)
        assert panel.stack.currentWidget() is panel.not_compared

    def test_runs_of_something_else_are_not_measured_here(self, window: MainWindow, qtbot: QtBot) -> None:
        window.document.open(Model(Path("/models/chain.onnx"), "ONNX model", chain(3)))
        window.document.take_case(case_with(Comparison((Row("other", INFO, INFO, {RELATIVE.key: 1.0}),))))
        qtbot.waitUntil(lambda: window.document.state.findings is not None)
        panel = panel_of(window)
        assert panel.stack.currentWidget() is panel.not_measured

    def test_while_the_runs_are_measured_it_says_so(
        self, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        window.document.open(Model(Path("/models/chain.onnx"), "ONNX model", chain(NODES)))
        panel, pending = panel_of(window), Comparison((Row("t1", INFO, INFO, note=PENDING),))
        monkeypatch.setattr(window.jobs, "running", lambda key: key == "compare")
        window.document.take_case(case_with(pending, complete=False))
        qtbot.waitUntil(lambda: window.document.state.findings is not None)
        assert panel.stack.currentWidget() is panel.measuring

    def test_closing_the_model_empties_it(self, plot: ProfileView, window: MainWindow) -> None:
        window.document.close()
        window.document.open(Model(Path("/models/chain.onnx"), "ONNX model", chain(3)))
        assert panel_of(window).stack.currentWidget() is panel_of(window).not_compared

    def test_hidden_it_computes_nothing(self, window: MainWindow, qtbot: QtBot) -> None:
        window.document.open(Model(Path("/models/chain.onnx"), "ONNX model", chain(NODES)))
        window.panels.hide("profile")
        window.document.take_case(case_with(comparison()))
        qtbot.waitUntil(lambda: window.document.state.findings is not None)
        panel = panel_of(window)
        assert panel.plot is None
        window.panels.show("profile")
        qtbot.waitUntil(lambda: panel.plot is not None)


class TestPointer:
    def test_a_click_selects_the_node(self, plot: ProfileView, window: MainWindow) -> None:
        click(plot, 12)
        assert window.document.state.node == 12
        assert plot.selected == 12

    def test_hovering_tells_the_others(self, plot: ProfileView, window: MainWindow, qtbot: QtBot) -> None:
        with qtbot.waitSignal(window.document.pointed) as told:
            QTest.mouseMove(plot, spot_of(plot, 7))
        assert told.args == [7]

    def test_what_others_point_at_is_marked(self, plot: ProfileView, window: MainWindow) -> None:
        window.document.pointed.emit(9)
        assert plot.hovered == 9
        window.document.pointed.emit(None)
        assert plot.hovered is None

    def test_what_is_selected_elsewhere_is_marked(self, plot: ProfileView, window: MainWindow) -> None:
        window.document.pick(3)
        assert plot.selected == 3
        assert "/layer0/node3" in plot.accessibleDescription()

    def test_a_double_click_goes_to_the_node(self, plot: ProfileView, window: MainWindow) -> None:
        visits = window.document.state.visit
        QTest.mouseDClick(plot, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot_of(plot, 12))
        assert window.document.state.node == 12
        assert window.document.state.visit > visits

    def test_a_double_click_beside_the_curve_shows_all(self, plot: ProfileView) -> None:
        plot.look_at(Span(10, 20))
        QTest.mouseDClick(plot, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(5, plot.height() - 4))
        assert plot.span == whole(NODES)

    def test_where_nothing_was_measured_the_nearest_is_meant(self, plot: ProfileView) -> None:
        assert plot.place_at(QPointF(spot_of(plot, GAP + 0.3))) == GAP + 1

    def test_where_many_stand_in_a_pixel_the_worst_is_meant(self, plot: ProfileView, window: MainWindow) -> None:
        plot.resize(100, 120)
        assert plot.place_at(QPointF(spot_of(plot, WORST - 1))) == WORST

    def test_the_wheel_comes_nearer_where_the_pointer_is(self, plot: ProfileView) -> None:
        spot = QPointF(spot_of(plot, 30))
        room = plot.room
        assert room is not None
        before = room.place(spot.x())
        nothing = Qt.MouseButton.NoButton
        event = QWheelEvent(
            spot,
            QPointF(plot.mapToGlobal(spot.toPoint())),
            QPoint(),
            QPoint(0, 120),
            nothing,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(plot, event)
        assert plot.span.length < NODES
        assert plot.room is not None
        assert plot.room.place(spot.x()) == pytest.approx(before)

    def test_the_middle_button_moves_what_is_seen(self, plot: ProfileView) -> None:
        plot.look_at(Span(10, 20))
        drag(plot, spot_of(plot, 15), spot_of(plot, 13), Qt.MouseButton.MiddleButton)
        assert plot.span.start == pytest.approx(12, abs=0.2)
        assert plot.span.length == pytest.approx(10)


class TestBrush:
    def test_a_drag_narrows_the_search_to_the_places(self, plot: ProfileView, window: MainWindow) -> None:
        drag(plot, spot_of(plot, 10), spot_of(plot, 20))
        assert window.document.state.search == brush_text(10, 20)
        assert plot.brush == (10, 20)

    def test_backwards_it_is_the_same(self, plot: ProfileView, window: MainWindow) -> None:
        drag(plot, spot_of(plot, 20), spot_of(plot, 10))
        assert window.document.state.search == "depth:10..20"

    def test_what_was_searched_for_stays(self, plot: ProfileView, window: MainWindow) -> None:
        window.document.search_for("type:Conv")
        drag(plot, spot_of(plot, 10), spot_of(plot, 20))
        assert window.document.state.search == "type:Conv depth:10..20"

    def test_escape_takes_it_away(self, plot: ProfileView, window: MainWindow) -> None:
        window.document.search_for("type:Conv depth:10..20")
        QTest.keyClick(plot, Qt.Key.Key_Escape)
        assert window.document.state.search == "type:Conv"
        assert plot.brush is None

    def test_a_drag_selects_no_node(self, plot: ProfileView, window: MainWindow) -> None:
        drag(plot, spot_of(plot, 10), spot_of(plot, 20))
        assert window.document.state.node is None


class TestKeys:
    @pytest.mark.parametrize(
        ("start", "key", "end"),
        [
            (3, Qt.Key.Key_Right, 4),
            (GAP - 1, Qt.Key.Key_Right, GAP + 1),
            (GAP + 1, Qt.Key.Key_Left, GAP - 1),
            (NODES - 1, Qt.Key.Key_Right, NODES - 1),
            (None, Qt.Key.Key_Right, 0),
            (None, Qt.Key.Key_Left, NODES - 1),
            (9, Qt.Key.Key_Home, 0),
            (9, Qt.Key.Key_End, NODES - 1),
        ],
    )
    def test_arrows_lead_along_what_was_measured(
        self, plot: ProfileView, window: MainWindow, start: int | None, key: Qt.Key, end: int
    ) -> None:
        window.document.pick(start)
        QTest.keyClick(plot, key)
        assert window.document.state.node == end

    def test_enter_centres_the_selected_node(self, plot: ProfileView, window: MainWindow) -> None:
        window.document.pick(8)
        visits = window.document.state.visit
        QTest.keyClick(plot, Qt.Key.Key_Return)
        assert window.document.state.visit > visits

    def test_plus_and_minus_zoom_and_nought_shows_all(self, plot: ProfileView) -> None:
        QTest.keyClick(plot, Qt.Key.Key_Plus)
        near = plot.span
        assert near.length < NODES
        QTest.keyClick(plot, Qt.Key.Key_Minus)
        assert plot.span.length > near.length
        QTest.keyClick(plot, Qt.Key.Key_Plus)
        QTest.keyClick(plot, Qt.Key.Key_0)
        assert plot.span == whole(NODES)

    def test_a_step_out_of_sight_brings_it_into_view(self, plot: ProfileView, window: MainWindow) -> None:
        plot.look_at(Span(0, 10))
        window.document.pick(30)
        assert plot.span.start <= 30 < plot.span.end


class TestPicture:
    def test_another_metric_is_shown_where_one_was_looking(self, plot: ProfileView, window: MainWindow) -> None:
        plot.look_at(Span(10, 20))
        painting = window.document.session.painting
        window.document.edit("Metric", painting=type(painting)(metric="cosine"))
        assert plot.profile is not None
        assert plot.profile.scale.key == "cosine"
        assert plot.span == Span(10, 20)

    def test_other_limits_are_shown(self, plot: ProfileView, window: MainWindow) -> None:
        before = plot.profile
        painting = window.document.session.painting
        window.document.edit("Limits", painting=replace(painting, limits={RELATIVE.key: (0.2, 0.4)}))
        assert plot.profile is not before

    def test_another_palette_paints_the_same_curves(self, plot: ProfileView, window: MainWindow) -> None:
        before, light = plot.profile, plot.grab().toImage()
        window.document.edit("Palette", painting=replace(window.document.session.painting, palette="single"))
        assert plot.profile is before
        assert plot.grab().toImage() != light

    @pytest.mark.parametrize("decided", [{"edges": False}, {"front": False}, {"swapped": True}])
    def test_what_the_curves_do_not_show_paints_nothing_anew(
        self, plot: ProfileView, window: MainWindow, decided: dict[str, bool]
    ) -> None:
        plot.grab()
        kept = plot._kept
        painting = replace(window.document.session.painting, **decided)  # type: ignore[arg-type]  # the dataclass checks them
        window.document.edit("Paint", painting=painting)
        window.document.edit("Note", notes={"n1": "looked at"})
        plot.grab()
        assert plot._kept is kept

    def test_dark_ground_is_dark(self, plot: ProfileView, window: MainWindow) -> None:
        window.set_theme("dark")
        assert plot.grab().toImage().pixelColor(2, plot.height() - 2) == QColor(window.appearance.theme.canvas)

    @pytest.mark.parametrize("size", [(1, 1), (60, 20), (300, 96), (2560, 400)])
    @pytest.mark.parametrize("span", [Span(0, NODES), Span(4.5, 8.5), Span(0, 1)])
    def test_every_size_and_part_can_be_painted(self, plot: ProfileView, size: tuple[int, int], span: Span) -> None:
        plot.setMinimumHeight(0)
        plot.resize(*size)
        plot.look_at(span)
        assert not plot.grab().isNull()

    def test_hovering_paints_no_curve_anew(self, plot: ProfileView) -> None:
        plot.grab()
        kept = plot._kept
        plot.point_at(3)
        plot.grab()
        assert plot._kept is kept


class TestSpan:
    @given(st.floats(0.1, 10), st.floats(0, 100), st.integers(1, 100))
    def test_zooming_stays_inside(self, factor: float, at: float, count: int) -> None:
        found = whole(count).zoomed(factor, min(at, count), count)
        assert -1e-6 <= found.start < found.end <= count + 1e-6

    @given(st.integers(0, 99), st.floats(0, 90), st.floats(4, 100))
    def test_a_place_is_brought_into_view(self, place: int, start: float, length: float) -> None:
        found = Span(start, start + length).inside(100).with_place(place, 100)
        assert found.start - 1e-6 <= place and place + 1 <= found.end + 1e-6

    @pytest.mark.parametrize(
        ("search", "brush", "rest"),
        [
            ("depth:3..9", (3, 9), ""),
            ("a depth:3..9 b", (3, 9), "a b"),
            ("depth:3", None, "depth:3"),
            ("", None, ""),
            ("(a or b) depth:3..9", (3, 9), "a or b"),
            ("(a) (b) depth:3..9", (3, 9), "(a) (b)"),
            ("a or b depth:3..9", None, "a or b depth:3..9"),
            ('"depth:1..2"', None, '"depth:1..2"'),
        ],
    )
    def test_a_brush_is_read_from_the_search(self, search: str, brush: tuple[int, int] | None, rest: str) -> None:
        assert brushed(search) == brush
        assert without_brush(search) == rest

    def test_a_new_brush_replaces_the_old_one(self) -> None:
        assert with_brush("a depth:3..9", 4, 2) == "a depth:2..4"

    def test_a_brush_narrows_all_that_is_searched_for(self) -> None:
        search = "verdict:origin or gain>1.2"
        assert with_brush(search, 6, 15) == f"({search}) depth:6..15"
        assert with_brush(with_brush(search, 6, 15), 2, 3) == f"({search}) depth:2..3"

    def test_parentheses_that_are_there_are_enough(self) -> None:
        assert with_brush("(a or b)", 6, 15) == "depth:6..15 (a or b)"
        assert with_brush("depth:6..15 (a or b)", 2, 3) == "depth:2..3 (a or b)"

    @given(
        st.lists(st.sampled_from(["a", "type:Conv", "gain>1.2", "(a or b)", '"or x"', "or", "-b", "not"]), max_size=6)
    )
    def test_taking_a_brush_away_restores_the_search(self, words: list[str]) -> None:
        search = " ".join(words)
        narrowed = with_brush(search, 6, 15)
        assert brushed(narrowed) == (6, 15)
        assert without_brush(narrowed) == search
