"""A window with nothing in it, on no screen, and what scenes do with it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QSettings, Qt, qInstallMessageHandler
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QComboBox, QLabel

from errorflow.base.sample import SAMPLES, Sample
from errorflow.quant.plan import Plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.app.running import Application
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.settings import Settings, ThemeChoice
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow

PATIENCE, PAUSE = 240.0, 0.4
# The height of a panel below the graph of which a picture is about.
LOW = 330
# Where pictures say that files lie.
NEAT = "/home/ada/cases"


def sample_of(key: str) -> Sample:
    return next(sample for sample in SAMPLES if sample.key == key)


def inputs_of(sample: Sample, folder: Path) -> Path:
    """What both of its runs were given, as a file of its own."""
    path = folder / "inputs.npz"
    with np.load(sample.reference_run) as run:
        np.savez(path, image=run["image"])
    return path


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

    def show_colours(self) -> None:
        """Of a sample, which was compared while it opened; what it says of itself is taken off."""
        self.wait(lambda: self.window.document.state.findings is not None, "the colours")
        self.window.banners.leave_model()
        self.settle()

    def simulate(self, sample: Sample, plan: Plan | None = None) -> None:
        self.open(sample)
        self.window.banners.leave_model()
        self.window.simulating.start(Basis(SampleSpec((str(sample.calibration),)), samples=24), plan)
        self.wait(lambda: self.window.document.state.simulated is not None, "the simulation")
        self.settle()

    def select(self, node: str) -> None:
        model = self.window.document.model
        assert model is not None
        self.window.document.select(node=model.graph.node_index(node))
        self.settle()

    def hide(self, *panels: str) -> None:
        for key in panels:
            self.window.hide_panel(key)
        self.settle()

    def size_panel(self, key: str, width: int = 0, height: int = 0) -> None:
        dock = self.window.docks.by_key[key]
        for length, way in ((width, Qt.Orientation.Horizontal), (height, Qt.Orientation.Vertical)):
            if length:
                self.window.resizeDocks([dock], [length], way)
        self.settle()
        if self.window.switches.in_columns:  # for the room that there is now
            self.press("view.columns")
            self.press("view.columns")
            self.press("fit")

    def hide_folder(self) -> None:
        """A made-up folder is named in place of the one that is gone a moment later."""
        for label in self.window.findChildren(QLabel):
            if isinstance(label, Elided):
                label.show_text(self._neat(label.accessibleName() or label.text()))
            else:
                label.setText(self._neat(label.text()))
        for box in self.window.findChildren(QComboBox):
            for at in range(box.count()):
                box.setItemText(at, self._neat(box.itemText(at)))

    def _neat(self, text: str) -> str:
        return text.replace(str(self.folder), NEAT)


@dataclass(frozen=True)
class Scene:
    """`play` brings the window to where the picture is taken, or returns the picture."""

    name: str
    play: Callable[[Stage], QImage | None]
    theme: ThemeChoice = "light"
    size: tuple[int, int] = (1280, 800)
    language: str = "en"


def _say(_kind: object, _context: object, text: str) -> None:
    """The screen that is none tells of each window what it cannot do."""
    if "plugin does not" not in text:
        print(text, file=sys.stderr)


@contextmanager
def stage_for(scene: Scene, app: Application) -> Iterator[Stage]:
    qInstallMessageHandler(_say)
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
