"""Tries what is handed over to ONNX Runtime here: the script runs, and what it makes is run as deployed."""

import contextlib
import os
import runpy
import sys
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import write_atomic
from errorflow.base.progress import Progress
from errorflow.base.workers import run_apart
from errorflow.quant.plan import Plan
from errorflow.report.deployed import reached
from errorflow.run.model import RunError
from errorflow.run.ort import TIMEOUT
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.deployed import deploy

NO_SAMPLES = "It was not run here, since there were no samples: what it makes of the model was not measured."
_TEXT = "Running the script for ONNX Runtime"
_WIDTH = 110


def reached_by(bench: Bench, plan: Plan, model: Path, progress: Progress) -> str:
    """Says what the quantized model reaches as deployed; why it cannot be run is an answer too."""
    try:
        return reached(deploy(bench.engine, plan, bench.simulated.path, model, progress))
    except ErrorflowError as error:
        return f"It could not be run here: {error}"


def try_script(bench: Bench, plan: Plan, script: Path, progress: Progress) -> str:
    """Runs it on the samples that calibrate; what it reaches is put into the place of what stands there."""
    with TemporaryDirectory(prefix="errorflow-") as folder:
        data, model = Path(folder) / "data", Path(folder) / "quantized.onnx"
        data.mkdir()
        samples = bench.calibrated if bench.calibrated.count else bench.evaluated
        for sample in range(samples.count):
            progress.step(sample, samples.count, _TEXT)
            np.savez(data / f"{sample:09d}.npz", allow_pickle=False, **samples.read(sample))
        places = str(script.absolute()), str(bench.floated.model.path.absolute()), str(model), str(data)
        try:
            run_apart(_run, *places, text=_TEXT, progress=progress, timeout=TIMEOUT)
            found = reached_by(bench, plan, model, progress)
        except ErrorflowError as error:
            found = f"It could not be run here: {error}"
    plain = found.replace("\\", "\\\\").replace('"', "'")
    write_atomic(script, script.read_text("utf-8").replace(NO_SAMPLES, textwrap.fill(plain, _WIDTH), 1))
    return found


def _run(script: str, model: str, target: str, data: str) -> bool:
    """Runs the script in this process, which is there for nothing else."""
    sys.argv = [script, model, target, "--data", data]
    with (
        Path(os.devnull).open("w", encoding="utf-8") as quiet,
        contextlib.redirect_stdout(quiet),
        contextlib.redirect_stderr(quiet),
    ):
        try:
            runpy.run_path(script, run_name="__main__")
        except (Exception, SystemExit) as error:  # whatever the tool does not take
            raise RunError(f"{type(error).__name__}: {error}"[:400], "") from error
    return True
