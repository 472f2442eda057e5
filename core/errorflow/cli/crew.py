"""Executors of plans: this process, several of this machine, or a Dask scheduler."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import Progress, UsageError

if TYPE_CHECKING:
    from errorflow.study.rank.tables import PlanTables
    from errorflow.study.simulate.bench import Bench

_DRIVE = "Put the model and --out on a drive that all machines reach under the same path."


def add_crew(parser: ArgumentParser) -> None:
    """Adds the options that `crew_by` reads."""
    group = parser.add_argument_group("where it runs")
    group.add_argument("--workers", type=int, metavar="N", help="processes of this machine (default: this one)")
    group.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, such as tcp://host:8786")


@contextmanager
def crew_by(options: Namespace, bench: "Bench", near: Path, progress: Progress) -> Iterator["PlanTables | None"]:
    """Opens the executors; None where the engine of the bench does it. What workers need is written beside `near`
    meanwhile.
    """
    if options.workers is not None and options.workers < 1:
        raise UsageError("--workers must be at least 1.", "Leave it out to stay in this process.")
    if options.workers is not None and options.scheduler is not None:
        raise UsageError("--workers and --scheduler cannot both be given.", "Workers of a cluster belong to it.")
    if options.workers is None and options.scheduler is None:
        yield None
        return
    from errorflow.study.rank.executors import LocalCrew, PlanExecutor, end_engine
    from errorflow.study.rank.worker_folder import Shared

    if options.workers is not None:
        with Shared(bench, near, options.workers, progress) as shared, LocalCrew(shared.site, options.workers) as crew:
            yield crew
        return
    from errorflow.compare.executors import Cluster

    with Cluster(options.scheduler) as cluster, Shared(bench, near, progress=progress) as shared:
        folders = [shared.site.folder, str(bench.floated.path.absolute().parent)]
        executor, size, lost = cluster.hired(folders, _DRIVE)
        try:
            yield PlanExecutor(executor, shared.site, size, lost=lost)
        finally:
            executor.shutdown(wait=False)
            cluster.everywhere(end_engine, shared.site.key)
