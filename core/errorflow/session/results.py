"""What was measured, kept by what it was measured of: a session that is opened again shows its colours at once.

A comparison is known again by its pairs, their files' sizes and times, and what was measured; beside a session also
when the whole folder has moved. Only the rows are kept: all else is found from them in a moment.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from errorflow.compare.journal import NAME, Journal
from errorflow.compare.model import Row
from errorflow.compare.options import Options
from errorflow.errors import ErrorflowError
from errorflow.match.model import Match

# Beside a session.
FOLDER = ".errorflow-results"
# In one folder; the ones that were not asked for longest give way.
MOST, MOST_BYTES = 40, 512 << 20
_log = logging.getLogger(__name__)


def beside(session: Path) -> Path:
    """Where the results of a session lie."""
    return session.parent / FOLDER


def recall(folder: Path, match: Match, options: Options, base: Path | None = None) -> Mapping[int, Row]:
    """The rows that are known of this comparison, by number; none if it was never kept here."""
    try:
        found = Journal(folder, match.pairs, options, resume=True, base=base)
        if found.known:
            found.path.touch()
    except (ErrorflowError, OSError) as error:  # measuring anew is always possible
        _log.info("results that were kept could not be read: %s", error)
        return {}
    return found.known


def keep(folder: Path, match: Match, options: Options, rows: Sequence[Row], base: Path | None = None) -> None:
    """Writes what was measured; what cannot be written is only measured anew next time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with Journal(folder, match.pairs, options, resume=False, base=base) as journal:
            for number, row in enumerate(rows):
                journal.add(number, row)
        _make_room(folder)
    except (ErrorflowError, OSError) as error:
        _log.info("results could not be kept: %s", error)


def _make_room(folder: Path) -> None:
    kept = [(path.stat(), path) for path in folder.glob(NAME.format("*"))]
    kept.sort(key=lambda entry: entry[0].st_mtime, reverse=True)
    total = 0
    for count, (status, path) in enumerate(kept):
        total += status.st_size
        if count >= MOST or (count and total > MOST_BYTES):
            path.unlink(missing_ok=True)
