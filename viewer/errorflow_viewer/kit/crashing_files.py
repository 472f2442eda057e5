"""Files that ended the app while they were opened, and when: such a file is not opened unasked a third time.

Who only notes a death does not look at the file: it may lie on a network drive that does not answer, which may be why
the app was ended.
"""

import contextlib
import logging
import math
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from errorflow.base.codec import Codec, Each, as_json, parsed
from errorflow.base.errors import ErrorflowError
from errorflow.base.files import write_atomic

LOG = logging.getLogger(__name__)
# After so many deaths a file is asked about; of so many files it is remembered.
TOO_OFTEN, MOST = 2, 50
# Of one file so many are remembered.
_MOST_DEATHS = 5
_MOST_BYTES = 256 * 1024
# When it was, by the file.
_Deaths = dict[str, tuple[float, ...]]


class Troubles:
    """Record of this user's crashing files. A file that was changed since is another file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "troubles.json"

    def add(self, paths: Iterable[str], when: float | None = None) -> None:
        """Adds files that were being opened when the app died; `when` that was begun, in seconds since 1970, None:
        now.
        """
        rows, moment = self._read(), time.time() if when is None else when
        for path in dict.fromkeys(paths):
            rows[path] = (*rows.pop(path, ()), moment)[-_MOST_DEATHS:]
        self._write(rows)

    def forget(self, path: Path) -> None:
        """Forgets a file: it was opened, and all is well."""
        rows = self._read()
        if rows.pop(str(path), None) is not None:
            self._write(rows)

    def too_often(self, path: Path) -> bool:
        """Looks at the file, which may take long."""
        deaths = self._read().get(str(path), ())
        if len(deaths) < TOO_OFTEN:
            return False
        changed = _changed(path)
        return sum(death >= changed for death in deaths) >= TOO_OFTEN

    def _read(self) -> _Deaths:
        """Rubbish counts as nothing known."""
        try:
            with self._file.open("rb") as file:
                rows = parsed(file.read(_MOST_BYTES))
            found: _Deaths = Codec().read(Each[Mapping[str, Each[tuple[float, ...]]]], rows, notes=[])
            return found
        except (OSError, ValueError):
            return {}

    def _write(self, rows: _Deaths) -> None:
        newest = dict(list(rows.items())[-MOST:])
        try:
            if newest:
                write_atomic(self._file, as_json(newest))
            else:
                self._file.unlink(missing_ok=True)
        except (OSError, ErrorflowError) as error:
            LOG.info("not remembered: %s", error)


def _changed(path: Path) -> float:
    """Finds when it was last written, or another one took its place; of what is gone nothing counts."""
    with contextlib.suppress(OSError, ValueError):
        found = path.stat()
        return max(found.st_mtime, found.st_ctime)
    return math.inf
