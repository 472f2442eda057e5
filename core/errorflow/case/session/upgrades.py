"""Sessions of earlier versions, brought to this one step by step.

To change the file: a function here that makes the last version's object the next one's, and a file of the version
before in tests/data/sessions.
"""

from collections.abc import Callable, Mapping
from typing import Any

from errorflow.base.errors import FormatError

Rows = Mapping[str, Any]
# The first one makes version 2 of version 1.
UPGRADES: tuple[Callable[[Rows], Rows], ...] = ()
VERSION = len(UPGRADES) + 1


def upgraded(rows: Rows, version: int) -> Rows:
    """The same in this version's form; a `FormatError` for one that is newer."""
    if version > VERSION:
        raise FormatError(
            f"The session was saved by a newer Errorflow (its form is {version}, this one knows {VERSION}).",
            "Install a newer Errorflow. Nothing was changed in the file.",
        )
    for upgrade in UPGRADES[version - 1 :]:
        rows = upgrade(rows)
    return rows
