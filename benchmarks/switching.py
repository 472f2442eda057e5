"""How soon a node that is put to float is seen: python benchmarks/switching.py [MODEL --data SAMPLES …] --toggles 30

Without a model it is a detector with weights by a seed. Space is pressed in a real window on no screen, on nodes all
over the model, one after the other. Printed is the time from the key until something is painted (the mark), until
new colours are (of one sample), and until those of all samples are, each as time of the clock and as time of the
processor in the window's thread.
"""

import argparse
import cProfile
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document import simulation_work
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow

MOST_SECONDS = 300.0
SIDE = 320
STEPS = ("mark", "quick", "exact")
# By step: of the clock, and of the processor in the window's thread.
Times = dict[str, tuple[float, float]]


def spin(app: QApplication, done: Callable[[], bool]) -> None:
    end = time.perf_counter() + MOST_SECONDS
    while not done() and time.perf_counter() < end:
        app.processEvents()
        time.sleep(0.0005)  # else this loop takes the processor from what is measured


def depth(window: MainWindow) -> str:
    """Of what the graph is painted by; "": by the plan before."""
    state, simulation = window.document.state, window.document.session.simulation
    outcome = None if state.simulated is None else state.simulated.outcome
    if outcome is None or simulation is None or outcome.plan != simulation.plan or state.findings is None:
        return ""
    return outcome.depth if state.findings.comparison is outcome.comparison else ""


def toggle(app: QApplication, window: MainWindow, node: int, profile: cProfile.Profile | None) -> Times:
    """Presses the key, and waits for all that comes of it."""
    window.document.select(node=node)
    spin(app, lambda: not window.jobs.running(simulation_work.KEY))
    app.processEvents()
    if profile is not None:
        profile.enable()
    start, used = time.perf_counter(), time.thread_time()
    seen: Times = {}
    QTest.keyClick(window.view, Qt.Key.Key_Space)
    painted = "mark"
    end = start + MOST_SECONDS
    while time.perf_counter() < end and "exact" not in seen:
        app.processEvents()  # paints what `painted` says
        if painted and painted not in seen:
            seen[painted] = 1000 * (time.perf_counter() - start), 1000 * (time.thread_time() - used)
            if painted == "quick" and profile is not None:
                profile.disable()
        now = depth(window)
        painted = now if now != "complete" else "exact"
        time.sleep(0.0005)  # else this loop takes the processor from what is measured
    return seen


def measure(
    app: QApplication, folder: Path, asked: tuple[Path, Basis], toggles: int, profile: cProfile.Profile | None
) -> list[Times]:
    model, basis = asked
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    window = MainWindow(settings, Appearance(app, "light"), folder / "errorflow.log")
    window.resize(1600, 1000)
    window.show()
    window.open(model)
    spin(app, lambda: window.document.model is not None and not window.jobs.steps)
    window.studies.simulating.start(basis)
    spin(app, lambda: depth(window) == "complete")
    window.folds.open_all()
    spin(app, lambda: not window.jobs.steps)
    window.focus_graph()
    graph = window.document.graph
    assert graph is not None
    bench = window.studies.simulating.bench
    print(f"{model.name}: {len(graph):,} nodes; {bench.text if bench else ''}")
    nodes = [n for n in range(len(graph)) if graph.op_types[n] in ("Conv", "Add", "Mul", "MatMul", "Relu", "Sigmoid")]
    found = [toggle(app, window, nodes[len(nodes) * at // toggles], profile) for at in range(toggles)]
    window.close()
    return found


def detector(folder: Path) -> tuple[Path, Basis]:
    import onnx
    from rerun_net import detector as made

    path = folder / "detector.onnx"
    onnx.save(made(SIDE), path)
    dice = np.random.default_rng(1)
    np.savez(folder / "samples.npz", images=dice.standard_normal((8, 3, SIDE, SIDE), np.float32))
    return path, Basis(SampleSpec((str(folder / "samples.npz"),)))


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--data", nargs="+", default=[])
    parser.add_argument("--dim", action="append", default=[], help="NAME=SIZE of a size that the model leaves open")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--toggles", type=int, default=30)
    parser.add_argument("--profile", type=Path, help="writes what the window does between the key and new colours")
    options = parser.parse_args(arguments)
    profile = cProfile.Profile() if options.profile else None
    app = QApplication([])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.model is None:
            model, basis = detector(folder)
        else:
            sizes = {key: int(size) for key, _, size in (text.partition("=") for text in options.dim)}
            model, basis = options.model, Basis(SampleSpec(tuple(options.data), sizes), options.samples)
        found = measure(app, folder, (model, basis), options.toggles, profile)
    for step in STEPS:
        for place, clock in enumerate(("clock", "window's processor")):
            times = [each[step][place] for each in found if step in each]
            if times:
                half, most = np.percentile(times, (50, 95))
                print(f"{step:>6} {clock:>18}: p50 {half:6.1f} ms, p95 {most:6.1f} ms, largest {max(times):6.1f} ms")
    if profile is not None:
        profile.dump_stats(options.profile)


if __name__ == "__main__":
    main(sys.argv[1:])
