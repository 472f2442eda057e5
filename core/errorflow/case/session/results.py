"""Measurements, kept by what they were made of: a session that is opened again shows its colours at once.

Rows are known again by their pairs, their files' sizes and times, and what was measured; beside a session also when the
whole folder has moved. What takes long to find again, such as all that comes of models that are run, is kept too: see
`errorflow.case.session.known`.
"""

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from errorflow.base.codec import Codec, Each, parsed
from errorflow.base.errors import ErrorflowError
from errorflow.base.files import is_file, recency, write_atomic
from errorflow.case.session.known import NAME as KNOWN
from errorflow.case.session.known import KnownRows, read_known, write_known
from errorflow.compare.journal import NAME, Journal
from errorflow.compare.match.model import Match
from errorflow.compare.model import Options, Row

# Beside a session.
FOLDER = ".errorflow-results"
# In one folder; the ones that were not asked for longest give way.
MOST, MOST_BYTES = 40, 512 << 20
# Beside sessions: the files that each of them needs, by its name.
INDEX = "index.json"
_MOST_INDEX = 1 << 20
_log = logging.getLogger(__name__)


def beside(session: Path) -> Path:
    """Path where the results of a session lie."""
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


def recall_known(folder: Path, mark: str) -> KnownRows | None:
    """Recalls what was kept of the comparison with this mark (see `marks.mark_of`); None: nothing."""
    return read_known(folder, mark) if mark else None


def keep(folder: Path, match: Match, options: Options, rows: Sequence[Row], base: Path | None = None) -> Path | None:
    """Writes what was measured; what cannot be written is only measured anew next time: None."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with Journal(folder, match.pairs, options, resume=False, base=base) as journal:
            for number, row in enumerate(rows):
                journal.add(number, row)
        _make_room(folder)
    except (ErrorflowError, OSError) as error:
        _log.info("results could not be kept: %s", error)
        return None
    return journal.path


def keep_known(folder: Path, mark: str, known: KnownRows) -> Path | None:
    """The same for what is found again by its mark."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = write_known(folder, mark, known)
        _make_room(folder)
    except (ErrorflowError, OSError) as error:
        _log.info("results could not be kept: %s", error)
        return None
    return path


def tidy(session: Path, needed: Collection[Path]) -> None:
    """Removes the results beside sessions that neither this one nor another one needs."""
    folder = beside(session)
    try:
        index = {name: files for name, files in _index(folder).items() if is_file(session.parent / name)}
        index[session.name] = sorted(path.name for path in needed)
        wanted = {name for files in index.values() for name in files}
        write_atomic(folder / INDEX, json.dumps(index, indent=1))
        for path in _kept(folder):
            if path.name not in wanted:
                path.unlink(missing_ok=True)
    except (ErrorflowError, OSError) as error:
        _log.info("results could not be tidied up: %s", error)


def _index(folder: Path) -> dict[str, list[str]]:
    path = folder / INDEX
    try:
        if not is_file(path) or path.stat().st_size > _MOST_INDEX:
            return {}
        found = Codec().read(Each[Mapping[str, Each[tuple[str, ...]]]], parsed(path.read_bytes()), notes=[])
    except ValueError:
        return {}
    return {name: list(files) for name, files in found.items() if Path(name).name == name}


def _kept(folder: Path) -> list[Path]:
    return [path for name in (NAME, KNOWN) for path in folder.glob(name.format("*"))]


def _make_room(folder: Path) -> None:
    kept = [(path.stat(), path) for path in _kept(folder)]
    kept.sort(key=lambda entry: recency(entry[0].st_mtime), reverse=True)
    total = 0
    for count, (status, path) in enumerate(kept):
        total += status.st_size
        if count >= MOST or (count and total > MOST_BYTES):
            path.unlink(missing_ok=True)
