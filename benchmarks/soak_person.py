"""Whoever sits in front of the window all day, and does one thing after the other by the commands that a user has."""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton

from errorflow.base.sample import SAMPLES
from errorflow_viewer.pages.start.actions import sample_entries
from errorflow_viewer.window.window import MainWindow

PATIENCE = 120.0
# Seconds in which nothing has to happen until it goes on: a quick hand, that does not wait for what is delayed.
CALM = 0.006
# How often a task comes, compared with the others: those that start processes of their own take seconds.
WEIGHTS = {"simulate": 0.12, "switch": 0.5}
Task = Callable[[], None]
FORMATS = Path(__file__).parents[1] / "tests" / "data" / "formats"
FILES = tuple(
    FORMATS / name
    for name in (
        "atc-json/s2_fusion.json",
        "caffe-prototxt/small_deploy.prototxt",
        "om/chain.om",
        "onnx/gated.onnx",
        "onnx-json/gated.onnxjson",
        "onnx-text/gated.onnxtxt",
    )
)
PANELS = (
    *("nodes", "details", "inspector", "profile", "problems", "log", "matches", "notes", "outliers", "runs"),
    *("differences", "changes", "curves", "ranking", "search", "verdict", "simulate"),
)
DRAWN = (
    *("zoom_in", "zoom_out", "fit", "actual", "centre", "view.columns", "view.auto", "fold.more", "fold.less"),
    *("fold.all", "fold.none", "metric.next", "metric.previous", "marks.swap", "switch.minimap", "switch.minimap"),
    *("worst.next", "worst.previous", "find_next", "back", "forward", "limits.reset", "copy_name"),
)
PICTURES = (("export.png", "png"), ("export.svg", "svg"), ("export.pdf", "pdf"), ("export.view", "png"))


