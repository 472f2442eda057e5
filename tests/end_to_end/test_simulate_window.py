"""Simulating in a real window: colours, a node back to float, runs beside each other, and what goes wrong."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

from end_to_end.screens import Screen, wait_until
from end_to_end.simulated import (
    BANNER,
    BETTER,
    CULPRIT,
    FILES,
    FORM,
    GRAPH,
    LEGEND,
    START,
    WORST,
    Case,
    bad,
    draft,
    engines,
    error_of,
    first_bad,
    freed,
    frozen,
    said,
    session,
    trials,
    wait_for_runs,
    wait_for_verdict,
)
from errorflow.case.session.file import read_session
from errorflow_viewer.kit.look import LIGHT

pytestmark = pytest.mark.window
# Seconds from a key until it is seen that all has ended; generous, because machines are busy.
SOON = 5.0
# The list of runs, the first of them, and the button that compares.
RUNS, FIRST_RUN, COMPARE = (312, 520, 720, 140), (345, 556), (960, 501)
# The bar of what runs; the middle of the graph, and the lower right corner of a node there at its actual size.
BUSY, MIDDLE, MARK = (1055, 698, 130, 16), (672, 262), (676, 268, 30, 16)
RUN = """
import sys
import numpy as np
import onnxruntime
model, samples, out = sys.argv[1:]
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
((name, values),) = np.load(samples).items()
np.save(out, np.stack([session.run(None, {name: value.reshape(1, 1, 8, 8)})[0] for value in values]))
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case.copied(tmp_path / "case")


def choose(screen: Screen, title: str, path: Path) -> None:
    """Answers a dialog that asks for a file."""
    screen.wait_for_title(title)
    screen.type(str(path))
    screen.keys("Return")
    wait_until(lambda: not any(title in each for each in screen.titles()), "the end of the dialog")


def start(screen: Screen) -> None:
    """Presses the button of the panel as soon as that can be done."""
    wait_until(lambda: screen.count(LIGHT.accent, *START) > 500, "a button that starts")
    screen.click(START[0] + 10, START[1] + 10)


def test_a_node_goes_back_to_float_and_both_runs_are_compared(screen: Screen, case: Case) -> None:
    case.open(screen, case.model)
    wait_until(lambda: screen.count(LIGHT.group_border, *GRAPH) > 200, "the graph")
    screen.keys("F9")
    wait_until(lambda: screen.count(LIGHT.text, *FORM) > 50, "the panel")
    screen.click(*FILES)
    choose(screen, "Samples", case.samples)
    start(screen)
    wait_for_runs(screen, 1)
    wait_for_verdict(screen, 0, f"Node error: {CULPRIT}")
    wait_until(lambda: bad(screen) > 200, "nodes in the colour of a large error")

    screen.click(*first_bad(screen))
    wait_until(lambda: session(screen)["node"] == CULPRIT, "the culprit, selected")
    whole = bad(screen)
    assert said(screen) == 0
    screen.keys("space")
    wait_until(lambda: said(screen) > 50, "what was freed, at the bottom")
    wait_until(lambda: bad(screen) < whole / 3, "nodes that are good now")
    wait_for_runs(screen, 2)
    assert freed(screen) == [CULPRIT]
    before, after = map(error_of, trials(screen))
    assert after < before / 100
    with frozen(screen):
        screen.keys("ctrl+z")
        wait_until(lambda: bad(screen) == whole, "the colours of before, without anything being computed")
    screen.keys("ctrl+shift+z")
    wait_until(lambda: bad(screen) < whole / 3, "nodes that are good again")

    screen.keys("alt+r")
    wait_until(lambda: screen.count(LIGHT.selected, *RUNS) > 2000, "the list of runs")
    screen.click(*FIRST_RUN)
    screen.click(*COMPARE)
    wait_until(lambda: screen.count(BETTER, *GRAPH) > 200, "nodes in the colour of what became better")
    assert screen.count(BETTER, *LEGEND) > 100
    wait_until(lambda: session(screen)["simulation"]["against"] == "Run 1", "the run that is compared with")
    screen.click(*COMPARE)
    wait_until(lambda: screen.count(BETTER, *GRAPH) == 0, "the colours of the run on view")

    screen.keys("ctrl+1", "ctrl+e")
    wait_until(lambda: screen.count(LIGHT.text, *MARK) > 50, "the mark at the corner of the node in the middle")
    screen.click(*MIDDLE)
    screen.keys("space")
    wait_until(lambda: screen.count(LIGHT.text, *MARK) < 40, "a node without a mark")


