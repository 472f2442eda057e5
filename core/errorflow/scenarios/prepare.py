"""Everything between the files that the user gave and the first number: what is shown, and what is measured."""

from dataclasses import dataclass, replace
from pathlib import Path

from errorflow.compare.model import Comparison
from errorflow.errors import UsageError
from errorflow.formats import read_tensors
from errorflow.graph.model import Graph, Model
from errorflow.match.model import Match
from errorflow.match.plan import plan
from errorflow.progress import SILENT, Progress
from errorflow.results import read_results
from errorflow.results.table import ResultTable
from errorflow.scenarios.call import SEED, asked_of
from errorflow.scenarios.chain import chain_of
from errorflow.scenarios.imported import PREFERRED, comparison_of
from errorflow.scenarios.setup import Setup
from errorflow.stages.compare import Three


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is left to do is to measure `match`, pair by pair."""

    match: Match
    # Made for runs without a model; None: `Setup.shown` says which file it is.
    made: Model | None = None
    # Of three runs, who stands for whom in both steps.
    three: Three | None = None


def prepare(setup: Setup, progress: Progress = SILENT, folder: Path | None = None) -> Prepared:
    """Opens both runs and matches them; whatever makes no sense is an `ErrorflowError`.

    Models that are run first leave their tensors in `folder`, where these are read as long as anybody looks at them.
    """
    if setup.file("quantized") is not None:
        return Prepared(_run_both(setup, folder, progress))
    match = plan(asked_of(setup), progress).match
    candidate = setup.file("candidate")
    made = None if setup.shown is not None or candidate is None else chain_of(match, candidate)
    return Prepared(match, made, _three(setup, match, progress))


def _run_both(setup: Setup, folder: Path | None, progress: Progress) -> Match:
    from errorflow.match.by_quantized import match_quantized
    from errorflow.run.both import Fed, run_both

    original, quantized = setup.file("original"), setup.file("quantized")
    if original is None or quantized is None or folder is None:
        raise UsageError("Two models are needed to run both.", "Choose the float model and the quantized one.")
    inputs = setup.file("inputs")
    fed = Fed(() if inputs is None else (inputs,), setup.shapes, SEED if inputs is None else None)
    both = run_both(quantized, original, fed, folder, progress)
    golden, mine = (read_tensors(ran.path, progress) for ran in (both.reference_run, both.candidate_run))
    match = match_quantized(golden, mine, both.reference.graph, both.candidate.graph, progress)
    notes = dict.fromkeys((*both.reference_run.notes, *both.candidate_run.notes))
    return replace(match, problems=(*notes, *match.problems))


def _three(setup: Setup, total: Match, progress: Progress) -> Three | None:
    """Simulator against float and board against simulator, where there is a simulator."""
    simulator = setup.file("simulator")
    if simulator is None:
        return None
    whole = asked_of(setup)
    quantization = plan(replace(whole, candidate=simulator, fusion="", closed_fusion="", scales=""), progress).match
    return Three(quantization, plan(replace(whole, reference=simulator, quantization=""), progress).match, total)


def import_table(path: Path, graph: Graph, progress: Progress = SILENT) -> Comparison:
    """The table in a file on a graph; of several tables, the one that speaks most of the graph's tensors."""
    tables = read_results(path, progress)
    found = [comparison for table in tables if (comparison := _on(table, graph)) is not None]
    if not found:
        return comparison_of(tables[0], graph)  # which says what is wrong with it
    return max(found, key=lambda each: (-PREFERRED.index(each.measure), sum(bool(row.values) for row in each.rows)))


def _on(table: ResultTable, graph: Graph) -> Comparison | None:
    try:
        return comparison_of(table, graph)
    except UsageError:
        return None
