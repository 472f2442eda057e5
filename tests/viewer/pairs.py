"""Two graphs in the window."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.kit.drawings import Unfolded
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.pair_view import Beside
from errorflow_viewer.window.window import MainWindow

SAMPLE = SAMPLES[0]


def beside(window: MainWindow) -> Beside:
    found = window.pair.beside
    assert found is not None
    return found


def shown(view: GraphView) -> Unfolded:
    found = view.shown
    assert found is not None
    return found


def paired(window: MainWindow, qtbot: QtBot, how: str = "side", path: Path = SAMPLE.model) -> MainWindow:
    """A model with its counterpart, linked and drawn."""
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not None)
    window.document.edit("Show it", pairing=how)
    calm(window, qtbot)
    return window


def calm(window: MainWindow, qtbot: QtBot) -> None:
    def settled() -> bool:
        pair = window.pair
        linked = pair.beside is None or (pair.second.links is not None and pair.beside.view.shown is not None)
        return linked and not window.jobs.steps

    qtbot.waitUntil(settled, timeout=20_000)
    QCoreApplication.processEvents()
    QCoreApplication.processEvents()


def node(window: MainWindow, name: str, second: bool = False) -> int:
    graph = window.pair.second.document.graph if second else window.document.graph
    found = None if graph is None else graph.node_index(name)
    assert found is not None
    return found


CONV = "/block1/expand/conv/Conv"
