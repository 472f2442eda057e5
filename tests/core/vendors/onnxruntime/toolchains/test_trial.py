"""What is handed over to ONNX Runtime says what it reaches, and that is what it does reach."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.progress import SILENT
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import sums
from errorflow.quant.plan import FLOAT, Plan
from errorflow.report.toolchains import toolchain
from errorflow.report.toolchains.model import Decision
from errorflow.report.toolchains.saving import save, save_as
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.deployed import deploy
from errorflow.study.simulate.floated import floated
from errorflow.vendors.onnxruntime.toolchains.trial import NO_SAMPLES, try_script
from optimised_runs import optimised
from run_models import savez
from search_benches import CULPRIT, NODE_FAULT, node_fault

SCRIPT, QDQ = toolchain("onnxruntime"), toolchain("qdq")
SQNR = next(metric for metric in METRICS if metric.key == "sqnr")


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with node_fault(samples=16) as opened:
        yield opened


def weight_in_float(bench: Bench) -> Plan:
    """What multiplies codes, left in float by itself."""
    return bench.plan.with_tensor("block2.project.conv.weight", FLOAT)


def reached_by(bench: Bench, model: Path) -> str:
    """By ONNX Runtime itself, over all samples as one."""
    [output] = bench.engine.outputs
    pairs = [
        (bench.engine.values(None, [output], at)[output], optimised(model, bench.evaluated.read(at)))
        for at in range(bench.engine.samples)
    ]
    reference, mine = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return SQNR.text(SQNR.of(sums(reference, mine)))


def made(script: Path, bench: Bench, folder: Path) -> Path:
    """What the script makes in a process of its own."""
    (folder / "data").mkdir()
    for at in range(bench.calibrated.count):
        savez(folder / "data" / f"{at}.npz", bench.calibrated.read(at))
    target = folder / "quantized.onnx"
    call = [sys.executable, str(script), str(NODE_FAULT.model), str(target), "--data", str(folder / "data")]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr[-3000:]
    return target


@pytest.mark.parametrize("which", ["a node in float", "a weight in float"])
def test_a_script_says_what_it_reaches(bench: Bench, which: str, tmp_path: Path) -> None:
    plan = bench.plan.keeping_float(CULPRIT) if which == "a node in float" else weight_in_float(bench)
    [script], written = save(SCRIPT.write(Decision.on(bench, plan), None), SCRIPT.key, tmp_path)
    target = made(script, bench, tmp_path)
    assert f"SQNR {reached_by(bench, target)} (" in written.reaches
    said = ast.get_docstring(ast.parse(script.read_text("utf-8"))) or ""
    assert written.reaches in " ".join(said.split())
    assert NO_SAMPLES not in said
    found = deploy(bench.engine, plan, bench.simulated.path, target)
    assert not found.quantized.coded, "ONNX Runtime leaves weights in float as they are"


def test_a_qdq_model_is_told_of_under_whatever_name(bench: Bench, tmp_path: Path) -> None:
    written = QDQ.write(Decision.on(bench, weight_in_float(bench)), None)
    assert written.told == (NO_SAMPLES,)
    [path], written = save_as(written, tmp_path / "mine.onnx")
    assert f"SQNR {reached_by(bench, path)} (" in written.told[-1]


def test_a_script_that_fails_says_why(bench: Bench, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f'"""It quantizes.\n\n{NO_SAMPLES}\n"""\nraise SystemExit("no \\"room\\" \\\\ for it")\n', "utf-8"
    )
    said = try_script(bench, bench.plan, script, SILENT)
    assert said == 'It could not be run here: SystemExit: no "room" \\ for it'
    assert "SystemExit: no 'room' \\ for it" in (ast.get_docstring(ast.parse(script.read_text("utf-8"))) or "")


def test_samples_that_are_made_up_show_nothing(tmp_path: Path) -> None:
    with floated(NODE_FAULT.model) as model, Bench.open(model, Basis(SampleSpec(seed=0, count=2))) as made_up:
        decision = Decision.on(made_up, made_up.plan)
        for each in (SCRIPT, QDQ):
            _, written = save(each.write(decision, None), each.key, tmp_path)
            assert written.reaches == NO_SAMPLES
    assert NO_SAMPLES in (tmp_path / "quantize_onnxruntime.py").read_text("utf-8")
