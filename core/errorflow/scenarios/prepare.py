"""Everything between the files that the user gave and the first number: what is shown, and what is measured."""

from dataclasses import dataclass
from pathlib import Path

from errorflow.compare.model import Comparison
from errorflow.errors import UsageError
from errorflow.graph.model import Graph, Model
from errorflow.match.model import Match
from errorflow.match.plan import plan
from errorflow.progress import SILENT, Progress
from errorflow.results import read_results
from errorflow.results.table import ResultTable
from errorflow.scenarios.call import asked_of
from errorflow.scenarios.chain import chain_of
from errorflow.scenarios.imported import PREFERRED, comparison_of
from errorflow.scenarios.setup import Setup

# Whose graph is shown, the best first; quantization information is no graph.
_SHOWN = ("model", "fusion", "original")


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is left to do is to measure `match`, pair by pair."""

    match: Match
    # Made for runs without a model; None: `shown_model` says which file it is.
    made: Model | None = None


def shown_model(setup: Setup) -> Path | None:
    """The file whose graph is painted; None: none was given, and `prepare` makes a chain."""
    return next((path for need in _SHOWN if (path := setup.file(need)) is not None), None)


def prepare(setup: Setup, progress: Progress = SILENT) -> Prepared:
    """Opens both runs and matches them; whatever makes no sense is an `ErrorflowError`."""
    match = plan(asked_of(setup), progress).match
    candidate = setup.file("candidate")
    made = None if shown_model(setup) is not None or candidate is None else chain_of(match, candidate)
    return Prepared(match, made)


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
