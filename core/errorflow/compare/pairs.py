"""Measures two runs: all pairs of a match, by as many processes as that is worth."""

from collections.abc import Mapping
from pathlib import Path

from errorflow.base.progress import SILENT, Progress
from errorflow.compare.executors import Alone, Crew, Processes
from errorflow.compare.journal import Journal
from errorflow.compare.match.by_name import match_by_name
from errorflow.compare.match.model import Match
from errorflow.compare.model import Comparison, Row
from errorflow.compare.options import Options
from errorflow.compare.work import OnRow, rows_of, size_of
from errorflow.graph.dump import Dump

# Less than this is done before other processes would have started.
LITTLE_BYTES = 64 << 20


def compare(reference: Dump, candidate: Dump, progress: Progress = SILENT, *, workers: int | None = None) -> Comparison:
    """Pairs the tensors of both runs by their names and measures each pair.

    With more than a little to do, by `workers` processes, as many as the machine has cores unless it is said. A script
    calls this below `if __name__ == "__main__":`, since each process begins by importing it; 1 needs no other process.
    """
    match = match_by_name(reference, candidate, progress)
    return compare_match(match, crew=crew_for(match, workers), progress=progress)


def compare_match(
    match: Match,
    options: Options | None = None,
    *,
    crew: Crew | None = None,
    journal: Journal | None = None,
    known: Mapping[int, Row] | None = None,
    on_row: OnRow | None = None,
    progress: Progress = SILENT,
) -> Comparison:
    """Measures each pair, by this process or as many as the machine has cores, or by the crew that is given.

    A journal that is open keeps what was measured if this process ends before it is done. Without one, `known` are rows
    that need not be measured again, by their numbers, and `on_row` is told each new one.
    """
    pairs = match.pairs
    options = Options() if options is None else options
    rows = rows_of(
        pairs,
        options,
        crew_for(match, apart=bool(options.custom)) if crew is None else crew,
        known=known if journal is None else journal.known,
        on_row=on_row if journal is None else journal.add,
        progress=progress,
    )
    return Comparison(tuple(rows))


def crew_for(match: Match, workers: int | None = None, *, apart: bool = False) -> Crew:
    """As many processes as there are cores, or as wanted; little work is done at once.

    `apart`: never by this process, since code of the user's runs, which may hang when somebody cancels.
    """
    if apart:
        return Processes(workers)
    if workers == 1 or (workers is None and sum(map(size_of, match.pairs)) < LITTLE_BYTES):
        return Alone()
    return Processes(workers)


def journal_in(folder: Path, match: Match, options: Options, *, resume: bool) -> Journal:
    """The journal of this comparison in the folder where its results will be."""
    return Journal(folder, match.pairs, options, resume=resume)
