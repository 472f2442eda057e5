"""What an engine's process reads and writes. Only the standard library, since it runs where Errorflow is not installed.

An engine is started with two paths. The first holds a tangle: sizes of boxes, edges as pairs of boxes, and gaps. To
the second it writes boxes where it put them and one line per edge, y growing with the flow.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
Point = tuple[float, float]
Line = list[Point]


@dataclass(frozen=True, slots=True)
class Tangle:
    """A graph that is not laid out yet."""

    sizes: list[tuple[float, float]]
    edges: list[tuple[int, int]]
    gaps: dict[str, float]  # boxes: side by side; rows: above each other; lines: between two; beside: line and box

    @property
    def widest(self) -> float:
        """For engines that know no sizes: the size that keeps every box free of its neighbours."""
        return max(width for width, _ in self.sizes)

    @property
    def highest(self) -> float:
        return max(height for _, height in self.sizes)


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU seconds, and bytes that the process grew to above what it had before."""

    cpu: float
    peak: int


def asked() -> Tangle:
    read = json.loads(Path(sys.argv[1]).read_text())
    edges = [(start, end) for start, end in read["edges"]]
    return Tangle([(width, height) for width, height in read["sizes"]], edges, read["gaps"])


def clocked(work: Callable[[], T]) -> tuple[T, Spent]:
    """What the work gives and takes, imports and reading of the graph left out."""
    forget_peak = Path("/proc/self/clear_refs")
    forget_peak.write_text("5")
    before, start = _resident(), time.process_time()
    result = work()
    took = time.process_time() - start
    return result, Spent(took, max(0, _peak() - before))


def answer(version: str, spent: Spent, **drawn: object) -> None:
    """Writes what was drawn: `boxes` as x, y, width, height, and `lines`, which `curved` says are Bézier curves."""
    facts = {"version": version, "cpu": spent.cpu, "peak": spent.peak}
    Path(sys.argv[2]).write_text(json.dumps(facts | drawn))


def boxes_round(centres: Sequence[Point], sizes: Sequence[tuple[float, float]]) -> list[list[float]]:
    pairs = zip(centres, sizes, strict=True)
    return [[x - width / 2, y - height / 2, width, height] for (x, y), (width, height) in pairs]


def from_border_to_border(boxes: Sequence[Sequence[float]], edge: tuple[int, int], between: Line) -> Line:
    """A line for engines that know points only: it leaves and enters in the middle of the nearer border."""
    start, end = (boxes[box] for box in edge)
    first = between[0][1] if between else end[1]
    last = between[-1][1] if between else start[1]
    return [_port(start, first), *between, _port(end, last)]


def _port(box: Sequence[float], towards: float) -> Point:
    x, y, width, height = box
    return x + width / 2, y + height if towards > y else y


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
