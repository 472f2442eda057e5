"""Who is to blame for what `errorflow compare` found: where a file of the call holds the graph.

Where the original model is there, its nodes are run once more, and what they say replaces the estimate.
"""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from errorflow.blame.by_running import blame_by_running, can_be_run
from errorflow.blame.estimate import blame
from errorflow.cli.precision import precisions_of
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, side_of
from errorflow.difference.precision import Precisions
from errorflow.errors import ErrorflowError, UsageError
from errorflow.findings.model import Findings
from errorflow.formats import read_model
from errorflow.graph.model import Model
from errorflow.match.model import Match
from errorflow.match.plan import Asked
from errorflow.progress import Progress

# Whether nodes of the original model are run: if that can be done, or else the call fails, or not at all.
How = Literal["try", "must", "never"]


def findings_of(
    asked: Asked, match: Match, comparison: Comparison, progress: Progress, *, how: How = "try"
) -> tuple[Findings | None, str, Precisions | None]:
    """The comparison on the graph, with verdicts; None where no graph is known, or nothing of it was measured.

    With it comes what files say of types.

    The text says why no node could be run, where the original model is there; that is an error if it `must` be.
    """
    model = model_of(asked, progress)
    if model is None:
        return None, "", None
    graph = model.graph
    side = side_of(graph, comparison)
    if not len(Placed.of(graph, comparison, side).rows):
        return None, "", None
    original = next((path for path in _originals(asked) if can_be_run(path)), None)
    if how == "never" or original is None:
        found, why = blame(graph, comparison, side=side, progress=progress), ""
    else:
        found, why = blame_by_running(original, graph, comparison, match, side=side, progress=progress)
    if how == "must" and why:
        raise UsageError(f"No node could be run: {why}", "Leave --exact out to see an estimate.")
    findings = Findings.of(graph, comparison, found, side)
    return findings, why, precisions_of(asked, model, findings, progress)


def how_of(options: Namespace) -> How:
    """What the call says of running nodes."""
    return "never" if options.estimate else "must" if options.exact else "try"


def _originals(asked: Asked) -> Iterator[Path]:
    """Where the original model may be: given as such, or in place of its run."""
    if asked.model is not None:
        yield Path(asked.model)
    yield asked.reference


def model_of(asked: Asked, progress: Progress) -> Model | None:
    """Of the candidate as it was compiled, else of the original, else of what was given as a run."""
    for path in (asked.fusion, asked.model, asked.quantization, asked.reference, asked.candidate):
        if path and Path(path).is_file():
            try:
                return read_model(path, progress)
            except ErrorflowError:  # what was enough to compare by need not be a graph
                continue
    return None
