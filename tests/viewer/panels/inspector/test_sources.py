"""Where the inspector has its tensors from, and what it says where one lacks."""

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.progress import SILENT
from errorflow.base.sample import SAMPLES
from errorflow.compare import Comparison, compare_match
from errorflow.explain.difference.weights import OtherModel
from errorflow.explain.inspect.choices import NO_RUNS
from errorflow.formats import read_model
from errorflow.graph.qparams import QParams
from errorflow_viewer.panels.inspector.content import Content, OtherWeights
from errorflow_viewer.panels.inspector.facts_view import FactsView
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.plots import HistogramView
from errorflow_viewer.panels.sections import without_breaks
from errorflow_viewer.window.window import MainWindow
from evidence_tensors import Opened
from viewer.cases import case_with
from viewer.models import branching_model
from viewer.panels.inspector.inspecting import KEYS, RELU, complete, facts_text, one_tensor, select


def test_a_weight_is_shown_from_the_model(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, "/stem/conv/Conv")
    texts = [loud.tensor.itemText(at) for at in range(loud.tensor.count())]
    assert [text.split("  ")[0] for text in texts] == ["Output", "Input", "Weight 1", "Weight 2"]
    loud.tensor.setCurrentIndex(2)
    complete(loud, qtbot)
    assert loud.subject is not None and loud.subject.looked is not None
    assert loud.subject.looked.tensors.candidate is None and loud.view == "histogram"
    assert not loud.buttons.by_key["errors"].isEnabled() and loud.buttons.by_key["channels"].isEnabled()
    assert "open the other one as the second graph" in loud.buttons.by_key["errors"].toolTip()
    loud.buttons.by_key["facts"].click()
    assert "Only the model on view is at hand" in facts_text(loud)


@pytest.mark.parametrize("way", ["the sample's own", "as the second graph", "from the quantized one"])
def test_a_weight_is_compared_with_the_other_model(panel: Content, window: MainWindow, qtbot: QtBot, way: str) -> None:
    """Which is opened behind the scenes where nobody shows it."""
    row = next(row for row in SAMPLES if row.key == "clean")
    window.open(row.candidate_model if way == "from the quantized one" else row.model)
    qtbot.waitUntil(lambda: window.document.model is not None)
    if way == "as the second graph":
        window.document.edit("Show it", pairing="side")
        qtbot.waitUntil(lambda: window.pair.second.links is not None, timeout=20_000)
    qtbot.waitUntil(lambda: not window.jobs.steps, timeout=20_000)  # its runs: what they bring is shown first
    window.panels.show("inspector")
    graph = window.document.graph
    assert graph is not None
    window.document.select(node=graph.node_index("/stem/conv/Conv"))
    qtbot.waitUntil(lambda: panel.tensor.count() > 0)
    at = next(at for at in range(panel.tensor.count()) if "stem.conv.weight" in panel.tensor.itemText(at))
    panel.tensor.setCurrentIndex(at)
    complete(panel, qtbot)
    assert panel.subject is not None and panel.subject.looked is not None
    looked = panel.subject.looked
    assert looked.tensors.together and looked.row is not None and looked.overview.grid is not None
    assert panel.buttons.by_key["errors"].isEnabled() and panel.buttons.by_key["channels"].isEnabled()
    panel.buttons.by_key["facts"].click()
    text = facts_text(panel)
    assert "Compared with stem.conv.weight" in text and "SQNR" in text and "dequantized with" in text