def test_a_stuck_or_killed_engine_costs_nothing_but_its_answer(screen: Screen, case: Case) -> None:
    case.begin(screen)
    screen.click(*first_bad(screen))
    wait_until(lambda: session(screen)["node"] == CULPRIT, "the culprit, selected")
    whole = bad(screen)
    with frozen(screen) as held:
        screen.keys("space")
        wait_until(lambda: screen.count(LIGHT.accent, *BUSY) > 20, "that something runs")
        began = time.monotonic()
        screen.keys("Escape")
        wait_until(lambda: screen.count(LIGHT.info.background, *BANNER) > 5000, "that it was cancelled")
        assert time.monotonic() - began < SOON
        _, alive = psutil.wait_procs(held, timeout=SOON)
        assert alive == []
    assert len(trials(screen)) == 1

    screen.keys("space")
    wait_until(lambda: freed(screen) == [], "the plan of before")
    wait_until(lambda: bad(screen) == whole, "its colours")
    for process in engines(screen):
        process.kill()
    screen.keys("space")
    wait_for_runs(screen, 2)
    wait_until(lambda: bad(screen) < whole / 3, "nodes that are good now")
    assert freed(screen) == [CULPRIT]
    assert screen.started[-1].poll() is None


def run_of(model: Path, samples: Path) -> NDArray[np.float32]:
    """The only output of the model for the samples of a file, by ONNX Runtime in a process of its own."""
    out = model.with_suffix(".npy")
    subprocess.run([sys.executable, "-c", RUN, str(model), str(samples), str(out)], check=True)
    found: NDArray[np.float32] = np.load(out)
    return found


def test_other_samples_a_new_start_and_the_written_model_say_the_same(screen: Screen, case: Case) -> None:
    case.begin(screen)
    screen.click(*first_bad(screen))
    screen.keys("space")
    wait_for_runs(screen, 2)
    screen.keys("F9")
    wait_until(lambda: screen.count(LIGHT.link, *FORM) > 100, "the panel with the result")
    screen.scroll_down(FORM[0] + 100, FORM[1] + 400)
    screen.click(*screen.find(LIGHT.link, *FORM))
    choose(screen, "Samples to measure errors on", case.others)
    start(screen)
    wait_for_runs(screen, 3)
    assert trials(screen)[2]["count"] == 300

    screen.keys("ctrl+s")
    wait_until(lambda: any(title.startswith("case.errorflow –") for title in screen.titles()), "a saved session")
    saved = read_session(case.session).session
    assert saved.simulation is not None and len(saved.trials) == 3
    screen.close("case.errorflow")
    wait_until(lambda: not screen.titles(), "the end of the app")
    case.open(screen, case.session)
    wait_until(lambda: bool(trials(screen)), "the session on view")
    wait_until(lambda: screen.count(WORST, *LEGEND) > 100, "the legend of a coloured graph")
    now = read_session(draft(screen)).session
    assert now.simulation is not None and now.simulation.plan == saved.simulation.plan
    assert now.trials == saved.trials

    written = case.model.with_name("written.onnx")
    screen.keys("ctrl+shift+p")
    screen.type("Export QDQ")
    screen.keys("Return")
    choose(screen, "Export the quantized model", written)
    wait_until(written.exists, "the file")
    reference, candidate = (run_of(model, case.others) for model in (case.model, written))
    error = np.linalg.norm(candidate - reference) / np.linalg.norm(reference)
    assert error == pytest.approx(error_of(trials(screen)[2]), rel=1e-4)
