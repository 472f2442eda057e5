"""What a run has measured so far, line by line in a file, so that a run that was killed can go on where it was.

Its name and its first line say what was being compared; rows of anything else are not believed. A last line that was
cut off by the end of the process is ignored.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from io import RawIOBase
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from errorflow import __version__
from errorflow.base.errors import FileError
from errorflow.base.files import is_file
from errorflow.compare.comparer import Printed
from errorflow.compare.match.model import Pair
from errorflow.compare.measure import unmeasured
from errorflow.compare.metrics.channels import Channels
from errorflow.compare.metrics.distinct import Distinct
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Row
from errorflow.compare.options import Options
from errorflow.formats.folders.pieces import JoinedStored
from errorflow.graph.dump import Stored

NAME = ".errorflow-compare-{}.journal"
# Letters of what was being compared that are in the name: several comparisons may have one folder.
_SHORT = 16
# Of what a row holds; rows of another one are measured again.
VERSION = 3
# A row takes some hundred bytes; more than this is no journal of ours.
MAX_LINE = 1 << 20
# All of a pair but the tensors themselves.
_SAID = tuple(each.name for each in fields(Pair) if each.name not in ("candidate", "reference"))
_encoded = json.JSONEncoder(separators=(",", ":")).encode
_PLAIN = ("values", "note", "done", "measured_shape", "overflows")


class Journal:
    """Use it as a context manager. `known` are the rows of an earlier run of the same comparison, by number.

    `base`: a folder that may move with all that is in it and stays the same comparison.
    """

    def __init__(
        self, folder: Path, pairs: Sequence[Pair], options: Options, *, resume: bool, base: Path | None = None
    ) -> None:
        self._pairs = pairs
        self._mark = fingerprint(pairs, options, base)
        self._path = folder / NAME.format(self._mark[:_SHORT])
        self._file: RawIOBase | None = None
        self.known = self._earlier() if resume else {}

    def __enter__(self) -> Self:
        fresh = not self.known
        try:
            if fresh:
                # Whatever is there goes, also a link: what that leads to is not ours.
                self._path.unlink(missing_ok=True)
            self._file = self._path.open("xb" if fresh else "ab", buffering=0)
        except OSError as error:
            raise self._unwritten(error) from error
        # What an end in the middle of a line left behind must not swallow the next one.
        self._write(json.dumps({"errorflow": __version__, "rows": VERSION, "compares": self._mark}) if fresh else "")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, number: int, row: Row) -> None:
        """Written at once: what was measured survives the end of this process."""
        self._write(_encoded([number, plain(row)]))

    @property
    def path(self) -> Path:
        return self._path

    def forget(self) -> None:
        """The results are safe: the file has served."""
        self._path.unlink(missing_ok=True)

    def _write(self, line: str) -> None:
        assert self._file is not None
        try:
            self._file.write(f"{line}\n".encode())
        except OSError as error:
            raise self._unwritten(error) from error

    def _unwritten(self, error: OSError) -> FileError:
        reason = str(error.strerror).lower()
        return FileError(
            f"Nothing could be written to {self._path.parent}: {reason}.", "Choose another folder, or free some space."
        )

    def _earlier(self) -> dict[int, Row]:
        found: dict[int, Row] = {}
        if self._path.is_symlink() or not is_file(self._path):
            return {}
        try:
            with self._path.open(encoding="utf-8") as file:
                if not self._is_ours(_parsed(file.readline(MAX_LINE))):
                    return {}
                while line := file.readline(MAX_LINE):
                    match _parsed(line):
                        case [int(number), dict(row)] if 0 <= number < len(self._pairs):
                            found[number] = row_of(self._pairs[number], row)
        except (OSError, AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
            raise FileError(
                f"What an earlier run left in {self._path.name} cannot be read.", "Run again without --resume."
            ) from error
        return found

    def _is_ours(self, head: Any) -> bool:
        wanted = {"errorflow": __version__, "rows": VERSION, "compares": self._mark}
        return isinstance(head, dict) and all(head.get(name) == value for name, value in wanted.items())


def fingerprint(pairs: Sequence[Pair], options: Options, base: Path | None = None) -> str:
    """Changes with whatever changes a result: the pairs, their files, what is measured; not with where `base` is."""
    moving = "" if base is None else repr(f"{base}{os.sep}")[1:-1]
    digest = hashlib.sha256(_bytes(moving, options, _scripts(options.custom)))
    stamp = cache(_stamp)
    for pair in pairs:
        said = [getattr(pair, name) for name in _SAID]
        sides = [
            None if side is None else (side.info, [(path, stamp(path)) for path in _files(side)])
            for side in (pair.candidate, pair.reference)
        ]
        digest.update(_bytes(moving, said, pair.qparams, sides))
    return digest.hexdigest()


def _bytes(moving: str, *values: object) -> bytes:
    # Names of files need not be UTF-8.
    text = repr(values)
    return (text.replace(moving, "") if moving else text).encode(errors="surrogatepass")


def _files(side: Stored) -> list[str]:
    return [part.path for part in side.parts] if isinstance(side, JoinedStored) else [side.path]


def _scripts(folder: str) -> list[tuple[str, str]]:
    """The user's own code, which may have changed."""
    return [(str(path), _stamp(str(path))) for path in sorted(Path(folder).glob("*/*.py"))] if folder else []


