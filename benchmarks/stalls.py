"""How long the window stands still in daily work: python benchmarks/stalls.py [nodes …]

Two decoders beside each other, the second one quantized, and a comparison of two runs of the first. A timer beats every
5 ms; for each action the longest gap between two beats is told, by the clock and in processor time of the window's
thread, until nothing goes on any more. Other programs and the work in the background lengthen the first, only the
window itself the second. In brackets all of the window's processor time for the action. `--one NODES --profiles FOLDER`
leaves there for each action what took how long in its longest gap, for pstats.
"""

import argparse
import cProfile
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from by_size import Row, print_table
from generate import Sketch, decoder, of_size
from PySide6.QtCore import QPoint, QSettings, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow

SIZES = (10_000, 30_000, 100_000)
BEAT, CALM, MOST_SECONDS = 5, 2.0, 600.0
VALUES = 16
QUERIES = ("m", "mu", "mul", "type:Mul", "type:Mul verdict:origin", "")
LIMIT_MOVES = 12
# Each with its name in the table.
Step = tuple[str, Callable[[], None]]


@dataclass
class Heart:
    """The gaps between beats of the window's thread, in ms: by the clock, and of the processor."""

    clock: list[float] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    # What happened in the longest gap, if that is to be known: it makes all of them longer.
    profiled: bool = False
    worst: cProfile.Profile | None = None
    _current: cProfile.Profile | None = None
    _last: tuple[float, float] = (0.0, 0.0)

    def begin(self) -> None:
        self.clock, self.spent, self._last = [], [], _now()
        self._look_closer()

    def beat(self) -> None:
        now = _now()
        self.clock.append(1000 * (now[0] - self._last[0]))
        self.spent.append(1000 * (now[1] - self._last[1]))
        self._look_closer()
        self._last = _now()

    def _look_closer(self) -> None:
        if self._current is not None:
            self._current.disable()
            self.worst = self._current if self.spent and self.spent[-1] == max(self.spent) else self.worst
        if self.profiled:
            self._current = cProfile.Profile()
            self._current.enable()

    def text(self) -> str:
        return f"{max(self.clock):.0f} / {max(self.spent):.0f} ({sum(self.spent):.0f})"


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.thread_time()


