"""Makes pictures of the documentation from the app itself, on no screen: python docs/make_pictures.py [NAME …]

Each scene is the real window with a built-in sample, driven by the commands that a user has. Run it after a change that
shows; look at every picture before it is committed.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

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
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QSettings, QStandardPaths  # noqa: E402
from PySide6.QtGui import QAction, QImage  # noqa: E402

from errorflow.quant.plan import Plan  # noqa: E402
from errorflow.quant.presets import preset  # noqa: E402
from errorflow.run.samples.asked import Asked  # noqa: E402
from errorflow.sample import SAMPLES, Sample  # noqa: E402
from errorflow.simulate.basis import Basis  # noqa: E402
from errorflow_viewer.panels.curves.panel import CurvesPanel  # noqa: E402
from errorflow_viewer.running import Application  # noqa: E402
from errorflow_viewer.settings import Settings, ThemeChoice  # noqa: E402
from errorflow_viewer.style import Appearance  # noqa: E402
from errorflow_viewer.window import MainWindow  # noqa: E402

PICTURES = Path(__file__).parent / "pictures"
PATIENCE, PAUSE = 120.0, 0.4


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


def align(stage: Stage) -> None:
    """One pipeline hands over BGR in place of RGB, and cuts decimals off."""
    dice = np.random.default_rng(3)
    coarse = dice.integers(0, 256, (1, 3, 8, 8)).astype(np.float32)
    picture = np.kron(coarse, np.ones((8, 8), np.float32))
    sides = {"training": picture / 255, "board": picture[:, ::-1]}
    stage.press("align")
    page = stage.window.align_page
    for key, (name, values) in zip("ab", sides.items(), strict=True):
        folder = stage.folder / name
        folder.mkdir()
        np.save(folder / "preprocessed.npy", values)
        np.save(folder / "output.npy", values.mean(axis=(2, 3)))
        page.rows[key].changed.emit(folder)
    page.align.click()
    stage.wait(lambda: page.found is not None, "the alignment")


@dataclass(frozen=True)
class Scene:
    """`play` brings the window to where the picture is taken, or returns the picture."""

    name: str
    play: Callable[[Stage], QImage | None]
    theme: ThemeChoice = "light"
    size: tuple[int, int] = (1280, 800)


SCENES = (
    Scene("ranking-panel", ranking),
    Scene("curves-panel", curves),
    Scene("search-panel", search),
    Scene("outliers-panel", outliers),
    Scene("distributions", distributions),
    Scene("align-page", align),
)


@contextmanager
def stage_for(scene: Scene, app: Application) -> Iterator[Stage]:
    with TemporaryDirectory() as place:
        folder = Path(place)
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
        settings.switch("still", True)
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
            made(scene, app).save(str(path))
            print(path.name, flush=True)
    shutil.rmtree(SETUP.parent)


if __name__ == "__main__":
    main()
