"""What a test in a real window has to simulate, what it does there, and what it sees of it."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from PySide6.QtGui import QColor, QImage

from end_to_end.screens import Screen, wait_until
from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session, Simulation
from errorflow.quant.presets import preset
from errorflow.report.scale import LIGHT as ERROR
from errorflow.report.scale import change_scale_of
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.kit.look import LIGHT

SAMPLE = SAMPLES[0]
DRAFTS = "drafts/open-*.errorflow"
CULPRIT = "/block2/project/conv/Conv"
# On a screen of 1280 × 720 with the window maximised: the graph, its legend, and what of the line at the bottom only a
# long text reaches.
GRAPH, LEGEND, STATUS = (312, 165, 700, 235), (312, 408, 720, 40), (400, 694, 500, 22)
# What stands above the graph.
BANNER = (312, 88, 720, 44)
# The panel of the simulation: the button that asks for files before anything was simulated, the form, and the button
# that starts.
FILES, FORM, START = (242, 162), (10, 120, 280, 480), (8, 632, 80, 24)
WORST, BETTER = ERROR.hex(1.0), change_scale_of("ember", False).hex(0.0)


@dataclass(frozen=True, slots=True)
class Case:
    """A folder of a user with a float model, and samples of two kinds."""

    model: Path
    samples: Path
    others: Path
    session: Path

    @classmethod
    def copied(cls, folder: Path) -> "Case":
        folder.mkdir()
        given = (SAMPLE.model, SAMPLE.calibration, SAMPLE.evaluation)
        model, samples, others = (Path(shutil.copy(path, folder)) for path in given)
        return cls(model, samples, others, folder / "case.errorflow")

    def begin(self, screen: Screen) -> None:
        """The app with a session in which the model is simulated as ONNX Runtime's tool would quantize it."""
        basis = Basis(SampleSpec((str(self.samples),)), own=False)
        write_session(Session(self.model, simulation=Simulation(basis, preset("onnxruntime").plan)), self.session)
        self.open(screen, self.session)
        wait_for_runs(screen, 1)
        wait_until(lambda: bad(screen) > 200, "nodes in the colour of a large error")

    def open(self, screen: Screen, path: Path) -> None:
        screen.start("--new-instance", str(path))
        screen.wait_for_graph(f"{path.name} – Errorflow")


# What is seen


def bad(screen: Screen) -> int:
    """Pixels of the graph in the colour of the worst."""
    return screen.count(WORST, *GRAPH)


def first_bad(screen: Screen) -> tuple[int, int]:
    """A spot on the first node in the colour of the worst: columns are read from left to right."""
    image = screen.picture().convertToFormat(QImage.Format.Format_RGB32)
    left, top, width, height = GRAPH
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    is_bad = rows[top : top + height, left : left + width] == QColor(WORST).rgb()
    # Lines are thin, and nodes are not.
    columns = np.flatnonzero(is_bad.sum(axis=0) >= 6)
    y = int(np.flatnonzero(is_bad[:, columns[3]])[0])
    return left + int(columns[3]), top + y + 3


def said(screen: Screen) -> int:
    """Pixels of a long text at the bottom."""
    return screen.count(LIGHT.muted, *STATUS)


# What is decided


def draft(screen: Screen) -> Path:
    """Where the window keeps what was decided."""
    (path,) = screen.folder.rglob(DRAFTS)
    return path


def session(screen: Screen) -> dict[str, Any]:
    """What the window shows, as its draft has it; {}: nobody has written one yet."""
    return json.loads(draft(screen).read_text()) if any(screen.folder.rglob(DRAFTS)) else {}


def trials(screen: Screen) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = session(screen).get("trials", [])
    return rows


def error_of(trial: dict[str, Any]) -> float:
    """Of the only output, over all samples."""
    (metrics,) = trial["outputs"].values()
    return float(metrics["relative_l2"])


def wait_for_runs(screen: Screen, count: int) -> None:
    """Until so many are known with a verdict."""

    def are_known() -> bool:
        rows = trials(screen)
        return len(rows) == count and all(row["verdict"] for row in rows)

    wait_until(are_known, f"{count} runs, there are {[row['name'] for row in trials(screen)]}")


def wait_for_verdict(screen: Screen, run: int, begins: str) -> None:
    """That of a run (from 0) when all is known: what is estimated at first may blame another node."""
    wait_until(
        lambda: trials(screen)[run]["verdict"].startswith(begins),
        f"{begins}, there is {trials(screen)[run]['verdict']}",
    )


def freed(screen: Screen) -> list[str]:
    """What the plan on view leaves in float by name."""
    simulation = session(screen).get("simulation")
    rules = [] if simulation is None else simulation["plan"]["rules"]
    return [name for rule in rules for name in rule.get("names", ())]


# The engine


def engines(screen: Screen) -> list[psutil.Process]:
    """The processes that run models for the window."""
    app = psutil.Process(screen.started[-1].pid)
    # Copies of one that has the libraries; that one itself runs none.
    return [child for child in app.children(recursive=True) if child.ppid() != app.pid and _is_copy(child)]


def _is_copy(process: psutil.Process) -> bool:
    return any("multiprocessing.forkserver" in part for part in process.cmdline())


@contextmanager
def frozen(screen: Screen) -> Iterator[list[psutil.Process]]:
    """Nothing is computed for the window meanwhile."""
    held = engines(screen)
    assert held, "no process runs models"
    for process in held:
        process.suspend()
    try:
        yield held
    finally:
        for process in held:
            if process.is_running():
                process.resume()
