"""The jobs that end in another model on view. Of two wishes the latest counts, whatever takes longer."""

from errorflow_viewer.kit.jobs import Jobs

OPEN, LOOK, PREPARE, SESSION = "open", "look", "prepare", "open session"
WISHES = (OPEN, LOOK, PREPARE, SESSION)


def take_back(jobs: Jobs) -> None:
    """Takes back what is being opened: something else is wanted."""
    for key in WISHES:
        jobs.cancel(key)
