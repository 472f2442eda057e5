"""How many stations a number passes in the window: python benchmarks/stations.py [--list]

A comparison of the built-in sample is opened in a real window on no screen: counted are the jobs that are begun and
the changes of the document until its colours are painted, and the classes of Errorflow that one number goes through on
that way: of all objects that are made meanwhile those that hold it, its row or its pair. Then one node of a simulation
is put to float by Space: counted are the source files of Errorflow whose code runs in the window's thread, and in all
threads, until all of it is known and painted.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from types import FrameType
from typing import Any

from carrying import Made, carriers, stations
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import errorflow
import errorflow_viewer
from errorflow.base.sample import SAMPLES
from errorflow.case.said import setup_of
from errorflow.case.session.model import Session
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow

MOST_SECONDS = 120.0
SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
NODE = "/block2/project/conv/Conv"
ROOTS = tuple(str(Path(package.__file__ or "").parent) for package in (errorflow, errorflow_viewer))


class Files:
    """The files of Errorflow whose code runs, by whether it is in the window's thread."""

    def __init__(self) -> None:
        self._codes: dict[bool, set[str]] = {True: set(), False: set()}

    def __enter__(self) -> "Files":
        threading.setprofile(self._note_elsewhere)
        sys.setprofile(self._note_here)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _note_here(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            self._codes[True].add(frame.f_code.co_filename)

    def _note_elsewhere(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            self._codes[False].add(frame.f_code.co_filename)

    @property
    def here(self) -> set[str]:
        return {name for name in self._codes[True] if name.startswith(ROOTS)}

    @property
    def all(self) -> set[str]:
        return self.here | {name for name in self._codes[False] if name.startswith(ROOTS)}


def spin(app: QApplication, done: Callable[[], bool]) -> None:
    end = time.perf_counter() + MOST_SECONDS
    while not done():
        if time.perf_counter() > end:
            raise SystemExit("It did not come to its end.")
        app.processEvents()
        time.sleep(0.001)  # else this loop takes the processor from what is counted


def is_painted(window: MainWindow) -> bool:
    """Whether the colours on view are those of what is compared now."""
    state, paint = window.document.state, window._graph_view.errors.paint
    found, compared = state.findings, state.case
    known = found is not None and compared is not None and found.comparison is compared.comparison
    return known and compared is not None and compared.complete and paint is not None


def count_comparing(app: QApplication, window: MainWindow) -> str:
    """Of a comparison that is begun on the model on view, as an engineer does it a hundred times a day."""
    window.open(SAMPLE.model)
    spin(app, lambda: is_painted(window) and not window.jobs.steps)
    setup = setup_of(Session(SAMPLE.model))
    assert setup is not None, "a sample has its runs"
    window.close_model()
    begun: list[str] = []
    bounces: list[Collection[str]] = []
    start = window.jobs._start

    def count(job: Any) -> None:
        begun.append(job.key.split(" 1")[0])
        start(job)

    window.jobs._start = count  # type: ignore[method-assign]  # counted
    window.document.changed.connect(bounces.append)
    window.comparisons.start(setup)
    spin(app, lambda: is_painted(window))
    window.document.changed.disconnect(bounces.append)
    window.jobs._start = start  # type: ignore[method-assign]  # as it was
    told = "; ".join(", ".join(sorted(each)) for each in bounces)
    return f"comparing: {len(begun)} jobs ({', '.join(begun)}), {len(bounces)} changes ({told})"


def count_stations(app: QApplication, window: MainWindow) -> str:
    """Of a sample with a number that lies between the limits, so that its place on the scale tells it from others."""
    sample = next(sample for sample in SAMPLES if sample.key == "drift")
    setup = setup_of(Session(sample.model))
    assert setup is not None, "a sample has its runs"
    window.close_model()
    with Made() as made:
        window.comparisons.start(setup)
        spin(app, lambda: is_painted(window))
    case, found, paint = window.document.state.case, window.document.state.findings, window._graph_view.errors.paint
    assert case is not None and case.match is not None and found is not None and paint is not None
    assert paint.metric is not None
    errors = paint.errors
    box = next(box for box, badness in enumerate(errors.badness.tolist()) if 0 < badness < 1)
    number = found.placed.about[int(errors.tensors[box])][0]
    row = case.comparison.rows[number]
    numbers = row.values[paint.metric.key], float(errors.badness[box])
    names = stations(carriers(made.objects, case.match.pairs[number], row, numbers))
    window.close_model()
    return f"stations: {len(names)} and the screen ({', '.join(names)})"


def count_space(app: QApplication, window: MainWindow) -> tuple[Files, str]:
    window.studies.simulating.start(Basis(SampleSpec((str(SAMPLE.calibration),)), samples=12))
    spin(app, lambda: depth(window) == "complete" and not window.jobs.steps)
    graph = window.document.graph
    assert graph is not None
    window.folds.open_all()
    window.focus_graph()
    window.document.select(node=graph.node_index(NODE))
    spin(app, lambda: not window.jobs.steps)
    bounces: list[Collection[str]] = []
    window.document.changed.connect(bounces.append)
    with Files() as files:
        QTest.keyClick(window.view, Qt.Key.Key_Space)
        spin(app, lambda: depth(window) == "complete" and not window.jobs.steps)
        app.processEvents()
    told = "; ".join(", ".join(sorted(each)) for each in bounces)
    counts = f"{len(files.here)} files in the window's thread, {len(files.all)} in all, {len(bounces)} changes"
    told = f"Space: {counts} ({told})"
    return files, told


def depth(window: MainWindow) -> str:
    """Of what the graph is painted by; "": by the plan before."""
    state, simulation = window.document.state, window.document.session.simulation
    outcome = None if state.simulated is None else state.simulated.outcome
    if outcome is None or simulation is None or outcome.plan != simulation.plan or state.findings is None:
        return ""
    return outcome.depth if state.findings.comparison is outcome.comparison else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="names the files of the window's thread")
    parser.add_argument("--space", action="store_true", help="counts for one press of Space only")
    options = parser.parse_args()
    app = QApplication([])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
        window = MainWindow(settings, Appearance(app, "light"), folder / "errorflow.log")
        window.resize(1600, 1000)
        window.show()
        if not options.space:
            print(count_comparing(app, window))
            print(count_stations(app, window))
        window.open(SAMPLE.model)
        spin(app, lambda: is_painted(window) and not window.jobs.steps)
        files, told = count_space(app, window)
        print(told)
        window.close()
    for each in sorted(files.here) if options.list else ():
        print(Path(each).relative_to(Path(ROOTS[0]).parent.parent))


if __name__ == "__main__":
    main()
