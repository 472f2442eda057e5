"""What simulations, rankings and searches show."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from errorflow.base.sample import Sample
from errorflow.quant.presets import preset
from errorflow.study.evaluate.asked import LabelledSet
from errorflow_viewer.panels.curves.panel import CurvesPanel
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.runs.panel import RunsPanel
from scenes.stage import LOW, Stage, sample_of

CULPRIT = "/block2/project/conv/Conv"
# In the sample with a loud channel: what it drowns.
DROWNED = "/block2/depthwise/act/Relu"


def simulated(stage: Stage) -> None:
    stage.simulate(sample_of("node_fault"), preset("onnxruntime").plan)
    stage.window.show_panel("simulate")


def runs(stage: Stage) -> None:
    """The culprit is put to float, and both runs stand in the list."""
    simulated(stage)
    stage.select(CULPRIT)
    stage.press("precision.toggle")
    stage.window.show_panel("runs")
    stage.window.show_panel("verdict")


def evaluated(stage: Stage) -> None:
    """What a preset, another one, and the culprit in float leave of the answers."""
    simulated(stage)
    document = stage.window.document
    for key in ("amct", "onnxruntime"):
        stage.window.simulating.edit("Take another preset", preset(key).plan)
        stage.settle()
    stage.select(CULPRIT)
    stage.press("precision.toggle")
    stage.window.show_panel("runs")
    digits = folder_per_class(sample_of("node_fault"), stage.folder / "digits")
    document.edit("Choose samples", labelled=LabelledSet((str(digits),)))
    stage.press("evaluate")
    stage.window.evaluating.evaluate()
    stage.wait(lambda: not stage.window.evaluating.busy, "the evaluation")
    stage.hide("simulate")
    stage.window.show_panel("verdict")
    stage.size_panel("runs", height=350)
    panel = stage.window.docks.by_key["runs"].content
    assert isinstance(panel, RunsPanel)
    panel.choose([document.session.trials[1].name])


def folder_per_class(sample: Sample, folder: Path) -> Path:
    """The images that the sample is evaluated on, as somebody may have them."""
    with np.load(sample.evaluation) as images, np.load(sample.evaluation.with_name("digits_labels.npz")) as labels:
        pairs = list(zip(images[images.files[0]], labels["label"], strict=True))
    for number, (image, label) in enumerate(pairs):
        (folder / str(label)).mkdir(parents=True, exist_ok=True)
        np.save(folder / str(label) / f"{number}.npy", image)
    return folder


def profile(stage: Stage) -> None:
    simulated(stage)
    stage.window.show_panel("nodes")
    stage.window.show_panel("profile")
    stage.size_panel("profile", height=LOW)
    stage.select(CULPRIT)
    stage.window.show_panel("verdict")


def drowned(stage: Stage, width: int) -> None:
    """What a loud channel drowns, in the inspector beside the graph."""
    stage.simulate(sample_of("loud_channel"), preset("onnxruntime").plan)
    stage.hide("nodes", "simulate", "profile", "runs")
    stage.window.show_panel("inspector")
    stage.size_panel("inspector", width=width)
    stage.select(DROWNED)


def inspector(stage: Stage) -> None:
    """The channels of what a loud one drowns, beside the graph."""
    drowned(stage, width=800)
    panel = stage.window.docks.by_key["inspector"].content
    assert isinstance(panel, InspectorPanel)
    panel.content.buttons.chosen.emit("channels")


def found(stage: Stage) -> None:
    """Nodes of a type that are bad, in the list and marked in the graph."""
    simulated(stage)
    stage.window.show_panel("nodes")
    stage.window.document.search_for("type:Conv rel>0.5")


def search(stage: Stage) -> None:
    stage.simulate(sample_of("node_fault"), preset("onnxruntime").plan)
    stage.press("search.find")
    stage.window.searching.find()
    stage.wait(lambda: not stage.window.searching.busy and not stage.window.searching.waits, "the search")
    stage.size_panel("search", height=430)


def ranking(stage: Stage) -> None:
    stage.simulate(sample_of("node_fault"), preset("onnxruntime").plan)
    stage.press("rank")
    stage.wait(lambda: stage.window.document.state.ranking is not None, "the ranking")
    stage.settle()
    stage.press("rank.paint.impact")
    stage.size_panel("ranking", height=LOW)


def curves(stage: Stage) -> None:
    """What is gained along a ranking."""
    ranking(stage)
    stage.press("rank.paint.impact")
    stage.press("panel.curves")
    panel = stage.window.docks.by_key["curves"].content
    assert isinstance(panel, CurvesPanel)
    panel.running.ask(replace(panel.running.asked, kind="recovery"))
    panel.running.start()
    stage.wait(lambda: not stage.window.jobs.steps and panel.running.curves is not None, "the curve")
    stage.size_panel("curves", height=LOW)


def outliers(stage: Stage) -> None:
    stage.simulate(sample_of("loud_channel"), preset("onnxruntime").plan)
    stage.press("panel.outliers")
    stage.size_panel("outliers", height=LOW)


def distributions(stage: Stage) -> None:
    drowned(stage, width=560)
    stage.press("distributions")
