"""Samples that do not fit: told as any other problem, and sizes are asked for only where they would help."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.simulate.panel import SimulatePanel
from errorflow_viewer.window.window import MainWindow
from onnx_models import graph, model, relu, value
from viewer.panels.simulate.conftest import ready
from viewer.simulated import open_model


@pytest.fixture
def opened(panel: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> SimulatePanel:
    """With a model that leaves sizes open."""
    path = tmp_path / "open.onnx"
    main = graph(relu("x", "y"), inputs=[value("x", ("N", 3, "H", "W"))], outputs=[value("y", None)])
    onnx.save(model(main), path)
    open_model(window, qtbot, path)
    ready(panel, window, qtbot)
    return panel


def give(panel: SimulatePanel, window: MainWindow, qtbot: QtBot, path: Path) -> None:
    panel.form.take_paths((str(path),))
    ready(panel, window, qtbot)


@pytest.mark.parametrize("kind", ["text", "empty", "layout"])
def test_where_no_size_would_help_none_is_asked_for(
    kind: str, opened: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / ("notes.txt" if kind == "text" else "samples")
    if kind == "text":
        path.write_text("hello")
    else:
        path.mkdir()
    if kind == "layout":
        np.save(path / "a.npy", np.zeros((1, 4, 4, 3), np.float32))
    give(opened, window, qtbot, path)
    assert opened.form.sizes.isHidden()
    assert opened.foot.state.said == "These samples do not fit."
    assert opened.form.samples.problem.what.said and not opened.form.samples.problem.sign.pixmap().isNull()


def test_raw_files_need_sizes_that_are_asked_for(
    opened: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    np.zeros((1, 3, 4, 4), np.float32).tofile(tmp_path / "a.bin")
    give(opened, window, qtbot, tmp_path / "a.bin")
    assert not opened.form.sizes.isHidden()
    assert opened.foot.state.said == "Say the size of N, H, W."
