"""Large graphs, as they are drawn: models of the onnx package, and such as its exporters write."""

import shutil
from pathlib import Path

from generate import Sketch, decoder, of_size, unet
from peers.graphs import models

from scenes.stage import Stage


def opened(path: Path, stage: Stage) -> None:
    """Nothing of it was measured: the graph has the profile's room."""
    stage.window.open(path)
    stage.wait(lambda: stage.window.document.model is not None, "the model")
    stage.settle()
    stage.hide("profile", "runs")
    stage.press("fit")


def drawn(sketch: Sketch, name: str, stage: Stage) -> None:
    path = stage.folder / f"{name}.onnx"
    sketch.write(path)
    opened(path, stage)


def overview(stage: Stage) -> None:
    drawn(decoder(17), "decoder", stage)


def unfold(stage: Stage) -> None:
    stage.press("fold.all")
    stage.press("fit")


def known(name: str, stage: Stage) -> None:
    """Of the onnx package; nothing of it is folded."""
    path = stage.folder / f"{name}.onnx"
    shutil.copy(models()[name], path)
    opened(path, stage)
    unfold(stage)


def whole(sketch: Sketch, name: str, stage: Stage) -> None:
    drawn(sketch, name, stage)
    unfold(stage)


def columns(stage: Stage) -> None:
    known("densenet121", stage)


def unfolded(stage: Stage) -> None:
    known("inception_v1", stage)


def skips(stage: Stage) -> None:
    drawn(unet(30), "unet-30", stage)


def experts(stage: Stage) -> None:
    whole(of_size(3_000, experts=24), "moe-3k", stage)


def ten_thousand(stage: Stage) -> None:
    whole(of_size(10_000), "decoder-10k", stage)


def rows(stage: Stage) -> None:
    overview(stage)
    stage.press("switch.across")
    if not stage.window.switches.in_columns:
        stage.press("view.columns")
    stage.press("fit")


def searched(stage: Stage) -> None:
    overview(stage)
    stage.window.document.search_for("type:MatMul name:layers.3")
    stage.settle()
    stage.window.step_match(1)
