"""The page about what is selected, and its links."""

import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.compare import compare_match
from errorflow.compare.match.model import Match
from errorflow.formats import read_model
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.document.state import Place
from errorflow_viewer.panels import details
from errorflow_viewer.panels.attributes import LONG
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.panels.sections import without_breaks
from errorflow_viewer.window.window import MainWindow
from evidence_tensors import pair
from viewer.cases import case_with
from viewer.lending import Prepare
from viewer.models import branching_model


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return lambda window, qtbot: window.document.open(branching_model())


@pytest.fixture
def panel(lent_window: MainWindow) -> DetailsPanel:
    content = lent_window.panels.by_key["details"].content
    assert isinstance(content, DetailsPanel)
    return content


def follow(panel: DetailsPanel, target: str) -> None:
    panel.text.anchorClicked.emit(QUrl(target))


def test_nothing_selected_shows_the_model(panel: DetailsPanel) -> None:
    text = panel.plain_text()
    for part in ("branching.onnx", "ONNX model", "Producer: tests", "Nodes: 6", "Conv: 3", "Call", "1 problem"):
        assert part in text


def test_a_node_shows_type_attributes_tensors_and_neighbours(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=0)
    text = panel.plain_text()
    for part in ("conv1", "Conv", "pads: [1, 1]", "conv_out", "float32 1×16×8×8", "to relu1", "constant"):
        assert part in text


def test_a_fused_node_names_its_origins(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=1)
    assert "act_a" in panel.plain_text() and "act_b" in panel.plain_text()


def test_an_inserted_node_says_so(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=4)
    assert "Inserted by the compiler" in panel.plain_text()


def test_a_tensor_shows_who_makes_and_reads_it(panel: DetailsPanel, window: MainWindow) -> None:
    model = window.document.model
    assert model is not None
    window.document.select(tensor=model.graph.tensor_index("conv_out"))
    text = panel.plain_text()
    assert "conv1" in text and "relu1" in text and "1×16×8×8" in text


def test_a_link_to_a_node_goes_there_and_back_returns(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=0)
    follow(panel, "node:1")
    assert window.document.state.node == 1
    window.document.step_back()
    assert window.document.state.node == 0


def test_a_link_to_a_body_opens_it(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=2)
    follow(panel, "body:1")
    assert window.document.state.place == Place((1,))
    assert "else" in panel.plain_text()


def test_a_link_to_a_function_opens_it(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=3)
    assert "Open function Call" in panel.plain_text()
    follow(panel, "function:0")
    assert window.document.state.place == Place(function=0)


def test_a_node_whose_bodies_read_a_tensor_is_among_its_readers(panel: DetailsPanel, window: MainWindow) -> None:
    model = window.document.model
    assert model is not None
    window.document.select(node=1)
    assert "to if1 (a body reads it)" in panel.plain_text() and "nobody" not in panel.plain_text()
    window.document.select(tensor=model.graph.tensor_index("relu_out"))
    assert "  if1 (a body reads it)" in panel.plain_text() and "nobody" not in panel.plain_text()


