"""What panels offer while nothing is compared."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow.graph.model import Model
from errorflow_viewer.panels.empty import NoRuns
from errorflow_viewer.window.window import MainWindow
from viewer.models import chain
from viewer.simulated import open_model, simulate


def of(window: MainWindow, key: str) -> NoRuns:
    [found] = window.panels.by_key[key].content.findChildren(NoRuns)
    assert isinstance(found, NoRuns)
    return found


@pytest.mark.parametrize("key", ["verdict", "profile"])
def test_a_float_model_can_be_simulated_until_it_is(window: MainWindow, qtbot: QtBot, key: str) -> None:
    empty = of(window, key)
    assert empty.simulate.isHidden()
    open_model(window, qtbot)
    assert not empty.simulate.isHidden()
    with qtbot.waitSignal(window.studies.simulating.asked):
        empty.simulate.click()
    simulate(window, qtbot)
    assert of(window, key).simulate.isHidden()


def test_what_is_no_onnx_model_is_only_compared(window: MainWindow) -> None:
    window.document.open(Model(Path("/models/chain.om"), "Ascend model", chain(3)))
    assert of(window, "verdict").simulate.isHidden()
