"""What is over before one could wait for it: a wait looks now and again, and on a busy machine too late."""

from collections.abc import Callable

from PySide6.QtCore import Qt

from errorflow_viewer.kit.jobs import Jobs


def once_running(jobs: Jobs, key: str, act: Callable[[], object]) -> list[object]:
    """What `act` says as soon as a job of that key has begun, before any of what it brings is delivered."""
    said = list[object]()

    def look(_: object) -> None:
        if not said and jobs.running(key):
            said.append(act())

    # That is posted before the job can post anything.
    jobs.changed.connect(look, Qt.ConnectionType.QueuedConnection)
    return said
