"""Finds which nodes of two graphs belong together."""

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.compare.match.model import Match
from errorflow.explain.difference import leftover, names
from errorflow.explain.difference.flow import Flow, conversions
from errorflow.explain.difference.model import Links
from errorflow.explain.difference.operators import CONVERSIONS
from errorflow.explain.difference.structure import by_structure
from errorflow.explain.difference.work import Found
from errorflow.graph.model import Graph

_STAGES = 5
_TEXT = "Linking two graphs"


def link(reference: Graph, candidate: Graph, match: Match | None = None, progress: Progress = SILENT) -> Links:
    """By what was written down, then by what stands between linked nodes. `match`: tensors that are compared."""
    found = Found(reference, candidate)
    progress.step(0, _STAGES, _TEXT)
    names.by_origins(found)
    names.by_tensors(found)
    if match is not None:
        names.by_match(found, match)
    if _complete(found):
        return found.links()
    progress.step(1, _STAGES, _TEXT)
    there = Flow.of(reference, conversions(reference) & found.free_references())
    here = Flow.of(candidate, conversions(candidate) & found.free_candidates())
    by_structure(found, there, here)
    progress.step(2, _STAGES, _TEXT)
    leftover.by_place(found, there, here)
    progress.step(3, _STAGES, _TEXT)
    names.by_equal_names(found)
    progress.step(4, _STAGES, _TEXT)
    _link_conversions(found)
    return found.links()


def _complete(found: Found) -> bool:
    return not found.free_references().any() and not found.free_candidates().any()


def _link_conversions(found: Found) -> None:
    """Conversions that both graphs have in the same places."""
    ours = conversions(found.reference) & found.free_references()
    others = conversions(found.candidate) & found.free_candidates()
    if ours.any() and others.any():
        nothing = np.zeros(len(found.reference), bool), np.zeros(len(found.candidate), bool)
        by_structure(found, Flow.of(found.reference, nothing[0]), Flow.of(found.candidate, nothing[1]))


def is_candidate(one: Graph, other: Graph) -> bool:
    """Whether the first looks like what became of the second: a compiler left its traces, it merged more, more is
    quantized in it."""
    return _traces(one) > _traces(other)


def _traces(graph: Graph) -> tuple[bool, float, int]:
    """Whether a compiler has been at work, how many originals it made one node of, and how many nodes convert."""
    counts = [(len(value), count) for value, count in graph.origins.counts().items() if value is not None]
    nodes = sum(count for length, count in counts if length)
    held = sum(length * count for length, count in counts)
    converting = sum(count for value, count in graph.op_types.counts().items() if value in CONVERSIONS)
    return bool(counts), held / nodes if nodes else 0.0, converting
