"""Facts: in which type a node was to compute, who says so, and in which it did."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ascend_writer import desc, op, write_json
from ascend_writer import graph as atc_graph
from ascend_writer import model as atc_model
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.formats import read_model
from errorflow_viewer.panels.inspector.content import Content
from errorflow_viewer.panels.inspector.facts_view import FactsView
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.precision import KEY
from errorflow_viewer.panels.sections import without_breaks
from errorflow_viewer.window.window import MainWindow

SAMPLE = next(sample for sample in SAMPLES if sample.key == "clean")
CONV = "/stem/conv/Conv"
RECORD = """record {
  key: "conv"
  value { scale_d: 0.1 offset_d: 0 scale_w: 0.01 offset_w: 0 }
}
"""


@pytest.fixture
def panel(window: MainWindow) -> Content:
    window.panels.show("inspector")
    content = window.panels.by_key["inspector"].content
    assert isinstance(content, InspectorPanel)
    return content.content


def opened(window: MainWindow, qtbot: QtBot, path: Path, name: str) -> None:
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps, timeout=20_000)
    graph = window.document.graph
    assert graph is not None
    window.document.select(node=graph.node_index(name))
    window.panels.show("inspector")


def facts(panel: Content, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: panel.subject is not None)
    panel.buttons.by_key["facts"].click()
    view = panel.views["facts"]
    assert isinstance(view, FactsView)
    return without_breaks(view.text.toPlainText())


def compiled(folder: Path, dtype: str = "DT_FLOAT16", command: str = "") -> Path:
    half = desc(dtype, _datadump_origin_name="conv", _datadump_origin_data_type="DT_FLOAT")
    nodes = (op("x", "Data", outputs=[desc(dtype)]), op("conv", "Conv2D", ["x:0"], [half]))
    made = atc_model(atc_graph(*nodes, op("out", "NetOutput", ["conv:0"], 0)), atc_cmdline=command)
    return write_json(folder / "net.json", made)


def test_pairs_ask_for_codes_and_nobody_says_what_was_done(window: MainWindow, panel: Content, qtbot: QtBot) -> None:
    opened(window, qtbot, SAMPLE.candidate_model, CONV)
    text = facts(panel, qtbot)
    assert f"by QuantizeLinear and DequantizeLinear in {SAMPLE.candidate_model.name}" in text
    assert "uint8" in text and "no file says it" in text and "≠" not in text


def test_the_second_graph_is_asked_too(window: MainWindow, panel: Content, qtbot: QtBot) -> None:
    opened(window, qtbot, SAMPLE.model, CONV)
    assert "Requested" not in facts(panel, qtbot)
    window.document.edit("Show it", pairing="side")
    qtbot.waitUntil(lambda: window.pair.second.links is not None, timeout=20_000)
    qtbot.waitUntil(lambda: "Requested" in facts(panel, qtbot), timeout=20_000)
    assert f"DequantizeLinear in {SAMPLE.candidate_model.name}" in facts(panel, qtbot)


def test_a_command_that_asks_for_more_than_was_compiled_is_marked(
    window: MainWindow, panel: Content, qtbot: QtBot, tmp_path: Path
) -> None:
    command = "atc --precision_mode=must_keep_origin_dtype --keep_dtype=keep.cfg"
    opened(window, qtbot, compiled(tmp_path, command=command), "conv")
    text = facts(panel, qtbot)
    assert "float32" in text and "--precision_mode=must_keep_origin_dtype, with which net.json was compiled" in text
    assert "≠ Effective" in text and "did not compute as it was asked to" in text and "keep.cfg" in text


def test_the_scales_of_the_comparison_ask_for_codes(
    window: MainWindow, panel: Content, qtbot: QtBot, tmp_path: Path
) -> None:
    record = tmp_path / "scale_offset_record.txt"
    record.write_text(RECORD, "utf-8")
    opened(window, qtbot, compiled(tmp_path), "conv")
    assert "int8" not in facts(panel, qtbot)
    window.document.edit("Compare", setup=Setup("npu", {"scales": record}))
    qtbot.waitUntil(lambda: "by scale_offset_record.txt" in facts(panel, qtbot), timeout=20_000)
    assert "int8" in facts(panel, qtbot) and "≠ Effective" in facts(panel, qtbot)


def test_scales_are_read_again_with_the_model(window: MainWindow, panel: Content, qtbot: QtBot, tmp_path: Path) -> None:
    record, model = tmp_path / "scale_offset_record.txt", compiled(tmp_path)
    record.write_text(RECORD, "utf-8")
    opened(window, qtbot, model, "conv")
    window.document.edit("Compare", setup=Setup("npu", {"scales": record}))
    qtbot.waitUntil(lambda: "by scale_offset_record.txt" in facts(panel, qtbot))
    record.write_text(RECORD.replace("conv", "another"), "utf-8")
    window.document.renew(read_model(model))
    qtbot.waitUntil(lambda: not window.jobs.running(KEY))
    text = facts(panel, qtbot)
    assert "Precision" in text and "by scale_offset_record.txt" not in text
