"""Measurements of a run so far, in a journal whose name and first line say what was being compared."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from errorflow import __version__
from errorflow.base import FileError, dataclass, fields, replace
from errorflow.base.codec import Codec
from errorflow.base.journal import JournalFile
from errorflow.compare.comparer import Printed
from errorflow.compare.match.model import Pair
from errorflow.compare.measure import unmeasured
from errorflow.compare.metrics.channels import Channels
from errorflow.compare.metrics.distinct import DistinctValues
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Options, Row
from errorflow.formats.folders.pieces import JoinedStored
from errorflow.graph.dump import Stored

NAME = ".errorflow-compare-{}.journal"
# Letters of what was being compared that are in the name: several comparisons may have one folder.
_SHORT = 16
# Of what a row holds; rows of another one are measured again.
VERSION = 4
# All of a pair but the tensors themselves.
_SAID = tuple(each.name for each in fields(Pair) if each.name not in ("candidate", "reference"))


@dataclass(frozen=True, slots=True)
class JournalRow:
    """Measurements of a row; all else is known from its pair."""

    values: Mapping[str, float]
    note: str
    done: tuple[str, ...]
    measured_shape: tuple[int, ...] | None
    overflows: bool
    # The cells and the reason of a vendor's comparer.
    printed: tuple[Mapping[str, str], str] | None
    channels: Channels | None
    unique: DistinctValues | None
    # Of reference and candidate.
    sides: tuple[Side | None, Side | None]

    @classmethod
    def of(cls, row: Row) -> "JournalRow":
        printed = None if row.printed is None else (row.printed.cells, row.printed.reason)
        same = row.values, row.note, row.done, row.measured_shape, row.overflows, printed, row.channels, row.unique
        return cls(*same, (row.reference_side, row.candidate_side))

    def row(self, pair: Pair) -> Row:
        begun = unmeasured(pair)
        return replace(
            begun,
            values=self.values,
            note=self.note,
            done=self.done,
            measured_shape=self.measured_shape,
            overflows=self.overflows,
            printed=_filled(begun.printed, self.printed),
            channels=self.channels,
            unique=self.unique,
            reference_side=self.sides[0],
            candidate_side=self.sides[1],
        )


class Journal(JournalFile[int, Row]):
    """Rows by their number. `base`: a folder that may move with all that is in it and stays the same comparison."""

    def __init__(
        self, folder: Path, pairs: Sequence[Pair], options: Options, *, resume: bool, base: Path | None = None
    ) -> None:
        self._pairs = pairs
        mark = fingerprint(pairs, options, base)
        head = {"errorflow": __version__, "rows": VERSION, "compares": mark}
        super().__init__(folder / NAME.format(mark[:_SHORT]), head, resume=resume)

    def add(self, number: int, row: Row) -> None:
        """Written at once: what was measured survives the end of this process."""
        self.write([number, JournalRow.of(row)])

    def entry_of(self, line: Any) -> tuple[int, Row] | None:
        match line:
            case [int(number), dict(row)] if 0 <= number < len(self._pairs):
                # Anybody may have put the file there: whatever is no number of ours is odd.
                measured: JournalRow = Codec().read(JournalRow, row)
                return number, measured.row(self._pairs[number])
        return None

    def unreadable(self) -> FileError:
        return FileError(f"What an earlier run left in {self.path.name} cannot be read.", "Run again without --resume.")


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


def _filled(line: Printed | None, known: tuple[Mapping[str, str], str] | None) -> Printed | None:
    if line is None or known is None:
        return line
    return replace(line, cells=known[0], reason=known[1])