def test_another_model_that_comes_too_late_is_kept_by_nobody(window: MainWindow, qtbot: QtBot) -> None:
    row = next(row for row in SAMPLES if row.key == "clean")
    window.open(row.model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    others, graph = OtherWeights(window), read_model(row.model).graph
    ask = others.ask(graph, None)
    others.forget()  # by now nothing is on view
    assert ask is not None and isinstance(ask(SILENT), OtherModel)
    gone = weakref.ref(graph)
    del ask, graph
    gc.collect()
    assert gone() is None


def test_without_a_model_and_without_a_selection_it_says_what_will_be_here(
    shell: InspectorPanel, window: MainWindow, qtbot: QtBot
) -> None:
    assert shell.pages.currentWidget() is shell.closed
    window.document.open(branching_model())
    window.panels.show("inspector")
    qtbot.waitUntil(lambda: shell.pages.currentWidget() is shell.nothing)


def test_without_runs_the_reason_is_said_and_facts_are_there(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.document.select(node=0)
    window.panels.show("inspector")
    qtbot.waitUntil(lambda: panel.subject is not None)
    assert panel.view == "facts"
    facts = panel.views["facts"]
    assert isinstance(facts, FactsView)
    text = without_breaks(facts.text.toPlainText())
    assert NO_RUNS in text and "Simulate…" in text and "pads" in text and "conv_out" in text
    assert NO_RUNS in panel.buttons.by_key["histogram"].toolTip()


@pytest.mark.parametrize(
    "values",
    [
        np.array(2.5, np.float32),
        np.zeros((0, 3), np.float32),
        np.full((1, 4, 3, 3), np.nan, np.float32),
        np.array([[True, False], [False, False]]),
        np.arange(-60, 60, dtype=np.int8).reshape(1, 4, 5, 6),
        np.arange(300.0).reshape(3, 100),
        np.full((2, 2, 2), np.inf),
    ],
    ids=["scalar", "empty", "nan", "bool", "int8", "matrix", "infinite"],
)
def test_every_kind_of_tensor_can_be_inspected(
    values: "np.ndarray[tuple[int, ...], np.dtype[np.generic]]", panel: Content, window: MainWindow, qtbot: QtBot
) -> None:
    one_tensor(window, qtbot, values, values.copy())
    complete(panel, qtbot)
    for key in KEYS:
        if panel.buttons.by_key[key].isEnabled():
            panel.buttons.by_key[key].click()
            panel.grab()
    qtbot.waitUntil(lambda: not window.jobs.steps)
    enabled = {key for key in KEYS if panel.buttons.by_key[key].isEnabled()}
    assert enabled == {"facts"} if not values.size else {"histogram", "errors", "scatter", "values", "facts"} <= enabled


def test_what_was_not_measured_shows_each_side_by_itself(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    one_tensor(window, qtbot, np.zeros((2, 3), np.float32), np.ones((4, 5), np.float32))
    complete(panel, qtbot)
    assert panel.buttons.by_key["histogram"].isEnabled() and not panel.buttons.by_key["errors"].isEnabled()
    assert "shape" in panel.buttons.by_key["errors"].toolTip().lower()


def test_a_missing_side_is_said(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    one_tensor(window, qtbot, None, np.ones(40, np.float32))
    complete(panel, qtbot)
    assert "no partner" in panel.buttons.by_key["errors"].toolTip()


def test_a_file_that_is_gone_is_told_of(panel: Content, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    from errorflow.compare.pairs import match_by_name
    from errorflow.formats import read_tensors

    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "y.npy", np.ones(40, np.float32))
    match = match_by_name(read_tensors(tmp_path / "a" / "y.npy"), read_tensors(tmp_path / "b" / "y.npy"))
    comparison = compare_match(match)
    (tmp_path / "a" / "y.npy").unlink()
    window.document.take_case(case_with(comparison, match))
    qtbot.waitUntil(lambda: panel.view == "facts" and "y.npy" in panel.buttons.by_key["histogram"].toolTip())
    told = facts_text(panel)
    assert "y.npy" in told
    window.document.edit("Note", notes={"elsewhere": "seen"})
    assert facts_text(panel) == told


def test_rows_without_tensors_say_so(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    comparison = window.document.comparison
    assert comparison is not None
    window.document.take_case(case_with(Comparison(comparison.rows)))
    qtbot.waitUntil(lambda: "come from a table" in panel.buttons.by_key["histogram"].toolTip())
    facts = panel.views["facts"]
    assert isinstance(facts, FactsView) and "Cosine similarity" in facts.text.toPlainText()


def test_nothing_is_read_while_the_panel_is_hidden(window: MainWindow, qtbot: QtBot) -> None:
    content = window.panels.by_key["inspector"].content
    assert isinstance(content, InspectorPanel)
    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    window.panels.show("details")
    qtbot.waitUntil(lambda: content.visibleRegion().isEmpty())
    window.document.select()
    window.document.select(node=0)
    assert content.content.subject is None and not window.jobs.running("inspector")
    window.panels.show("inspector")
    complete(content.content, qtbot)
    window.panels.show("details")
    qtbot.waitUntil(lambda: content.visibleRegion().isEmpty())
    window.document.select()
    assert content.content.subject is None


def test_what_becomes_known_later_is_shown_without_reading_again(
    loud: Content, window: MainWindow, qtbot: QtBot, sample: Opened
) -> None:
    select(loud, window, qtbot, RELU)
    loud.buttons.by_key["values"].click()
    assert loud.subject is not None
    looked, findings = loud.subject.looked, window.document.state.findings
    window.document.take_case(case_with(replace(sample.findings.comparison), sample.match))
    qtbot.waitUntil(lambda: window.document.state.findings is not findings)
    assert loud.subject.looked is looked and loud.view == "values"


def test_of_a_scale_for_each_channel_the_finest_and_the_coarsest_are_said(
    panel: Content, window: MainWindow, qtbot: QtBot
) -> None:
    values = np.random.default_rng(5).standard_normal((1, 3, 8, 8)).astype(np.float32)
    codes = np.clip(np.round(values / 0.03), -128, 127).astype(np.int8)
    window.panels.show("inspector")
    one_tensor(window, qtbot, values, codes, QParams((0.03, 0.02, 0.04), (0,), axis=1))
    complete(panel, qtbot)
    view = panel.views["histogram"]
    assert isinstance(view, HistogramView) and view.widget.plot.figure is not None
    labels = [layer.label for layer in view.widget.plot.figure.layers]
    assert "Finest steps, channel 1" in labels and "Coarsest steps, channel 2" in labels
    panel.buttons.by_key["channels"].click()
    panel.buttons.by_key["facts"].click()
    text = facts_text(panel)
    assert "3 scales along axis 1 from 0.02 to 0.04" in text and "Finest\n0.02" in text and "Coarsest\n0.04" in text
