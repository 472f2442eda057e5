"""What tests of the inspector select in it and wait for."""

from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from errorflow.compare import compare_match
from errorflow.compare.match.model import Match, Pair
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow.graph.qparams import QParams
from errorflow_viewer.panels.inspector.content import Content
from errorflow_viewer.panels.inspector.facts_view import FactsView
from errorflow_viewer.panels.inspector.views import VIEWS
from errorflow_viewer.panels.sections import without_breaks
from errorflow_viewer.window.window import MainWindow
from evidence_tensors import Held
from viewer.cases import case_with

CULPRIT, RELU, VICTIM = "/block2/depthwise/conv/Conv", "/block2/depthwise/act/Relu", "/block2/project/conv/Conv"
# Ranges are those of a simulation.
KEYS = [view.key for view in VIEWS if view.key != "ranges"]


def select(panel: Content, window: MainWindow, qtbot: QtBot, name: str) -> Content:
    graph = window.document.graph
    assert graph is not None
    window.document.select(node=graph.node_index(name))
    complete(panel, qtbot)
    return panel


def complete(panel: Content, qtbot: QtBot) -> None:
    def done() -> bool:
        subject = panel.subject
        return subject is not None and subject.looked is not None and subject.looked.complete

    qtbot.waitUntil(done, timeout=30_000)


def one_tensor(
    window: MainWindow,
    qtbot: QtBot,
    reference: "np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None",
    candidate: "np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None",
    qparams: QParams | None = None,
) -> None:
    """A model of one node whose output both runs hold like this; it is selected."""
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Relu", ["x"], ["y"], name="relu")
    builder.output("y")
    window.document.open(Model(Path("/models/one.onnx"), "ONNX model", builder.build()))
    pair = Pair(
        "y",
        None if candidate is None else Held(candidate, qparams, "y"),
        None if reference is None else Held(reference, None, "y"),
        note="" if reference is not None and candidate is not None else "no partner",
    )
    match = Match((pair,))
    window.document.take_case(case_with(compare_match(match), match))
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    window.document.select(node=0)


def facts_text(panel: Content) -> str:
    facts = panel.views["facts"]
    assert isinstance(facts, FactsView)
    return without_breaks(facts.text.toPlainText())
