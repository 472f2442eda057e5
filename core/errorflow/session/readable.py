"""Of sessions that were found, those that can be opened: a name alone says nothing of what a file holds."""

from dataclasses import replace

from errorflow.errors import ErrorflowError
from errorflow.progress import SILENT, Progress
from errorflow.scenarios.found import Discovered, Found
from errorflow.session.file import read_session


def without_broken(found: Discovered, progress: Progress = SILENT) -> Discovered:
    """A session that nobody could open is a problem, and stands in the way of nothing that lies beside it."""
    kept: list[Found] = []
    problems = list(found.problems)
    for each in found.found:
        wrong = _wrong_with(each, progress) if each.kind == "session" else ""
        if wrong:
            problems.append(wrong)
        else:
            kept.append(each)
    return replace(found, found=tuple(kept), problems=tuple(problems))


def _wrong_with(found: Found, progress: Progress) -> str:
    progress.step(0, 0, f"Looking at {found.path.name}")
    try:
        read_session(found.path)
    except ErrorflowError as error:
        return error.message
    return ""
