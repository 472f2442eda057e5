"""How live the window stays while a large comparison grows in it: python benchmarks/comparing_window.py 10000 30000

A timer beats every 5 ms; what is printed are the gaps between its beats, and the processor's time that one part of the
comparison and the findings on it take of the window.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication

from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.document import comparing, finding
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow

MOST_SECONDS = 120.0
VALUES = 16


def chain(folder: Path, count: int) -> Setup:
    """A model of so many nodes in a row, and two runs of it."""
    from onnx import TensorProto, helper, save

    names = [f"t{number}" for number in range(count)]
    nodes = [
        helper.make_node("Relu", [names[number - 1] if number else "x"], [name], name=f"node{number}")
        for number, name in enumerate(names)
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [VALUES]) for name in ("x", names[-1])]
    save(helper.make_model(helper.make_graph(nodes, "chain", ends[:1], ends[1:])), folder / "chain.onnx")
    dice = np.random.default_rng(0)
    right = {name: dice.standard_normal(VALUES).astype(np.float32) for name in names}
    wrong = {name: values + 0.1 * dice.standard_normal(VALUES).astype(np.float32) for name, values in right.items()}
    np.savez(folder / "right.npz", **right)  # type: ignore[arg-type]  # numpy takes a flag among the arrays' names
    np.savez(folder / "wrong.npz", **wrong)  # type: ignore[arg-type]  # as above
    files = {"candidate": "wrong.npz", "reference": "right.npz", "model": "chain.onnx"}
    return Setup("runs", {need: folder / name for need, name in files.items()})


def timed(what: Callable[[Any], None], taken: list[float]) -> Callable[[Any], None]:
    def call(value: object) -> None:
        start = time.thread_time()
        what(value)
        taken.append(1000 * (time.thread_time() - start))

    return call


def run(app: QApplication, appearance: Appearance, folder: Path, count: int) -> str:
    setup = chain(folder, count)
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    window = MainWindow(settings, appearance, folder / "errorflow.log")
    window.resize(1600, 1000)
    window.show()
    window.open(setup.files["model"])
    spin(app, lambda: window.document.model is not None and not window.jobs.steps)
    parts: list[float] = []
    findings: list[float] = []
    window.document.take_case = timed(window.document.take_case, parts)  # type: ignore[method-assign, assignment]  # measured
    window.document.take_findings = timed(window.document.take_findings, findings)  # type: ignore[method-assign, assignment]  # as above
    beats = [time.perf_counter()]
    timer = QTimer(interval=5)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start()
    start = time.perf_counter()
    window.comparisons.start(setup)
    spin(app, lambda: bool(parts) and not any(map(window.jobs.running, (comparing.KEY, finding.KEY))))
    took = time.perf_counter() - start
    timer.stop()
    window.close()
    return line(count, took, 1000 * np.diff(beats), parts, findings)


def spin(app: QApplication, done: Callable[[], bool]) -> None:
    end = time.perf_counter() + MOST_SECONDS
    while not done() and time.perf_counter() < end:
        app.processEvents()
        time.sleep(0.001)  # else this loop takes the processor from what is measured


def line(count: int, took: float, gaps: "np.ndarray[Any, Any]", parts: list[float], findings: list[float]) -> str:
    half, most, largest = (float(np.percentile(gaps, share)) for share in (50, 99, 100))
    return (
        f"{count:,} tensors, {took:.1f} s: gaps p50 {half:.0f} ms, p99 {most:.0f} ms, largest {largest:.0f} ms, over "
        f"100 ms {int((gaps > 100).sum())}; {len(parts)} parts of at most {max(parts):.0f} ms, {len(findings)} "
        f"findings of at most {max(findings, default=0):.0f} ms of the processor"
    )


def main() -> None:
    app = QApplication([])
    appearance = Appearance(app, "light")
    for count in map(int, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            print(run(app, appearance, Path(folder), count), flush=True)


if __name__ == "__main__":
    main()