class Bench:
    """A window with all that is measured in it."""

    def __init__(self, app: QApplication, folder: Path, size: int) -> None:
        self._app = app
        self.folder = folder
        self.main = of_size(size)
        layers = sum(name.endswith("/self_attn/Softmax") for _, _, _, name in self.main.nodes)
        self.setup = written(self.main, decoder(layers, qdq=True), folder)
        appearance = Appearance(app, "light")
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
        self.window = MainWindow(settings, appearance, folder / "log" / "errorflow.log")
        self.window.resize(1600, 1000)
        self.window.show()
        self.heart = Heart()
        self._timer = QTimer(interval=BEAT)
        self._timer.timeout.connect(self.heart.beat)
        self._timer.start()

    def measure(self, work: Callable[[], None]) -> str:
        """Until all that follows from it is done and was calm for a while."""
        self.settle(0.2)
        QTest.mouseMove(self.window.windowHandle(), QPoint(*np.random.default_rng().integers(400, 600, 2).tolist()))
        self.heart.begin()
        work()
        self.settle(CALM)
        return self.heart.text()

    def settle(self, calm: float) -> None:
        end = time.perf_counter() + MOST_SECONDS
        since = time.perf_counter()
        while time.perf_counter() - since < calm and time.perf_counter() < end:
            self._app.processEvents()
            if any(thread.name.startswith("job ") for thread in threading.enumerate()):
                since = time.perf_counter()
            time.sleep(0.001)  # else this loop takes the processor from what is measured

    def run(self, key: str) -> None:
        action = next(row for row in ACTIONS if row.key == key)
        action.run(self.window)

    # What is done

    def steps(self) -> Iterator[Step]:
        window, document = self.window, self.window.document
        nodes = len(self.main.nodes)
        saved = self.folder / "kept.errorflow"
        yield "open a model", lambda: window.open(self.setup.files["model"])
        yield "show all panels", self.show_panels
        yield "second graph", lambda: document.edit("", second=self.folder / "second.onnx", pairing="side")
        yield "comparison", lambda: window.comparisons.start(self.setup, document.session)
        yield "next metric", lambda: self.run("metric.next")
        yield "another metric", lambda: self.run("metric.next")
        yield "swap marks", lambda: self.run("marks.swap")
        yield "other palette", lambda: self.paint(palette="single")
        yield "limits dragged", self.drag_limits
        yield "undo", document.undo
        yield "redo", document.redo
        yield "select in the list", lambda: document.show(nodes // 2)
        yield "click", lambda: document.pick(nodes // 3)
        yield "search", self.search
        yield "next worst", lambda: window.step_match(1)
        yield "open one more level", lambda: self.run("fold.more")
        yield "all folds open", window.folds.open_all
        yield "metric, all open", lambda: self.run("metric.next")
        yield "palette, all open", lambda: self.paint(palette="ember")
        yield "limits, all open", self.drag_limits
        yield "select, all open", lambda: document.show(nodes // 4)
        yield "search, all open", self.search
        yield "dark theme, all open", lambda: window.set_theme("dark")
        yield "all folds closed", window.folds.close_all
        yield "light theme", lambda: window.set_theme("light")
        yield "reload", window.reload
        yield "write a session", lambda: self.keep(saved)
        yield "open the session", lambda: window.open(saved)
        yield "garbage, user rests", lambda: window.jobs.garbage.sweep()
        yield "hide the second", lambda: document.edit("", pairing="")
        yield "close the model", window.close_model

    def show_panels(self) -> None:
        for key in self.window.panels.by_key:
            self.window.panels.show(key)
        self.window.panels.show("nodes")
        self.window.panels.show("profile")

    def paint(self, **decided: object) -> None:
        document = self.window.document
        painting = replace(document.session.painting, **decided)  # type: ignore[arg-type]  # the dataclass checks them
        document.edit("Paint", painting=painting)

    def drag_limits(self) -> None:
        limits = self.window.view.limits
        for step in range(LIMIT_MOVES):
            limits.moved.emit(0.01 + 0.001 * step, 0.5)
            self._app.processEvents()
        limits.settled.emit()

    def search(self) -> None:
        for text in QUERIES:
            self.window.document.search_for(text)
            self.settle(0.1)

    def keep(self, path: Path) -> None:
        write_session(self.window._sessions.captured(), path)


def written(main: Sketch, second: Sketch, folder: Path) -> Setup:
    """Two models as files, and two runs of the first."""
    main.write(folder / "main.onnx")
    second.write(folder / "second.onnx")
    dice = np.random.default_rng(0)
    made = [name for _, _, outputs, _ in main.nodes for name in outputs]
    right = {name: dice.standard_normal(VALUES).astype(np.float32) for name in made}
    wrong = {name: values + 0.1 * dice.standard_normal(VALUES).astype(np.float32) for name, values in right.items()}
    np.savez(folder / "right.npz", **right)  # type: ignore[arg-type]  # numpy takes a flag among the arrays' names
    np.savez(folder / "wrong.npz", **wrong)  # type: ignore[arg-type]  # as above
    files = {"candidate": "wrong.npz", "reference": "right.npz", "model": "main.onnx"}
    return Setup("runs", {need: folder / name for need, name in files.items()})


def measured(size: int) -> list[Row]:
    """Of each action, by the clock and of the processor."""
    options = _options()
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(app, Path(folder), size)
        rows = [("nodes", f"{len(bench.main.nodes):,}")]
        bench.heart.profiled = options.profiles is not None
        for name, work in bench.steps():
            rows.append((name, bench.measure(work)))
            print(*rows[-1], file=sys.stderr, flush=True)
            if options.profiles is not None and bench.heart.worst is not None:
                bench.heart.worst.dump_stats(options.profiles / f"{name}.prof")
        bench.window.close()
    return rows


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--profiles", type=Path)
    return parser.parse_known_args()[0]


def main() -> None:
    print_table(__file__, SIZES, measured, 24, 24)


if __name__ == "__main__":
    main()
