"""Runs every side on the same work, and prints what each took and how far rankings agree."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rerun_peers.agreement import agreement
from rerun_peers.environments import PEERS, environment
from rerun_peers.work import Unit, Work

BENCHMARKS = Path(__file__).parent.parent
ORT = "onnxruntime"
MODULES = {ORT: "ort", "aimet": "aimet", "ppq": "ppq", "esp-ppq": "ppq", "nncf": "nncf"}
# Behind what is installed: here are names that packages may have too.
_START = "import sys; sys.path += sys.argv.pop(1).split(':'); from rerun_peers.runner import main; main()"
_TIMEOUT = 1800
_JOBS = (
    ("toggle", "a unit alone, one image"),
    ("table", "table of all tensors"),
    ("minmax", "calibration, min-max"),
    ("histogram", "calibration, histogram"),
    ("first", "first ranking"),
)


def compare(work: Work, folder: Path) -> None:
    """`folder`: where the environments of the peers are, or will be."""
    print(
        f"\n{Path(work.model).name}: all sides on one core; "
        f"{work.images} images, {work.calibration_images} to calibrate"
    )
    answers: dict[str, dict[str, Any]] = {}
    for side in (ORT, *PEERS):
        answer = _answer(side, work, folder)
        if isinstance(answer, str):
            print(f"{side}: left out, {answer}", flush=True)
        else:
            answers[side] = answer
    units: dict[str, Mapping[str, Unit]] = {
        side: answer["units"] for side, answer in answers.items() if answer["units"]
    }
    ranges = {side: answer["ranges"] for side, answer in answers.items() if answer.get("ranges")}
    ours = called(Path(sys.executable), "ours", replace(work, units=units, ranges=ranges))
    if isinstance(ours, str):
        print(f"errorflow: {ours}")
        ours = {"version": "", "rows": {}, "scores": {}}
    _print(ours, answers)


def _answer(side: str, work: Work, folder: Path) -> dict[str, Any] | str:
    python = interpreter(side, folder)
    return python if isinstance(python, str) else called(python, MODULES[side], work)


def interpreter(side: str, folder: Path) -> Path | str:
    """The Python that has it; a text says why there is none."""
    return Path(sys.executable) if side == ORT else environment(folder, side)


def called(python: Path, module: str, work: Work, job: str = "measure") -> dict[str, Any] | str:
    """What the side printed; a text says why it did not."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    paths = f"{BENCHMARKS}:{BENCHMARKS.parent / 'core'}"
    call = [str(python), "-P", "-c", _START, paths, module, work.text, job]
    try:
        done = subprocess.run(
            call, capture_output=True, text=True, env=os.environ | threads, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {_TIMEOUT} s"
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else f"exit code {done.returncode}"
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def _print(ours: Mapping[str, Any], answers: Mapping[str, Mapping[str, Any]]) -> None:
    for job, title in _JOBS:
        print(f"\n{title:28}{'CPU':>13}{'wall':>14}{'memory':>11}{'ratio (CPU)':>13}{'(memory)':>10}")
        if job in ours["rows"]:
            _line(f"errorflow {ours['version']}", ours["rows"][job], None)
        for side, answer in answers.items():
            mine = ours["rows"].get(f"toggle {side}" if job == "toggle" else job)
            if job == "toggle" and mine is not None:
                _line(f"errorflow, {len(answer['units'])} of {side}", mine, None)
            if job in answer["rows"]:
                _line(f"{side} {answer['version']}", answer["rows"][job], mine)
    print()
    for side, answer in answers.items():
        if ours["scores"].get(side) and answer["scores"]:
            print(f"ranking, ours and {side}'s: {agreement(ours['scores'][side], answer['scores']).text}")
        if ours["scores"].get(f"{side}, its ranges"):
            print(f"  with its ranges: {agreement(ours['scores'][f'{side}, its ranges'], answer['scores']).text}")


def _line(name: str, row: Mapping[str, Any], mine: Mapping[str, Any] | None) -> None:
    if "failed" in row:
        print(f"  {name:26}{row['failed']}")
        return
    cells = f"{row['cpu'] * 1e3:>10,.1f} ms{row['wall'] * 1e3:>11,.1f} ms{row['memory'] / 1e6:>8,.0f} MB"
    ratios = " " * 23
    if mine is not None and "failed" not in mine:
        ratios = f"{row['cpu'] / max(mine['cpu'], 1e-4):>13.1f}{row['memory'] / max(mine['memory'], 1e6):>10.1f}"
    print(f"  {name:26}{cells}{ratios}  {row['note']}".rstrip())
