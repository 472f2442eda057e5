"""Which files ended the app while they were opened, and how often: such a file is not opened unasked a third time."""

import contextlib
import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from errorflow.errors import ErrorflowError
from errorflow.files import write_atomic

LOG = logging.getLogger(__name__)
# After so many deaths a file is asked about; of so many files it is remembered.
TOO_OFTEN, MOST = 2, 50
_MOST_BYTES = 256 * 1024


class Troubles:
    """Of this user. A file that was changed since is another file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "troubles.json"

    def add(self, paths: Iterable[str]) -> None:
        """These were being opened when the app died."""
        rows = self._read()
        for path in dict.fromkeys(paths):
            stamp, times = rows.pop(path, ["", 0])
            now = _stamp(path)
            rows[path] = [now, times + 1 if stamp == now else 1]
        self._write(rows)

    def forget(self, path: Path) -> None:
        """It was opened, and all is well."""
        rows = self._read()
        if rows.pop(str(path), None) is not None:
            self._write(rows)

    def too_often(self, path: Path) -> bool:
        stamp, times = self._read().get(str(path), ("", 0))
        return bool(times >= TOO_OFTEN and stamp == _stamp(str(path)))

    def _read(self) -> dict[str, Any]:
        """Rubbish counts as nothing known."""
        try:
            with self._file.open("rb") as file:
                rows = json.loads(file.read(_MOST_BYTES))
            return {str(k): [str(v[0]), int(v[1])] for k, v in rows.items()}
        except (OSError, ValueError, AttributeError, TypeError, IndexError, KeyError, RecursionError):
            return {}

    def _write(self, rows: dict[str, Any]) -> None:
        newest = dict(list(rows.items())[-MOST:])
        try:
            if newest:
                write_atomic(self._file, json.dumps(newest))
            else:
                self._file.unlink(missing_ok=True)
        except (OSError, ErrorflowError) as error:
            LOG.info("not remembered: %s", error)


def _stamp(path: str) -> str:
    """Of a folder that of the folder itself; "" if it is gone."""
    with contextlib.suppress(OSError, ValueError):
        found = Path(path).stat()
        return f"{found.st_size} {found.st_mtime_ns}"
    return ""
