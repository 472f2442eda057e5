"""Pages in place of the graph, and the windows beside it."""

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage

from errorflow.base.progress import SILENT
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from errorflow.guides.table import flow_of
from errorflow_viewer.export.report import write as write_report
from errorflow_viewer.pages.guide.guide_page import GuidePage
from errorflow_viewer.pages.guide.page import ComparePage
from scenes.simulations import simulated
from scenes.stage import PATIENCE, Stage, inputs_of, sample_of

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def start(stage: Stage) -> None:
    """Nothing is open yet."""


def recents(stage: Stage) -> None:
    """What was opened before, each as it looked."""
    for key in ("transformer", "drift", "node_fault"):
        stage.window.open(session_of(key, stage.folder))
        stage.wait(lambda: stage.window.document.state.findings is not None, "the comparison")
        stage.settle()
        stage.window._thumbnailing.finish()
        stage.press("close")
    entries = stage.window.recents.entries
    stage.wait(lambda: all(stage.window.recents.seen(entry) is not None for entry in entries), "the pictures")
    stage.settle()
    stage.hide_folder()


def session_of(key: str, folder: Path) -> Path:
    """With both runs of a sample."""
    sample = sample_of(key)
    files = {"model": sample.model, "reference": sample.reference_run, "candidate": sample.candidate_run}
    path = folder / f"{key}.errorflow"
    write_session(Session(sample.model, Setup("runs", files)), path)
    return path


def keys(stage: Stage) -> None:
    """A command is chosen that has two."""
    stage.press("shortcuts")
    stage.window.whole_pages.keys.lines.choose("reload")


def tour(stage: Stage) -> None:
    """At the step on introduced and inherited."""
    stage.press("tour")
    leading = stage.window._tour
    for key in ("paint", "worst", "introduced"):
        stage.wait(partial(leading.is_at, key), key)
        stage.settle()
        if key != "introduced":
            leading.step_on()


def settings(stage: Stage) -> QImage:
    """The page but for its foot, which says where the settings of this very picture are kept."""
    stage.press("settings")
    stage.settle()
    page = stage.window.whole_pages.settings
    below = page.area.mapTo(page, page.area.rect().bottomLeft()).y()
    return page.grab(QRect(0, 0, page.width(), below)).toImage()


def compare(stage: Stage) -> None:
    """A folder was dropped, and the comparison that it allows is filled in."""
    stage.press("compare")
    sample = sample_of("node_fault")
    case = stage.folder / "digits"
    case.mkdir()
    inputs_of(sample, case)
    for name in ("node_fault.onnx", "node_fault_int8.onnx"):
        shutil.copy(sample.model.parent / name, case / name)
    page = stage.window.stack.currentWidget()
    assert isinstance(page, ComparePage)
    page.look_through([case])
    stage.settle()
    stage.hide_folder()


def align(stage: Stage) -> None:
    """One pipeline hands over BGR in place of RGB, and cuts decimals off."""
    dice = np.random.default_rng(3)
    coarse = dice.integers(0, 256, (1, 3, 8, 8)).astype(np.float32)
    picture = np.kron(coarse, np.ones((8, 8), np.float32))
    sides = {"training": picture / 255, "board": picture[:, ::-1]}
    stage.press("align")
    page = stage.window.whole_pages.align
    for key, (name, values) in zip("ab", sides.items(), strict=True):
        folder = stage.folder / name
        folder.mkdir()
        np.save(folder / "preprocessed.npy", values)
        np.save(folder / "output.npy", values.mean(axis=(2, 3)))
        page.rows[key].changed.emit(folder)
    page.align.click()
    stage.wait(lambda: page.found is not None, "the alignment")
    stage.settle()
    stage.hide_folder()


def guide_step(stage: Stage) -> None:
    stage.press("guide")
    page = stage.window.stack.currentWidget()
    assert isinstance(page, GuidePage)
    page.questions.ask(flow_of("ascend-caffe").answers)
    page.head.own.changed.emit("model", Path("resnet50.prototxt"))
    page.head.own.changed.emit("soc_version", "Ascend310P3")
    for name, value in (("float_accuracy", 0.761), ("accuracy", 0.7555), ("calibration_images", 32.0)):
        assert page.body is not None
        page.body.written.emit(name, value)
    assert page.body is not None and page.body.next is not None
    page.body.next.click()


def manual(stage: Stage) -> QImage:
    simulated(stage)
    window = stage.window.support
    window.show_help("how-to/find-the-birthplace.md")
    stage.settle()
    found = window.manual.grab().toImage()
    window.manual.close()
    return found


def ticket(stage: Stage) -> None:
    """The node to blame is chosen, and a note gives somebody away."""
    os.environ["USER"] = "jdoe_npu"
    stage.open(sample_of("node_fault"))
    stage.wait(lambda: stage.window.document.state.findings is not None, "the colours")
    stage.settle()
    note = "Bad since build 412, see /home/jdoe_npu/runs/412/run.log (jdoe_npu)"
    stage.window.document.edit("Write a note", notes={"/block2/project/conv/Conv": note})
    stage.press("ticket")
    page = stage.window.whole_pages.ticket
    stage.wait(lambda: page.plan is not None, "the preview")
    first = page.nodes.tree.topLevelItem(0)
    assert first is not None
    first.setCheckState(0, Qt.CheckState.Checked)
    stage.wait(lambda: page.plan is not None and bool(page.plan.choice.nodes), "the sizes")


def verdict(stage: Stage) -> None:
    simulated(stage)
    stage.press("verdict.page")


def report(stage: Stage) -> QImage:
    """The page as a browser shows it."""
    simulated(stage)
    page, target = stage.folder / "report.html", stage.folder / "report.png"
    write_report(stage.window.document.state, page, SILENT)
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"None of these browsers is here: {', '.join(BROWSERS)}.")
    options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu", "--window-size=1200,960")
    profile_folder = f"--user-data-dir={stage.folder / 'browser'}"
    command = [browser, *options, profile_folder, f"--screenshot={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    return QImage(str(target))


def view_page(stage: Stage) -> QImage:
    """What File → Export → View as PNG writes."""
    simulated(stage)
    stage.window.exports.choose_scale(1)
    stage.press("export.copy")
    return QGuiApplication.clipboard().image()
