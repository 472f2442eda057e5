"""Makes pictures of the documentation from the app itself, on no screen: python docs/make_pictures.py [NAME …]

Each scene is the real window with a built-in sample, driven by the commands that a user has. Run it after a change that
shows; look at every picture before it is committed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING

# No screen, but a large one: windows are cut to the size of what they stand on.
SCREEN = {
    "name": "large",
    "x": 0,
    "y": 0,
    "width": 2560,
    "height": 1440,
    "logicalDpi": 96,
    "logicalBaseDpi": 96,
    "dpr": 1,
}
SETUP = Path(mkdtemp()) / "screens.json"
SETUP.write_text(json.dumps({"screens": [SCREEN]}), encoding="utf-8")
os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={SETUP}"
ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / part) for part in ("core", "viewer", "resources")]

import numpy as np  # noqa: E402 - the paths come first
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QRect, QSettings, QStandardPaths, Qt  # noqa: E402 - likewise
from PySide6.QtGui import QAction, QGuiApplication, QImage  # noqa: E402 - likewise

from errorflow.guides.table import flow_of  # noqa: E402 - likewise
from errorflow.progress import SILENT  # noqa: E402 - likewise
from errorflow.quant.plan import Plan  # noqa: E402 - likewise
from errorflow.quant.presets import preset  # noqa: E402 - likewise
from errorflow.run.samples.asked import Asked  # noqa: E402 - likewise
from errorflow.sample import SAMPLES, Sample  # noqa: E402 - likewise
from errorflow.scenarios.setup import Setup  # noqa: E402 - likewise
from errorflow.session.file import write_session  # noqa: E402 - likewise
from errorflow.session.model import Session  # noqa: E402 - likewise
from errorflow.simulate.basis import Basis  # noqa: E402 - likewise
from errorflow_viewer.export.report import write as write_report  # noqa: E402 - likewise
from errorflow_viewer.guide.guide_page import GuidePage  # noqa: E402 - likewise
from errorflow_viewer.guide.page import ComparePage  # noqa: E402 - likewise
from errorflow_viewer.panels.curves.panel import CurvesPanel  # noqa: E402 - likewise
from errorflow_viewer.running import Application  # noqa: E402 - likewise
from errorflow_viewer.settings import Settings, ThemeChoice  # noqa: E402 - likewise
from errorflow_viewer.style import Appearance  # noqa: E402 - likewise
from errorflow_viewer.window import MainWindow  # noqa: E402 - likewise

if TYPE_CHECKING:
    from PIL import Image


PICTURES = Path(__file__).parent / "pictures"
PATIENCE, PAUSE = 120.0, 0.4
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Bytes of a picture, which is shipped, and the colours that are tried until it is no larger.
LARGEST, COLORS = 150 * 1024, (256, 128, 64)


@dataclass(frozen=True)
class Stage:
    """A window with nothing in it, and a folder for what a scene needs."""

    window: MainWindow
    folder: Path

    def wait(self, true: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > end:
                sys.exit(f"Waited too long for {what}.")
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)

    def settle(self) -> None:
        """Until nothing runs and all that was drawn for later is drawn."""
        quiet = time.monotonic()
        while time.monotonic() - quiet < PAUSE:
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
            if self.window.jobs.steps:
                quiet = time.monotonic()

    def press(self, key: str) -> None:
        """A command of the menus, by its key."""
        action: QAction = self.window.commands.made[key]
        if not action.isEnabled():
            sys.exit(f"The command {key} is not offered: {action.toolTip()}")
        action.trigger()
        self.settle()

    def open(self, sample: Sample) -> None:
        self.window.open(sample.model)
        self.wait(lambda: self.window.document.model is not None, "the model")
        self.settle()

    def simulate(self, sample: Sample, plan: Plan | None = None) -> None:
        self.open(sample)
        self.window.simulating.start(Basis(Asked((str(sample.calibration),)), samples=24), plan)
        self.wait(lambda: self.window.document.state.simulated is not None, "the simulation")
        self.settle()


def changes(stage: Stage) -> None:
    """Yesterday's build against today's."""
    cases = {}
    for name, key in (("yesterday", "drift"), ("today", "node_fault")):
        sample = sample_of(key)
        files = {"model": sample.model, "reference": sample.reference_run, "candidate": sample.candidate_run}
        cases[name] = stage.folder / f"{name}.errorflow"
        write_session(Session(sample.model, Setup("runs", files)), cases[name])
    window = stage.window
    window.open(cases["today"])
    stage.wait(lambda: window.document.state.findings is not None, "the comparison")
    stage.settle()
    window.earlier.compare(cases["yesterday"])
    stage.press("panel.changes")
    stage.wait(lambda: (known := window.document.state.findings) is not None and known.against is not None, "the other")
    window.banners.leave_model()


def sample_of(key: str) -> Sample:
    return next(sample for sample in SAMPLES if sample.key == key)


def search(stage: Stage) -> None:
    stage.simulate(sample_of("node_fault"), preset("onnxruntime").plan)
    stage.press("search.find")
    stage.window.searching.find()
    stage.wait(lambda: not stage.window.searching.busy and not stage.window.searching.waits, "the search")


def ranking(stage: Stage) -> None:
    stage.simulate(sample_of("node_fault"), preset("onnxruntime").plan)
    stage.press("rank")
    stage.wait(lambda: stage.window.document.state.ranking is not None, "the ranking")
    stage.settle()
    stage.press("rank.paint.impact")


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


def outliers(stage: Stage) -> None:
    stage.simulate(sample_of("loud_channel"), preset("onnxruntime").plan)
    stage.press("panel.outliers")


def distributions(stage: Stage) -> None:
    outliers(stage)
    stage.window.hide_panel("outliers")
    model = stage.window.document.model
    assert model is not None
    stage.window.document.select(node=model.graph.node_index("/block2/depthwise/act/Relu"))
    stage.settle()
    stage.press("distributions")


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


def start(stage: Stage) -> None:
    """Nothing is open yet."""


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
    case = stage.folder / "case"
    case.mkdir()
    for name in ("node_fault.onnx", "node_fault_int8.onnx"):
        shutil.copy(sample.model.parent / name, case / name)
    page = stage.window.stack.currentWidget()
    assert isinstance(page, ComparePage)
    page.look_through([case])


def simulated(stage: Stage) -> None:
    stage.simulate(sample_of("node_fault"), preset("onnxruntime").plan)
    stage.window.show_panel("simulate")


def runs(stage: Stage) -> None:
    """The culprit is put to float, and both runs stand in the list."""
    simulated(stage)
    culprit(stage)
    stage.press("precision.toggle")
    stage.settle()
    stage.window.show_panel("runs")


def culprit(stage: Stage) -> None:
    model = stage.window.document.model
    assert model is not None
    stage.window.document.select(node=model.graph.node_index("/block2/project/conv/Conv"))
    stage.settle()


def profile(stage: Stage) -> None:
    simulated(stage)
    culprit(stage)
    stage.window.show_panel("nodes")
    stage.window.show_panel("profile")


def inspector(stage: Stage) -> None:
    simulated(stage)
    culprit(stage)
    stage.window.show_panel("nodes")
    stage.window.show_panel("inspector")


def found(stage: Stage) -> None:
    """Nodes of a type that are bad, in the list and marked in the graph."""
    simulated(stage)
    stage.window.show_panel("nodes")
    stage.window.document.search_for("type:Conv rel>0.5")


def matches(stage: Stage) -> None:
    """Two models were run and compared: who stands for whom."""
    sample = sample_of("node_fault")
    files = {"candidate": sample.model.parent / "node_fault_int8.onnx", "reference": sample.model}
    stage.window.comparisons.start(Setup("onnx", files))
    stage.wait(lambda: stage.window.document.state.findings is not None, "the comparison")
    stage.settle()
    stage.press("panel.matches")


def verdict(stage: Stage) -> None:
    simulated(stage)
    stage.press("verdict.page")


def view_page(stage: Stage) -> QImage:
    """What File → Export → View as PNG writes."""
    simulated(stage)
    stage.window.exports.choose_scale(1)
    stage.press("export.copy")
    return QGuiApplication.clipboard().image()


def manual(stage: Stage) -> QImage:
    simulated(stage)
    window = stage.window.support
    window.show_help("how-to/find-the-birthplace.md")
    stage.settle()
    found = window.manual.grab().toImage()
    window.manual.close()
    return found


def report(stage: Stage) -> QImage:
    """The page as a browser shows it."""
    simulated(stage)
    page, target = stage.folder / "report.html", stage.folder / "report.png"
    write_report(stage.window.document.state, page, SILENT)
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"None of these browsers is here: {', '.join(BROWSERS)}.")
    options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu", "--window-size=1200,900")
    profile_folder = f"--user-data-dir={stage.folder / 'browser'}"
    command = [browser, *options, profile_folder, f"--screenshot={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    return QImage(str(target))


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


@dataclass(frozen=True)
class Scene:
    """`play` brings the window to where the picture is taken, or returns the picture."""

    name: str
    play: Callable[[Stage], QImage | None]
    theme: ThemeChoice = "light"
    size: tuple[int, int] = (1280, 800)
    language: str = "en"


SCENES = (
    Scene("start", start),
    Scene("tour", tour),
    Scene("settings", settings),
    Scene("compare-page", compare, size=(1280, 900)),
    Scene("simulate-panel", simulated),
    Scene("runs-panel", runs),
    Scene("profile-panel", profile),
    Scene("nodes-found", found),
    Scene("matches-panel", matches),
    Scene("inspector", inspector),
    Scene("verdict-page", verdict),
    Scene("ticket-page", ticket, size=(1280, 900)),
    Scene("view-with-caption", view_page),
    Scene("manual", manual),
    Scene("report-page", report),
    Scene("ranking-panel", ranking),
    Scene("curves-panel", curves),
    Scene("changes-panel", changes),
    Scene("search-panel", search),
    Scene("outliers-panel", outliers),
    Scene("distributions", distributions),
    Scene("align-page", align),
    Scene("guide-step", guide_step, size=(1280, 860)),
    Scene("window-zh", profile, language="zh_CN"),
    Scene("guide-zh", guide_step, size=(1280, 860), language="zh_CN"),
)


@contextmanager
def stage_for(scene: Scene, app: Application) -> Iterator[Stage]:
    with TemporaryDirectory() as place:
        folder = Path(place)
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
        settings.switch("still", True)
        settings.language = scene.language
        window = MainWindow(settings, Appearance(app, scene.theme), folder / "errorflow.log")
        window.resize(*scene.size)
        window.show()
        try:
            yield Stage(window, folder)
        finally:
            window.close()
            window.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def made(scene: Scene, app: Application) -> QImage:
    with stage_for(scene, app) as stage:
        stage.settle()
        found = scene.play(stage)
        stage.settle()
        return stage.window.grab().toImage() if found is None else found


def save(image: QImage, path: Path) -> None:
    """In few colours, next to those that are there: nobody sees the difference, and it is a third as large."""
    from PIL import Image

    image = image.convertToFormat(QImage.Format.Format_RGB888)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    whole = Image.fromarray(pixels[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy())
    for colors in COLORS:
        _in_few(whole, colors).save(path, optimize=True)
        if path.stat().st_size <= LARGEST:
            return


def _in_few(whole: "Image.Image", colors: int) -> "Image.Image":
    """The colours of large areas exactly, of the others those that stand for most."""
    from PIL import Image

    counted = whole.getcolors(whole.width * whole.height)
    assert counted is not None, "there are no more colours than pixels"
    flat = [rgb for _, rgb in sorted(counted, reverse=True)[: colors // 2]]
    others = whole.quantize(colors - len(flat), Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette()
    assert others is not None, "it was just given one"
    few = Image.new("P", (1, 1))
    few.putpalette([part for rgb in flat for part in rgb] + others[: 3 * (colors - len(flat))])  # type: ignore[misc]  # of RGB
    return whole.quantize(palette=few, dither=Image.Dither.NONE)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(scene.name for scene in SCENES)}; all without")
    parser.add_argument("--out", type=Path, default=PICTURES)
    options = parser.parse_args()
    unknown = set(options.names) - {scene.name for scene in SCENES}
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    QStandardPaths.setTestModeEnabled(True)
    app = Application(sys.argv[:1])
    for scene in SCENES:
        if not options.names or scene.name in options.names:
            path = options.out / f"{scene.name}.png"
            save(made(scene, app), path)
            print(f"{path.name}, {path.stat().st_size // 1024} KB", flush=True)
    shutil.rmtree(SETUP.parent)


if __name__ == "__main__":
    main()
