"""Writes a file in the background, all of it or not at all, and says so."""

from collections.abc import Callable
from pathlib import Path

from errorflow.base.files import write_atomic
from errorflow.base.progress import Progress
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.banner import notice_of

KEY = "giving"


def write(desk: Desk, path: Path, make: Callable[[], str | bytes]) -> None:
    """Several may be under way; one to the same file replaces the one before."""

    def work(progress: Progress) -> None:
        made = make()
        progress.step(1, 1, "Writing")  # a cancel meanwhile comes before the old file is replaced
        write_atomic(path, made)

    desk.jobs.start(
        f"{KEY} {path}",
        f"Writing {path.name}",
        work,
        lambda _: desk.say(f"Wrote {path}"),
        lambda error: desk.studies.simulating.tell(notice_of(error, KEY)),
    )
