"""Readable files in a place; of sessions those that can be opened: a name alone says nothing of what a file holds."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from errorflow.base import SILENT, ErrorflowError, Progress
from errorflow.case.scenarios.discover import discover
from errorflow.case.scenarios.found import Discovered, FoundFile
from errorflow.case.session.file import read_session


def looked_through(paths: Sequence[Path], progress: Progress = SILENT) -> Discovered:
    """Looks through the paths; a session that cannot be opened is a problem, and does not hide what lies beside it."""
    discovered = discover(paths, progress)
    kept: list[FoundFile] = []
    problems = list(discovered.problems)
    for each in discovered.found:
        wrong = _wrong_with(each, progress) if each.kind == "session" else ""
        if wrong:
            problems.append(wrong)
        else:
            kept.append(each)
    return replace(discovered, found=tuple(kept), problems=tuple(problems))


def _wrong_with(found: FoundFile, progress: Progress) -> str:
    progress.step(0, 0, f"Looking at {found.path.name}")
    try:
        read_session(found.path)
    except ErrorflowError as error:
        return error.message
    return ""
