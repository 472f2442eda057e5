"""Puts the app into the menu of the system from its own window, and takes it out again."""

import sys
from functools import partial
from typing import Literal

from errorflow.base import ErrorflowError, Progress
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.banner import Notice, notice_of
from errorflow_viewer.kit.desktop_entry import present

KEY, TEXT = "menu", "Telling the desktop"


def is_possible() -> bool:
    """Elsewhere an installer does it, or the app itself; no question for a user."""
    return sys.platform.startswith("linux")


def can_add(_: Desk) -> bool:
    """A package for all users did it already."""
    return not present.is_of_package()


def can_remove(_: Desk) -> bool:
    return present.is_there()


def add(desk: Desk) -> None:
    desk.jobs.start(KEY, TEXT, _add, partial(_added, desk), partial(_failed, desk))


def remove(desk: Desk) -> None:
    desk.jobs.start(KEY, TEXT, _remove, partial(_removed, desk), partial(_failed, desk))


def _add(_: Progress) -> tuple[str, ...]:
    return _done("install")


def _remove(_: Progress) -> tuple[str, ...]:
    return _done("remove")


def _done(wish: Literal["install", "remove"]) -> tuple[str, ...]:
    from errorflow_viewer.kit.desktop_entry.options import done
    from errorflow_viewer.kit.desktop_entry.program import program

    return done(wish, None, program())


def _added(desk: Desk, lines: tuple[str, ...]) -> None:
    desk.support.tell(
        Notice(
            "info",
            "Errorflow is in the menu of your desktop.",
            "A double click opens .errorflow files, and .onnx files that no other app opened before.",
            "\n".join(lines),
            KEY,
            button="Take it out again",
            pressed=partial(remove, desk),
        )
    )


def _removed(desk: Desk, lines: tuple[str, ...]) -> None:
    desk.support.tell(Notice("info", lines[-1], details="\n".join(lines[:-1]), key=KEY))


def _failed(desk: Desk, error: ErrorflowError) -> None:
    desk.support.tell(notice_of(error, KEY))
