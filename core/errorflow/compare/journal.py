"""What a run has measured so far, line by line in a file, so that a run that was killed can go on where it was.

The first line says what was being compared; rows of anything else are not believed. A last line that was cut off by the
end of the process is ignored.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from errorflow import __version__
from errorflow.compare.measure import unmeasured
from errorflow.compare.model import Row
from errorflow.compare.options import Options
from errorflow.dump import Stored
from errorflow.errors import FileError
from errorflow.match.model import Pair
from errorflow.metrics.channels import Channels
from errorflow.metrics.sums import Side

NAME = ".errorflow-compare.journal"
# A row takes some hundred bytes; more than this is no journal of ours.
MAX_LINE = 1 << 20
_encoded = json.JSONEncoder(separators=(",", ":")).encode
_PLAIN = ("values", "note", "done", "measured_shape", "columns", "reason")


class Journal:
    """Use it as a context manager. `known` are the rows of an earlier run of the same comparison, by number."""

    def __init__(self, folder: Path, pairs: Sequence[Pair], options: Options, *, resume: bool) -> None:
        self._path = folder / NAME
        self._pairs = pairs
        self._mark = fingerprint(pairs, options)
        self._file: TextIO | None = None
        self.known = self._earlier() if resume else {}

    def __enter__(self) -> Self:
        try:
            fresh = not self.known
            self._file = self._path.open("w" if fresh else "a", encoding="utf-8")
            # What an end in the middle of a line left behind must not swallow the next one.
            self._write(json.dumps({"errorflow": __version__, "compares": self._mark}) if fresh else "")
        except OSError as error:
            raise FileError(
                f"Nothing could be written to {self._path.parent}: {error}.", "Choose another folder by -out."
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, number: int, row: Row) -> None:
        """Written at once: what was measured survives the end of this process."""
        self._write(_encoded([number, plain(row)]))

    def forget(self) -> None:
        """The results are safe: the file has served."""
        self._path.unlink(missing_ok=True)

    def _write(self, line: str) -> None:
        assert self._file is not None
        self._file.write(f"{line}\n")
        self._file.flush()

    def _earlier(self) -> dict[int, Row]:
        found: dict[int, Row] = {}
        try:
            with self._path.open(encoding="utf-8") as file:
                if not self._is_ours(_parsed(file.readline(MAX_LINE))):
                    return {}
                while line := file.readline(MAX_LINE):
                    match _parsed(line):
                        case [int(number), dict(row)] if 0 <= number < len(self._pairs):
                            found[number] = row_of(self._pairs[number], row)
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError, TypeError, KeyError, ValueError) as error:
            raise FileError(
                f"What an earlier run left in {self._path.name} cannot be read.", "Run again without --resume."
            ) from error
        return found

    def _is_ours(self, head: Any) -> bool:
        return isinstance(head, dict) and head.get("compares") == self._mark and head.get("errorflow") == __version__


def fingerprint(pairs: Sequence[Pair], options: Options) -> str:
    """Changes with whatever changes a result: the pairs, their files, and what is measured."""
    digest = hashlib.sha256(repr(options).encode())
    stamps: dict[str, str] = {}
    for pair in pairs:
        digest.update(repr((pair.tensor, pair.rule, pair.note, pair.layout, pair.shape, pair.listed)).encode())
        for side in (pair.candidate, pair.reference):
            digest.update(_of_side(side, stamps).encode())
    return digest.hexdigest()


def _of_side(side: Stored | None, stamps: dict[str, str]) -> str:
    if side is None:
        return "-"
    if side.path not in stamps:
        stamps[side.path] = _stamp(Path(side.path))
    return f"{side.path}|{stamps[side.path]}|{side.info!r}"


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return "gone"
    return f"{status.st_size}|{status.st_mtime_ns}"


def plain(row: Row) -> dict[str, Any]:
    """What was measured; all else is known from the pair."""
    return {
        **{name: getattr(row, name) for name in _PLAIN},
        "channels": _fields(row.channels),
        "sides": [_fields(row.reference_side), _fields(row.candidate_side)],
    }


def _fields(value: Channels | Side | None) -> dict[str, Any] | None:
    """As `asdict`, without copying what is plain already: this is done for every row."""
    return None if value is None else {each.name: getattr(value, each.name) for each in fields(value)}


def row_of(pair: Pair, measured: dict[str, Any]) -> Row:
    sides = [None if side is None else Side(**side) for side in measured["sides"]]
    shape = measured["measured_shape"]
    return replace(
        unmeasured(pair),
        values=dict(measured["values"]),
        note=str(measured["note"]),
        done=tuple(measured["done"]),
        measured_shape=None if shape is None else tuple(shape),
        columns=dict(measured["columns"]),
        reason=str(measured["reason"]),
        channels=_channels(measured["channels"]),
        reference_side=sides[0],
        candidate_side=sides[1],
    )


def _channels(found: dict[str, Any] | None) -> Channels | None:
    if found is None:
        return None
    return Channels(**{**found, "worst": tuple((int(number), float(value)) for number, value in found["worst"])})


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
