"""The engines that are measured, how they are installed, and how one is run: in a process of its own, within limits.

To add one: a script that reads and writes what `exchange.py` says, and a row in `ENGINES`.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers import run_dot

HERE = Path(__file__).resolve().parent
POLL = 0.05  # seconds between two looks at the memory of a process
STACK = 256 << 20  # some engines recurse as deep as the graph is
SLACK = 4  # wall seconds to each CPU second before a process counts as hanging


@dataclass(frozen=True, slots=True)
class Limits:
    """CPU seconds and bytes that one process may take, reading and writing included."""

    seconds: float
    memory: int


@dataclass(frozen=True, slots=True)
class Engine:
    """`command` is given the folder of the peers and the name of the graph; `needs` is a file in that folder."""

    name: str
    command: Callable[[Path, str], tuple[list[str], list[str]]]  # what comes before the question, after the answer
    needs: str = ""
    is_ours: bool = False

    def installed(self, folder: Path) -> bool:
        return run_dot.libraries() is not None if self.name == "dot" else (folder / self.needs).exists()


def _ours(form: str) -> Callable[[Path, str], tuple[list[str], list[str]]]:
    return lambda _, graph: ([sys.executable, "-m", "peers.run_ours"], [graph, form])


def _python(script: str, folder: str = "") -> Callable[[Path, str], tuple[list[str], list[str]]]:
    return lambda peers, _: ([str(peers / folder) if folder else sys.executable, "-m", f"peers.{script}"], [])


def _node(script: str) -> Callable[[Path, str], tuple[list[str], list[str]]]:
    return lambda peers, _: (["node", *NODE, str(HERE / script), str(peers)], [])


PYTHON = "venv/bin/python"
# V8 would stop at 2 to 4 GB; stack in KB.
NODE = ("--max-old-space-size=16000", f"--stack-size={(STACK >> 10) - 16_000}")
ENGINES = (
    Engine("ours", _ours("flat"), is_ours=True),
    Engine("ours, in groups", _ours("groups"), is_ours=True),
    Engine("dot", _python("run_dot")),
    Engine("dagre", _node("run_dagre.mjs"), "node_modules/@dagrejs/dagre/package.json"),
    Engine("elkjs", _node("run_elk.mjs"), "node_modules/elkjs/package.json"),
    Engine("igraph", _python("run_igraph", PYTHON), "venv/igraph.installed"),
    Engine("fast-sugiyama", _python("run_fast_sugiyama", PYTHON), "venv/fast-sugiyama.installed"),
)


def install(folder: Path) -> None:
    """Puts the peers into a folder of their own; Graphviz is the system's."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text((HERE / "package.json").read_text())
    subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    for requirement in (HERE / "requirements.txt").read_text().split():
        subprocess.run([folder / PYTHON, "-m", "pip", "install", "--quiet", requirement], check=True)
        (folder / "venv" / f"{requirement.partition('==')[0]}.installed").touch()


def allow_deep_recursion() -> None:
    """For the processes started from here on."""
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (STACK if most == resource.RLIM_INFINITY else min(STACK, most), most))


def run(engine: Engine, folder: Path, graph: str, question: Path, limits: Limits) -> dict[str, Any] | str:
    """What the engine answered, or a text that says why it did not."""
    with tempfile.TemporaryDirectory() as name:
        answer, complaints = Path(name) / "answer.json", Path(name) / "complaints"
        before, after = engine.command(folder, graph)
        with complaints.open("w") as stderr:
            process = subprocess.Popen(
                [*before, str(question), str(answer), *after],
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
            )
            stopped = _watched(process, limits)
        if stopped:
            return stopped
        if process.returncode:
            return _reason(complaints.read_text(errors="replace"), process.returncode)
        drawn: dict[str, Any] = json.loads(answer.read_text())
    return drawn if drawn["cpu"] <= limits.seconds else _too_slow(limits)


def _too_slow(limits: Limits) -> str:
    return f"> {limits.seconds:g} s"


def _watched(process: subprocess.Popen[bytes], limits: Limits) -> str:
    """Waits for the end; a text says which limit was exceeded.

    Not by RLIMIT_CPU: under it the kernel tells a process its CPU time in ticks of some milliseconds only.
    """
    start = time.monotonic()
    while process.poll() is None:
        cpu, memory = _usage(process.pid)
        late = time.monotonic() - start > limits.seconds * SLACK
        if cpu > limits.seconds or memory > limits.memory or late:
            process.kill()
            process.wait()
            return f"> {limits.memory / 1e9:g} GB" if memory > limits.memory else _too_slow(limits)
        time.sleep(POLL)
    return ""


def _usage(pid: int) -> tuple[float, int]:
    """CPU seconds and bytes of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks, pages = int(fields[11]) + int(fields[12]), int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def _reason(complaints: str, code: int) -> str:
    lines = [line.strip() for line in complaints.splitlines()]
    telling = [line for line in lines if "Error" in line or "assertion" in line]
    ending = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return f"fails: {telling[-1][:80]}" if telling else f"fails: {ending}"
