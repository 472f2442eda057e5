"""The panel of counts, for a model and for none."""

from pytestqt.qtbot import QtBot

from errorflow_viewer.window.window import MainWindow
from viewer.models import branching_model


def test_it_counts_the_types_of_a_model_and_asks_for_one(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.panels.by_key["counts"].content
    assert panel.stack.currentWidget() is panel.nothing  # type: ignore[attr-defined]  # the panel of counts
    window.document.open(branching_model())
    window.commands.made["panel.counts"].trigger()

    assert window.panels.is_shown("counts")
    assert "If: 1" in panel.text.text()  # type: ignore[attr-defined]  # the panel of counts


def test_the_command_says_how_many_nodes_there_are(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.commands.made["count_nodes"].trigger()

    assert "nodes in this graph" in window.status.currentMessage()
