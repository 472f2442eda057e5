"""Proves that an installed app works: the real window opens, compares, simulates and runs again, as a user would.

To add a step: a method that begins it and one that says how it went, and a row in `_steps`.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, QTimer
from PySide6.QtGui import QFontDatabase, QImage
from PySide6.QtWidgets import QApplication

from errorflow.base.sample import SAMPLES
from errorflow.base.values import dataclass
from errorflow_viewer.commands import switching
from errorflow_viewer.document.opening_jobs import OPEN
from errorflow_viewer.kit.style import font
from errorflow_viewer.window.window import MainWindow

if TYPE_CHECKING:
    from errorflow.study.simulate.outcome import Outcome

LOOK_EVERY = 20
# Seconds for each step: machines that build are slow.
GIVE_UP = 120.0
SAMPLES_RUN = 8
# Below so many tones a picture shows no graph.
_FEWEST_TONES = 3
# Where each system keeps what belongs to a user.
_FOLDERS = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")


class FailedError(Exception):
    """Failure of the self-test, in words."""


@dataclass(frozen=True, slots=True)
class SelfTestStep:
    """`said` is asked again and again: "" as long as it is not done."""

    name: str
    begin: Callable[[], None]
    said: Callable[[], str]


@contextmanager
def kept_apart() -> Iterator[None]:
    """Keeps apart what the app remembers meanwhile: the files and settings of the user are not touched."""
    before, kind = {name: os.environ.get(name) for name in _FOLDERS}, QSettings.defaultFormat()
    with tempfile.TemporaryDirectory(prefix="errorflow-self-test-", ignore_cleanup_errors=True) as folder:
        os.environ.update({name: str(Path(folder) / name) for name in _FOLDERS})
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)  # Windows and macOS keep settings elsewhere by default
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)
        try:
            yield
        finally:
            QSettings.setDefaultFormat(kind)
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


class SelfTest(QObject):
    """Self-test, one step after the other; the process ends with 0 after the last, with 1 as soon as one fails."""

    def __init__(
        self, window: MainWindow, crash: Callable[[], str], steps: Sequence[SelfTestStep] = (), give_up: float = GIVE_UP
    ) -> None:
        """`crash`: what went wrong unforeseen, "" for nothing. `steps`: others than its own."""
        super().__init__(window)
        self._crash = crash
        self._give_up = give_up
        self._window = window
        self._sample, self._truth = SAMPLES[0], SAMPLES[0].truth()
        # What came of the plan before the node was put back.
        self._before: Outcome | None = None
        self._left = list(steps) if steps else self._steps()
        self._step = self._left[0]
        self._begun = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY)
        self._timer.timeout.connect(self._look)

    def _steps(self) -> list[SelfTestStep]:
        return [
            SelfTestStep("files that belong to it", lambda: None, self._files),
            SelfTestStep("open the sample", lambda: self._window.open(self._sample.model), self._opened),
            SelfTestStep("compare its two runs", self._compare, self._compared),
            SelfTestStep("simulate quantization", self._simulate, self._simulated),
            SelfTestStep("one node back to float", self._put_back, self._rerun),
        ]

    def start(self) -> None:
        _say(f"window: {self._window.width()} × {self._window.height()} on {QApplication.platformName()}")
        self._timer.start()
        self._next()

    def _next(self) -> None:
        if not self._left:
            self._end(0, "ok")
            return
        self._step, self._begun = self._left.pop(0), time.monotonic()
        try:
            self._step.begin()
        except FailedError as error:
            self._end(1, str(error))

    def _look(self) -> None:
        try:
            said = self._crash() or self._error()
            if said:
                raise FailedError(said)
            said = self._step.said()
        except FailedError as error:
            self._end(1, str(error))
            return
        taken = time.monotonic() - self._begun
        if said:
            _say(f"{self._step.name}: {said} ({taken:.2f} s)")
            self._next()
        elif taken > self._give_up:
            self._end(1, f"it was not done after {taken:.0f} s")

    def _error(self) -> str:
        return next((row.notice.text for row in self._window.banners.rows if row.notice.kind == "error"), "")

    def _end(self, code: int, text: str) -> None:
        self._timer.stop()
        self._left = []
        _say(text if code == 0 else f"failed, {self._step.name}: {text}")
        QApplication.exit(code)

    # The steps

    def _files(self) -> str:
        """Data that no import would miss."""
        from errorflow.base.language import LANGUAGES
        from errorflow_viewer.help.manual import Manual
        from errorflow_viewer.kit.translation.legible import can_show

        family = font().family()
        if family not in QFontDatabase.families():
            raise FailedError(f"the font {family} is missing")
        missing = [each.name for each in LANGUAGES if each.key != "en" and not each.file.is_file()]
        if missing:
            raise FailedError(f"the texts in {missing[0]} are missing")
        pages = len(Manual.read().pages)
        if pages < 10:
            raise FailedError(f"the manual has {pages} pages")
        unread = [each.in_english for each in LANGUAGES if not can_show(each)]
        lacks = f", no font for {', '.join(unread)}" if unread else ""
        return f"{pages} pages of the manual, {len(LANGUAGES)} languages, {family}{lacks}"

    def _opened(self) -> str:
        window = self._window
        if window.document.model is None or window.jobs.running(OPEN):
            return ""
        self._must_show()
        return f"{len(window.document.model.graph)} nodes drawn"

    def _compare(self) -> None:
        from errorflow.case.scenarios.setup import Setup

        sample = self._sample
        files = {"model": sample.model, "reference": sample.reference_run, "candidate": sample.candidate_run}
        self._window.comparisons.start(Setup("runs", files))

    def _compared(self) -> str:
        state = self._window.document.state
        compared = state.case
        if compared is None or not compared.complete or compared.blame is None or state.findings is None:
            return ""
        if self._window.jobs.steps:  # it is still being refined
            return ""
        blame, expected = compared.blame, next(iter(self._truth.verdicts.values()))
        if blame.model.kind != expected:
            raise FailedError(f"the verdict is {blame.model.kind!r}, not {expected!r}: {blame.model.text}")
        culprit = self._culprit()
        if culprit not in [each.node for each in blame.model.top]:
            raise FailedError(f"{self._truth.culprits[0]} is not blamed: {blame.model.text}")
        self._must_show()
        return f"{len(compared.comparison.rows)} tensors, {blame.model.kind}, {self._truth.culprits[0]}"

    def _simulate(self) -> None:
        from errorflow.quant.presets import preset
        from errorflow.run.ort import can_run
        from errorflow.run.samples.asked import SampleSpec
        from errorflow.study.simulate.basis import Basis

        if not can_run():
            if getattr(sys, "frozen", False):
                raise FailedError("ONNX Runtime is missing")
            _say("ONNX Runtime is not installed, so that nothing can be run: the other steps are left out")
            self._left = []
            return
        basis = Basis(SampleSpec((str(self._sample.calibration),)), samples=SAMPLES_RUN)
        self._window.studies.simulating.start(basis, preset("onnxruntime").plan)

    def _simulated(self) -> str:
        if not self._left:
            return "left out"
        found = self._outcome()
        if found is None:
            return ""
        self._before = found
        self._must_show()
        return f"{len(found.table.samples)} samples, cosine {self._cosine(found):.4f}"

    def _put_back(self) -> None:
        self._window.document.select(self._culprit())
        switching.toggle(self._window)

    def _rerun(self) -> str:
        found = self._outcome()
        if found is None or self._before is None or found.plan == self._before.plan:
            return ""
        before, now = self._cosine(self._before), self._cosine(found)
        if not now > max(before, 0.99):
            raise FailedError(f"the cosine of the output was {before:.4f} and is {now:.4f} with the node in float")
        return f"cosine {before:.4f} became {now:.4f}"

    # What they look at

    def _culprit(self) -> int:
        model = self._window.document.model
        names = [] if model is None else list(model.graph.node_names)
        if self._truth.culprits[0] not in names:
            raise FailedError(f"{self._truth.culprits[0]} is not in the graph")
        return names.index(self._truth.culprits[0])

    def _outcome(self) -> "Outcome | None":
        """Finds the outcome of the session's plan, once all is known of it."""
        simulated, simulation = self._window.document.state.simulated, self._window.document.session.simulation
        found = None if simulated is None else simulated.outcome
        if found is None or simulation is None or found.plan != simulation.plan or found.depth != "complete":
            return None
        return found

    def _cosine(self, outcome: "Outcome") -> float:
        """The worst of the first output's, over the samples."""
        from errorflow.compare.metrics import METRICS

        metric = next(each for each in METRICS if each.key == "cosine")
        name = next(iter(self._truth.verdicts))
        return float(outcome.table.column(metric)[:, outcome.table.places[name]].min())

    def _must_show(self) -> None:
        if _tones(self._window.view.picture()) < _FEWEST_TONES:
            raise FailedError("the picture of the graph is empty")


def _say(text: str) -> None:
    if sys.stdout is not None:  # a bundle without a console has none
        with suppress(OSError):
            sys.stdout.write(f"self-test: {text}\n")
            sys.stdout.flush()


def _tones(image: QImage) -> int:
    """Counts the different colours of a picture, looking at every 4th pixel."""
    return len({image.pixel(x, y) for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)})