def _stamp(path: str) -> str:
    try:
        status = Path(path).stat()
    except OSError:
        return "gone"
    return f"{status.st_size}|{status.st_mtime_ns}"


def plain(row: Row) -> dict[str, Any]:
    """What was measured; all else is known from the pair."""
    return {
        **{name: getattr(row, name) for name in _PLAIN},
        "channels": _fields(row.channels),
        "unique": _fields(row.unique),
        "printed": None if row.printed is None else [dict(row.printed.cells), row.printed.reason],
        "sides": [_fields(row.reference_side), _fields(row.candidate_side)],
    }


def _fields(value: Channels | Distinct | Side | None) -> dict[str, Any] | None:
    """As `asdict`, without copying what is plain already: this is done for every row."""
    return None if value is None else {each.name: getattr(value, each.name) for each in fields(value)}


def row_of(pair: Pair, measured: dict[str, Any]) -> Row:
    """What `plain` wrote. Anybody may have put the file there, so whatever is no number of ours is refused here."""
    sides = [None if side is None else _side(**side) for side in measured["sides"]]
    shape, unique, row = measured["measured_shape"], measured["unique"], unmeasured(pair)
    return replace(
        row,
        values={str(key): float(value) for key, value in measured["values"].items()},
        note=str(measured["note"]),
        done=tuple(map(str, measured["done"])),
        measured_shape=None if shape is None else tuple(map(int, shape)),
        overflows=bool(measured["overflows"]),
        printed=None if row.printed is None else _printed(row.printed, *measured["printed"]),
        channels=_channels(measured["channels"]),
        unique=None if unique is None else Distinct(int(unique["count"]), bool(unique["more"])),
        reference_side=sides[0],
        candidate_side=sides[1],
    )


def _printed(line: Printed, cells: dict[str, Any], reason: str) -> Printed:
    return replace(line, cells={str(key): str(value) for key, value in cells.items()}, reason=str(reason))


def _side(nan: int, inf: int, low: float, high: float) -> Side:
    return Side(int(nan), int(inf), float(low), float(high))


def _channels(found: dict[str, Any] | None) -> Channels | None:
    if found is None:
        return None
    worst = tuple((int(number), float(value)) for number, value in found["worst"])
    axis, count, minimum, median = (found[name] for name in ("axis", "count", "minimum", "median"))
    return Channels(int(axis), int(count), float(minimum), float(median), worst)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