class Person:
    """Whoever sits in front of the window all day."""

    def __init__(self, window: MainWindow, seed: int, folder: Path) -> None:
        self.window = window
        self.random = random.Random(seed)
        self.folder = folder
        self.folder.mkdir(exist_ok=True)
        self._answer = ""
        self._answering = QTimer(interval=5)
        self._answering.timeout.connect(self._answer_dialog)
        self._answering.start()
        # A timer that is being answered does not come again: questions within a dialog have their own.
        self._agreeing = QTimer(interval=5)
        self._agreeing.timeout.connect(_agree)
        self._agreeing.start()
        self.tasks: dict[str, Task] = {
            "open": self.open,
            "sample": self.sample,
            "compare": self.compare,
            "simulate": self.simulate,
            "switch": self.switch,
            "draw": self.draw,
            "panels": self.panels,
            "pages": self.pages,
            "windows": self.windows,
            "pictures": self.pictures,
            "reports": self.reports,
            "ticket": self.ticket,
            "session": self.session,
            "dress": self.dress,
            "speak": self.speak,
            "palette": self.palette,
            "second": self.second,
            "crowd": self.crowd,
        }

    # How anything is done

    def do(self, key: str) -> bool:
        """A command of the menus, if it is offered now."""
        self.window.commands.refresh()
        action = self.window.commands.made.get(key)
        if action is None or not action.isEnabled():
            return False
        action.trigger()
        return True

    def settle(self, calm: float = CALM) -> None:
        """Until nothing goes on any more."""
        end, since = time.monotonic() + PATIENCE, time.monotonic()
        while time.monotonic() - since < calm:
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            works = bool(self.window.jobs.steps)
            if works or self._answer:
                since = time.monotonic()
            if time.monotonic() > end:
                sys.exit(f"It never settles: {[step.text for step in self.window.jobs.steps]}")
            time.sleep(0.004 if works else 0.001)  # whoever looks all the time takes the time of who works

    def give(self, key: str, path: Path) -> None:
        """A command that asks for a file, which is named in its dialog."""
        self._answer = str(path)
        if not self.do(key):
            self._answer = ""
        self.settle()

    def _answer_dialog(self) -> None:
        dialogs = [
            each for each in QApplication.topLevelWidgets() if isinstance(each, QFileDialog) and each.isVisible()
        ]
        for dialog in dialogs:
            answer, self._answer = self._answer, ""
            if answer:
                dialog.selectFile(answer)
                _accept(dialog)
            else:
                dialog.reject()

    def select(self) -> None:
        graph = self.window.document.graph
        if graph is not None and len(graph):
            self.window.document.show(self.random.randrange(len(graph)))
            self.settle()

    # What is done

    def open(self) -> None:
        self.give("open", self.random.choice(FILES))
        self.select()

    def sample(self) -> None:
        self.random.choice(sample_entries(self.window)).run(self.window)
        self.settle()
        self.select()

    def compare(self) -> None:
        """Its files, dropped at once."""
        sample = self.random.choice(SAMPLES)
        self.window.open_all([sample.model, sample.candidate_run, sample.reference_run])
        self.settle()
        self.do("worst.next")
        self.settle()

    def simulate(self) -> None:
        sample = SAMPLES[0]
        self.window.open(sample.model)
        self.settle()
        for _ in range(2):  # brings the panel, then starts what it proposes
            self.do("simulate")
            self.settle(0.1)
        self.switch()
        self.do("simulate.leave")
        self.settle()

    def switch(self) -> None:
        if self.window.document.session.simulation is None:
            return
        self.select()
        for key in ("precision.toggle", "undo", "redo"):
            self.do(key)
            self.settle(0.05)

    def draw(self) -> None:
        for key in self.random.sample(DRAWN, 8):
            self.do(key)
            self.settle()

    def panels(self) -> None:
        for key in self.random.sample(PANELS, 5):
            self.window.panels.show(key)
            self.settle()
            self.select()
            self.do(f"panel.{key}")
            self.settle()
        self.do("reset_layout")
        self.settle()

    def pages(self) -> None:
        for key in ("compare", "guide", "verdict.page", "align", "ticket"):
            self.do(key)
            self.settle()
            self.window.leave_page()
            self.settle()

    def windows(self) -> None:
        """Windows of their own: the manual, what is said of the app."""
        for key in ("help", "manual", "shortcuts", "about"):
            self.do(key)
            self.settle()
            self._close_others()

    def _close_others(self) -> None:
        for other in QApplication.topLevelWidgets():
            if other is not self.window and other.isVisible():
                other.close()
        self.settle()

    def crowd(self) -> None:
        """Plots in large windows, of two runs."""
        self.compare()
        for key in ("plot.profile", "plot.inspector", "distributions"):
            self.do(key)
            self.settle()
        self._close_others()

    def pictures(self) -> None:
        key, ending = self.random.choice(PICTURES)
        self.give(key, self.folder / f"picture.{ending}")
        self.do("export.copy")

    def reports(self) -> None:
        self.give("export.report", self.folder / "report.html")
        self.give("export.tables", self.folder / "tables.csv")

    def ticket(self) -> None:
        """The case as a bundle, which is opened again."""
        if not self.do("ticket"):
            return
        self.settle()
        page = self.window.stack.currentWidget()
        assert page is not None, "it was just shown"
        buttons = [each for each in page.findChildren(QPushButton) if each.text() == "Save bundle…"]
        target = self.folder / "case.zip"
        target.unlink(missing_ok=True)
        for button in buttons:
            self._answer = str(target) if button.isEnabled() else ""
            button.click()
        self.settle(0.1)
        self.window.leave_page()
        if target.exists():
            self.give("open", target)

    def session(self) -> None:
        path = self.folder / f"{self.random.randrange(3)}.errorflow"
        path.unlink(missing_ok=True)
        self.give("session.save_as", path)
        self.select()
        self.do("session.save")
        self.settle()
        self.do("close")
        self.settle()
        if path.exists():
            self.give("open", path)

    def dress(self) -> None:
        for key in ("theme.dark", "theme.light"):
            self.do(key)
            self.settle()

    def speak(self) -> None:
        for key in ("language.zh_CN", "language.en"):
            self.do(key)
            self.settle()

    def palette(self) -> None:
        for text in ("zoom", "@conv", "theme", "Open "):
            self.window.commands.open_palette(text)
            self.settle()
            self.window.commands.palette.hide()
            self.settle()

    def second(self) -> None:
        sample = self.random.choice(SAMPLES)
        self.window.open(sample.model)
        self.settle()
        self.give("second.open", sample.candidate_model)
        self.do("second.hide")
        self.settle()

    def rest(self) -> None:
        """Nothing is open, nothing goes on, and what is left over is cleared away."""
        self._close_others()
        self.do("close")
        self.settle(0.2)
        # Qt keeps what the style sheet says of each widget in each of its states until there is another sheet: without
        # that, megabytes would count by whether there was one lately.
        self.dress()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self.settle()
        self.window.jobs.garbage.sweep()


def _accept(dialog: QFileDialog) -> None:
    """Presses its button: only then it says that a file was chosen."""
    for button in dialog.findChildren(QPushButton):
        if button.isDefault():
            button.setEnabled(True)
            button.click()


def _agree() -> None:
    """A file that is there may be replaced."""
    for each in QApplication.topLevelWidgets():
        if isinstance(each, QMessageBox) and each.isVisible():
            each.button(QMessageBox.StandardButton.Yes).click()
