"""How long it takes until the window is there, and until a graph is in it: python benchmarks/start.py [--cold]

Every start is a process of its own, with settings of its own; the log of the app says when it had painted. Told is the
median of several starts, which take turns with the others: seconds of the processor, seconds by the clock, and memory
(PSS). The floor is a window of Qt with one label, in the same Python. `--program PATH` measures an installed program
instead. Cold: what the system keeps in memory of the files of the program is given back before each start.
"""

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
NODES, RUNS, PATIENCE, LOOK = 10_000, 7, 60.0, 0.005
PRINTED = re.compile(r"^(\S+ \S+) INFO \S+: first (frame|graph) after ([\d.]+) s")
FLOOR = """
import os, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
app = QApplication([])
window = QMainWindow()
window.setCentralWidget(QLabel("Errorflow"))
window.resize(1280, 720)
class Seen(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self.tell)
        return False
    def tell(self):
        window.removeEventFilter(self)
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now)) + f",{int(now % 1 * 1000):03}"
        with open(os.environ["XDG_STATE_HOME"] + "/errorflow.log", "a") as log:
            log.write(f"{stamp} INFO floor: first frame after {time.process_time():.3f} s\\n")
seen = Seen()
window.installEventFilter(seen)
window.show()
app.exec()
"""


@dataclass(frozen=True, slots=True)
class Case:
    """What is started, and what is waited for."""

    title: str
    command: tuple[str, ...]
    waits_for: str = "frame"


@dataclass(frozen=True, slots=True)
class Took:
    """Of one start: seconds of the processor and of the clock, and bytes."""

    cpu: float
    wall: float
    memory: int


def started(case: Case, home: Path) -> Took:
    state = Path(tempfile.mkdtemp(dir=home))
    environment = os.environ | {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(state)}
    environment |= {"XDG_CACHE_HOME": str(home / "cache"), "XDG_DATA_HOME": str(home / "data")}
    begin = time.time()
    process = subprocess.Popen(
        case.command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        cpu, seen = _told(case.waits_for, state, process)
        return Took(cpu, seen - begin, _memory(process.pid))
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:  # a plain window does not listen
            process.kill()
            process.wait()


def _told(what: str, state: Path, process: "subprocess.Popen[bytes]") -> tuple[float, float]:
    end = time.time() + PATIENCE
    while time.time() < end and process.poll() is None:
        for log in state.rglob("errorflow.log"):
            for line in log.read_text("utf-8").splitlines():
                found = PRINTED.match(line)
                if found and found[2] == what:
                    return float(found[3]), datetime.strptime(found[1], "%Y-%m-%d %H:%M:%S,%f").timestamp()
        time.sleep(LOOK)
    raise SystemExit(f"no {what} was painted: it ended with {process.poll()}")


def _memory(pid: int) -> int:
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    return next(int(row.split()[1]) * 1024 for row in rows if row.startswith("Pss:"))


def second_start(program: tuple[str, ...], home: Path) -> Took:
    """To hand a file to the app that runs; it is over when that has taken it."""
    run = Path(tempfile.mkdtemp(prefix="ef"))
    environment = os.environ | {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_RUNTIME_DIR": str(run)}
    environment |= {"XDG_STATE_HOME": str(run), "XDG_CACHE_HOME": str(run), "XDG_DATA_HOME": str(run)}
    first = subprocess.Popen(program, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _told("frame", run, first)
        time.sleep(1.0)  # what it loads after its first frame is not what is measured
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        subprocess.run(program, env=environment, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Took(cpu, time.time() - begin, 0)
    finally:
        first.send_signal(signal.SIGTERM)
        first.wait(10)
        shutil.rmtree(run, ignore_errors=True)


def forget(places: list[Path]) -> None:
    """Has the system read all files there from the disk again."""
    for place in places:
        for path in place.rglob("*"):
            if path.is_file() and not path.is_symlink():
                file = os.open(path, os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(file)


def places_of(program: str | None) -> list[Path]:
    if program is not None:
        return [Path(program).resolve().parent]
    return [Path(sys.prefix), *(HERE.parent / name for name in ("core", "viewer", "resources"))]


@contextmanager
def screen(name: str) -> Iterator[None]:
    """A screen with a window manager, or none."""
    if name == "offscreen":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        yield
        return
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.environ["DISPLAY"] = f":{os.read(reading, 20).decode().strip()}"
    os.environ["QT_QPA_PLATFORM"] = "xcb"
    manager = subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1.0)  # until it manages windows; the clock has not begun
        yield
    finally:
        for process in (manager, server):
            process.terminate()
            process.wait(10)


def cases(program: tuple[str, ...], model: Path) -> tuple[Case, ...]:
    alone = (*program, "--new-instance")
    return (
        Case("a window of Qt with one label", (sys.executable, "-c", FLOOR)),
        Case("the window", alone),
        Case("the sample", (*alone, "--sample"), "graph"),
        Case(f"a model of {NODES:,} nodes", (*alone, str(model)), "graph"),
    )


def measure(program: str | None, runs: int, cold: bool, home: Path) -> None:
    from generate import of_size

    model = home / "decoder.onnx"
    of_size(NODES).write(model)
    command = (program,) if program else (sys.executable, "-m", "errorflow_viewer")
    every = cases(command, model)
    took: dict[str, list[Took]] = {case.title: [] for case in every}
    for case in every:  # what is made at the first start of all is not measured
        started(case, home)
    for _ in range(runs):
        for case in every:
            if cold:
                forget(places_of(program))
            took[case.title].append(started(case, home))
    took["a second start"] = [second_start(command, home) for _ in range(min(runs, 3))]
    _print(took)


def _print(took: dict[str, list[Took]]) -> None:
    floor = median(each.cpu for each in next(iter(took.values())))
    print(f"{'':34} {'CPU s':>7} {'least':>7} {'clock s':>8} {'memory MB':>10} {'× floor':>8}")
    for title, runs in took.items():
        cpu, wall = median(each.cpu for each in runs), median(each.wall for each in runs)
        memory, least = median(each.memory for each in runs) / 1e6, min(each.cpu for each in runs)
        print(f"{title:34} {cpu:7.3f} {least:7.3f} {wall:8.2f} {memory:10.0f} {cpu / floor:8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", metavar="PATH", help="an installed errorflow-viewer (default: this source)")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--screen", choices=("xvfb", "offscreen"), default="xvfb")
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    print(
        f"{options.screen}, {'cold' if options.cold else 'warm'}, {options.runs} starts; load of the machine {load:.1f}"
    )
    with tempfile.TemporaryDirectory(prefix="ef") as name, screen(options.screen):
        measure(options.program, options.runs, options.cold, Path(name))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
