"""What layout costs and how good it is, on generated decoders of all sizes: `python benchmarks/layout.py [--quick]`.

CPU milliseconds: *groups* finds them, *first* draws the first picture, *open one* opens a group somewhere in the
middle, *open all* opens everything, *right* does so from left to right, *columns* cuts all into columns, *flat* draws
it in one level without groups, *no cancel* is the longest time in all of these (but *flat*) in which a cancel is not
noticed, without Python's garbage collection. Then what is wrong with the picture of everything: overlapping boxes,
lines through boxes; and crossings.
"""

import argparse
import gc
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

from drawing_quality.quality import crossings, overlaps, pierced
from generate import Sketch, chain, fan, unet, variant

from errorflow.graph.model import Graph
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.layout.prepare import PreparedGraph, View, prepare

COLUMNS = (
    "nodes", "groups", "first boxes", "groups ms", "first ms", "open one ms", "open all ms", "right ms", "columns ms",
    "flat ms", "no cancel ms",
    "width", "height", "overlaps", "through", "crossings",
)  # fmt: skip
VIEWS: tuple[View, ...] = ("down", "columns", "right", "rows")
MEASURED = 20_000  # boxes; larger drawings are not searched for crossings
FLAT = 40_000  # nodes; larger graphs are not drawn in one level


@dataclass(frozen=True, slots=True)
class Subject:
    name: str
    sketch: Sketch


def subjects(*, quick: bool) -> list[Subject]:
    small = [
        Subject("decoder 300", variant(300, "plain")),
        Subject("decoder 983", variant(983, "plain")),
        Subject("decoder 983, no names", variant(983, "plain", scoped=False)),
        Subject("decoder 3k, QDQ", variant(3_000, "qdq")),
        Subject("UNet, 30 skips", unet(30)),
        Subject("one tensor to 400", fan(400)),
        Subject("chain 2000", chain(2_000)),
    ]
    large = [
        Subject("decoder 10k", variant(10_000, "plain")),
        Subject("decoder 10k, QDQ", variant(10_000, "qdq")),
        Subject("decoder 10k, no names", variant(10_000, "plain", scoped=False)),
        Subject("decoder 30k, MoE", variant(30_000, "moe")),
        Subject("decoder 100k", variant(100_000, "plain")),
        Subject("decoder 100k, MoE QDQ", variant(100_000, "moe-qdq")),
        Subject("one tensor to 2000", fan(2_000)),
        Subject("chain 20000", chain(20_000)),
    ]
    return small if quick else small + large


def row(graph: Graph, repeat: int) -> list[str]:
    prepared = prepare(graph)
    outline = prepared.outline
    first = outline.at_first()
    everything = prepared.draw()
    measured = len(everything) <= MEASURED
    times = [
        cpu(lambda: prepare(graph), repeat),
        cpu_of_new(graph, lambda fresh: fresh.draw(first), repeat),
        opening(graph, repeat),
        cpu_of_new(graph, lambda fresh: fresh.draw(), repeat),
        cpu_of_new(graph, lambda fresh: fresh.draw(view="right"), repeat),
        cpu_of_new(graph, lambda fresh: fresh.draw(view="columns"), repeat, warm=True),
        cpu(lambda: layout(graph, LayoutOptions(grouped=False)), 1) if len(graph) <= FLAT else None,
    ]
    times.append(longest_gap(graph, first))
    wrong = [overlaps(everything.boxes), pierced(everything), crossings(everything)] if measured else [None] * 3
    counts = [len(graph), len(outline), len(prepared.draw(first))]
    size = [round(edge) for edge in everything.size]
    shown = [f"{time:.1f}" if time is not None else "–" for time in times]
    return [*map(str, counts), *shown, *map(str, size), *("–" if count is None else str(count) for count in wrong)]


def cpu(work: Callable[[], object], repeat: int) -> float:
    """The median of some runs, in ms."""
    taken = []
    for _ in range(repeat):
        start = process_time()
        work()
        taken.append((process_time() - start) * 1e3)
    return median(taken)


def cpu_of_new(graph: Graph, work: Callable[[PreparedGraph], object], repeat: int, *, warm: bool = False) -> float:
    """The same with a graph that was never drawn before, or, when `warm`, was drawn once."""
    taken = []
    for _ in range(repeat):
        fresh = prepare(graph)
        if warm:
            fresh.draw()
        start = process_time()
        work(fresh)
        taken.append((process_time() - start) * 1e3)
    return median(taken)


def opening(graph: Graph, repeat: int) -> float | None:
    """Opening one more group after the first picture was drawn."""
    outline = prepare(graph).outline
    first = outline.at_first()
    closed = [
        group for group in range(len(outline)) if group not in first and first.issuperset(outline.path(group)[:-1])
    ]
    if not closed:
        return None
    more = first | {closed[len(closed) // 2]}
    taken = []
    for _ in range(repeat):
        fresh = prepare(graph)
        fresh.draw(first)
        start = process_time()
        fresh.draw(more)
        taken.append((process_time() - start) * 1e3)
    return median(taken)


class Gaps:
    """Notes the longest CPU time between two calls."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = process_time()

    def step(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - only when it is called counts
        now = process_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now


def longest_gap(graph: Graph, first: frozenset[int]) -> float:
    """In ms, the best of three runs: what else the machine does counts as well."""
    found = []
    for _ in range(3):
        gc.collect()
        gc.disable()
        gaps = Gaps()
        prepared = prepare(graph, progress=gaps)
        prepared.draw(first, progress=gaps)
        for view in VIEWS:
            prepared.draw(view=view, progress=gaps)
        gaps.step(1, 1, "")
        gc.enable()
        found.append(gaps.longest * 1e3)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small graphs only")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {Path(__file__).name}\n")
    print("| graph | " + " | ".join(COLUMNS) + " |")
    print("| --- |" + " ---: |" * len(COLUMNS))
    for subject in subjects(quick=options.quick):
        print(f"| {subject.name} | " + " | ".join(row(subject.sketch.graph(), options.repeat)) + " |", flush=True)


if __name__ == "__main__":
    main()
