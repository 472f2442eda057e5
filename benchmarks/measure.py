"""Runs one piece of work in a process of its own and tells CPU seconds and peak memory.

A process of its own, because peak memory never falls again and imports are paid once.
"""

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from statistics import median

_WRAP = """
import json, os, resource, sys, time
sys.path[:0] = {paths!r}
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
def now():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
{setup}
open("/proc/self/clear_refs", "w").write("5")  # forget the peak of the set-up
before, start, wall = now(), time.process_time(), time.perf_counter()
{work}
took = time.process_time() - start
memory = dict(peak=max(0, peak() - before), kept=max(0, now() - before))
print(json.dumps(dict(cpu=took, wall=time.perf_counter() - wall, result=str(result)) | memory))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took: CPU and wall seconds, memory above the process before it (highest, and what stays)."""

    cpu: float
    wall: float
    peak: int
    kept: int
    result: str


def cost(setup: str, work: str, repeat: int = 3, timeout: float = 600) -> Cost | str:
    """The median run of `work`, which leaves its outcome in `result`; a text says why there is none."""
    runs = []
    for _ in range(repeat):
        run = _once(setup, work, timeout)
        if isinstance(run, str):
            return run
        runs.append(run)
    middle = median(run.cpu for run in runs)
    return min(runs, key=lambda run: abs(run.cpu - middle))


def _once(setup: str, work: str, timeout: float) -> Cost | str:
    script = _WRAP.format(paths=sys.path, setup=textwrap.dedent(setup), work=textwrap.dedent(work))
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"> {timeout:.0f} s"
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()
        return f"failed: {last[-1] if last else f'signal {-done.returncode}'}"
    return Cost(**json.loads(done.stdout.strip().splitlines()[-1]))


def megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
