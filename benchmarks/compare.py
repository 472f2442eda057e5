"""Times a whole comparison of NPU dumps with npy files: `python benchmarks/compare.py [--operators N] [--megabytes N]`.

It writes an ATC JSON, a dump per operator (an input and an output in NC1HWC0 float16) and the original model's npy
files, and runs on the same files:

- read      all bytes of both runs, once, 1 MB at a time, by one process: nothing can be faster on one core
- numpy     a straightforward loop: header and values with numpy, NC1HWC0 undone, the ten columns of msaccucmp on whole
            arrays and the same measures in float64; one process
- errorflow the command `errorflow compare`, with one worker and with all cores
- vendor    with --vendor COMMAND, the vendor's tool: `--vendor "python msaccucmp.py"`

Wall and CPU seconds include all processes and their start; memory is the highest sum over a command and its workers
(each page counted once). The files are in the page cache for all of them alike, and all Python code is compiled,
as it is once a program is installed. Of several runs (--repeat) the one with the least wall time counts.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from compare_data import Data, write_run
from measure import megabytes

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Took:
    """What a command took, with its children."""

    wall: float
    cpu: float
    memory: int
    code: int


def main() -> None:
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="errorflow-compare-", dir=options.folder))
    try:
        (folder / "small").mkdir()
        _runs(write_run(folder / "small", 2, 1 << 20), options, folder / "compiled")
        data = write_run(folder, options.operators, options.megabytes << 20)
        print(f"{data.operators:,} operators, {data.tensors:,} tensors to compare, {megabytes(data.nbytes)} on disk")
        _warm(data)
        _report(data, _runs(data, options, folder / "compiled"))
    finally:
        shutil.rmtree(folder)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operators", type=int, default=500)
    parser.add_argument("--megabytes", type=int, default=2000, help="of both runs together")
    parser.add_argument("--folder", help="where the files go; they are removed afterwards")
    parser.add_argument("--repeat", type=int, default=1, help="so many runs of each")
    parser.add_argument("--ours", action="store_true", help="leave out numpy and one worker, which take long")
    parser.add_argument("--vendor", help="the command that starts msaccucmp, if it is at hand")
    return parser.parse_args()


def _runs(data: Data, options: argparse.Namespace, compiled: Path) -> dict[str, Took]:
    ours = [sys.executable, "-m", "errorflow.cli.main", "compare", *data.arguments]
    commands = {
        "read": [sys.executable, str(HERE / "compare_plain.py"), "read", str(data.folder)],
        "numpy": [sys.executable, str(HERE / "compare_plain.py"), "numpy", str(data.folder)],
        "errorflow, 1 worker": [*ours, "--workers", "1", "-out", _out(data, "one")],
        "errorflow": [*ours, "-out", _out(data, "all")],
    }
    if options.ours:
        commands = {name: commands[name] for name in ("read", "errorflow")}
    if options.vendor is not None:
        commands["vendor"] = [*shlex.split(options.vendor), "compare", *data.arguments, "-out", _out(data, "vendor")]
    found: dict[str, Took] = {}
    for _ in range(options.repeat):
        for name, command in commands.items():
            run = took(command, compiled)
            found[name] = min(found.get(name, run), run, key=lambda each: each.wall)
    return found


def _out(data: Data, name: str) -> str:
    path = data.folder / f"out-{name}"
    path.mkdir()
    return str(path)


def took(command: list[str], compiled: Path) -> Took:
    """Runs a command to its end; Python's compiled code is kept in the folder `compiled`."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": str(compiled)}
    before, start = os.times(), time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = _Peak(process.pid)
    code = process.wait()
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Took(wall, cpu, peak.stop(), code)


class _Peak:
    """The highest memory of a process and its children, looked at every 20 ms."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._most = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> int:
        self._over.set()
        self._thread.join()
        return self._most

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            try:
                root = psutil.Process(self._pid)
                found = [root, *root.children(recursive=True)]
                self._most = max(self._most, sum(each.memory_full_info().pss for each in found))
            except psutil.Error:  # it ended between two looks
                continue


def _warm(data: Data) -> None:
    """All files into the page cache."""
    for path in data.files():
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass


def _report(data: Data, runs: dict[str, Took]) -> None:
    ours = runs["errorflow"]
    alone = runs.get("errorflow, 1 worker", ours)
    heads = (("wall s", 9), ("CPU s", 9), ("MB/s", 9), ("memory", 10), ("per tensor", 12), ("× wall", 9), ("× CPU", 9))
    print(f"{'':22}{''.join(f'{head:>{width}}' for head, width in heads)}  exit")
    for name, run in runs.items():
        print(
            f"{name:22}{run.wall:9.2f}{run.cpu:9.2f}{data.nbytes / run.wall / 1e6:9.0f}{megabytes(run.memory):>10}"
            f"{run.wall / data.tensors * 1e3:9.2f} ms{run.wall / ours.wall:9.1f}{run.cpu / alone.cpu:9.1f}{run.code:6}"
        )
    print(f"× wall of errorflow with all cores, × CPU of errorflow with 1 worker; numpy {np.__version__}")
    print(f"{os.cpu_count()} cores, {os.getloadavg()[0]:.1f} processes running or waiting for one")


if __name__ == "__main__":
    main()