def test_what_a_body_reads_from_around_it_leads_there(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.go(Place((0,)), node=0)
    assert "from the enclosing graph: relu1" in panel.plain_text()
    follow(panel, "outer:1:node:1")
    assert (window.document.state.place, window.document.state.node) == (Place(), 1)


def test_what_nobody_makes_is_not_said_to_come_from_around(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=2)
    assert "from the enclosing graph:" not in panel.plain_text()


def test_what_is_copied_out_of_the_page_has_no_hidden_signs(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=0)
    panel.text.selectAll()
    panel.text.copy()
    assert "conv_out" in QGuiApplication.clipboard().text()


def test_a_link_to_a_type_narrows_the_list(panel: DetailsPanel, window: MainWindow) -> None:
    follow(panel, 'search:type:"Conv"')
    assert window.document.state.search == 'type:"Conv"'


def test_a_link_to_the_problems_shows_them(panel: DetailsPanel, window: MainWindow) -> None:
    follow(panel, "problems:")
    assert window.panels.is_shown("problems")


def test_a_long_value_is_cut_until_it_is_asked_for(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=0)
    assert "Show all" in panel.plain_text() and "499" not in panel.plain_text()
    follow(panel, "more:attribute long")
    assert "499" in panel.plain_text()
    window.document.select(node=1)
    window.document.select(node=0)
    assert len(panel.plain_text()) < 10 * LONG


def test_names_from_a_file_are_never_read_as_markup(panel: DetailsPanel, window: MainWindow) -> None:
    from errorflow.graph.build import GraphBuilder
    from errorflow.graph.model import Model

    builder = GraphBuilder("g")
    builder.node("Relu<img src='x'>", ["a&b"], ["<b>c</b>"], name="<a href='node:0'>n</a>")
    window.document.open(Model(branching_model().path, "ONNX model", builder.build()))
    window.document.select(node=0)
    shown = without_breaks(panel.text.toPlainText())
    assert "<a href='node:0'>n</a>" in shown and "<b>c</b>" in shown and "<img src='x'>" in shown


def test_the_page_can_be_copied(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=0)
    panel.copy.click()
    assert QGuiApplication.clipboard().text() == panel.plain_text()


def test_what_becomes_known_later_is_shown_without_losing_the_place(panel: DetailsPanel, window: MainWindow) -> None:
    window.document.select(node=0)
    follow(panel, "more:attribute long")
    bar = panel.text.verticalScrollBar()
    bar.setValue(bar.maximum())
    before = bar.value()
    window.document.refine(branching_model())
    assert window.document.state.node == 0
    assert "499" in panel.plain_text() and bar.value() == before > 0


def test_without_a_model_it_says_what_will_be_here(window: MainWindow) -> None:
    content = window.panels.by_key["details"].content
    assert isinstance(content, DetailsPanel)
    assert content.stack.currentWidget() is content.nothing and content.plain_text() == ""


def test_the_name_of_a_made_up_size_is_in_the_tooltip(window: MainWindow) -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.tensor("x", dtype="float32", shape=("unk__0", 16, "batch"))
    builder.node("Relu", ["x"], ["y"], name="relu")
    window.document.open(Model(Path("/models/sizes.onnx"), "ONNX model", builder.build()))
    content = window.panels.by_key["details"].content
    assert isinstance(content, DetailsPanel)
    assert "float32 ?×16×batch" in content.plain_text() and "unk__0" not in content.plain_text()
    cursor = content.text.document().find("float32")
    assert cursor.charFormat().toolTip() == "float32 unk__0×16×batch"


def test_sizes_that_the_model_leaves_open_are_those_of_the_run(window: MainWindow, qtbot: QtBot) -> None:
    formula = "floor(floor(DynamicDimension.1/2 - 1/2)/2 - 1/2) + 1"
    builder = GraphBuilder()
    builder.input("x")
    builder.tensor("y", dtype="float32", shape=("DynamicDimension.0", 4, formula))
    builder.node("Relu", ["x"], ["y"], name="relu")
    builder.output("y")
    window.document.open(Model(Path("/models/sizes.onnx"), "ONNX model", builder.build()))
    window.document.select(node=0)
    panel = window.panels.by_key["details"].content
    assert isinstance(panel, DetailsPanel)
    assert "float32 ?×4×?" in panel.plain_text() and "floor" not in panel.plain_text()

    values = np.ones((1, 4, 10), np.float32)
    match = Match((pair(values, values),))
    match = replace(match, pairs=(replace(match.pairs[0], tensor="y"),))
    window.document.take_case(case_with(compare_match(match), match))
    window.panels.show("details")  # runs that are there bring the inspector
    qtbot.waitUntil(lambda: "float32 1×4×10" in panel.plain_text())
    tip = panel.text.document().find("float32").charFormat().toolTip()
    assert tip == f"In the run; the model says float32 DynamicDimension.0×4×{formula}"
    window.document.select(tensor=1)
    assert "Shape: 1×4×10" in panel.plain_text()


def test_a_node_says_behind_what_it_was_measured(window: MainWindow, panel: DetailsPanel, qtbot: QtBot) -> None:
    """Its output only exists in codes and behind DequantizeLinear."""
    builder = GraphBuilder()
    builder.input("x")
    for op_type, read, made in (("Conv", "x", "a"), ("DequantizeLinear", "a", "b"), ("Relu", "b", "c")):
        builder.node(op_type, [read], [made], name=f"{made}_maker")
    builder.output("c")
    window.document.open(Model(Path("/models/one.onnx"), "ONNX model", builder.build()))
    window.document.select(node=0)
    assert "Behind its" not in panel.plain_text()
    match = Match((pair(np.ones(4, np.float32), np.zeros(4, np.float32)),))
    match = replace(match, pairs=(replace(match.pairs[0], tensor="b"),))
    window.document.take_case(case_with(compare_match(match), match))
    window.panels.show("details")  # runs that are there bring the inspector
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    assert "Behind its DequantizeLinear: b_maker" in panel.plain_text()
    panel.text.selectAll()
    findings = window.document.state.findings
    assert findings is not None
    window.document.take_findings(replace(findings))
    assert panel.text.textCursor().hasSelection()
    window.document.select(node=1)
    assert "Behind its" not in panel.plain_text()


def test_many_weights_are_weighed_in_the_background(
    panel: DetailsPanel, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = read_model(SAMPLES[0].model)
    window.document.open(model)
    at_once = panel.plain_text()
    monkeypatch.setattr(details, "AT_ONCE", 0)
    window.document.close()
    window.document.open(model)
    assert panel.plain_text() != at_once
    qtbot.waitUntil(lambda: panel.plain_text() == at_once)
    window.document.renew(read_model(SAMPLES[0].model))
    assert panel.plain_text() == at_once


def test_what_is_closed_before_it_was_weighed_is_not_weighed_later(
    panel: DetailsPanel, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    window.jobs.changed.connect(lambda steps: begun.extend(step.key for step in steps))
    monkeypatch.setattr(details, "AT_ONCE", 0)
    window.document.open(read_model(SAMPLES[0].model))
    assert window.derived.rests(details.KEY)
    window.document.close()
    window.set_theme("dark")  # the page is written anew, of nothing
    assert not window.derived.rests(details.KEY)
    window.derived.follow(details.KEY)
    assert not window.jobs.running(details.KEY) and details.KEY not in begun


def test_a_model_that_was_weighed_is_not_kept(
    panel: DetailsPanel, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(details, "AT_ONCE", 0)
    model = read_model(SAMPLES[0].model)
    window.document.open(model)
    qtbot.waitUntil(lambda: "Weights" in panel.plain_text())
    gone = weakref.ref(model)
    del model
    monkeypatch.setattr(details, "AT_ONCE", 500)
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: gone() is None)
