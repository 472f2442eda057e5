"""What was evaluated, line by line in a file, so that a search that was interrupted goes on where it was.

Its name and first line say of which model, samples, ranges and evaluator it speaks; strategies share it. What is in it
is believed of the very same plans only.
"""

import hashlib
import json
import os
from io import RawIOBase
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from errorflow import __version__
from errorflow.base.errors import FileError
from errorflow.base.files import is_file
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import plan_text
from errorflow.run.digests import digest_of_model
from errorflow.study.evaluate.evaluator import Answer, Evaluator
from errorflow.study.evaluate.model import Judgement
from errorflow.study.simulate.bench import Bench

NAME = ".errorflow-search-{}.journal"
VERSION = 1
MOST_LINE = 1 << 20
# The key of the float model.
ORIGINAL = "original"
_SHORT = 16


class Journal:
    """Use it as a context manager. `known` are answers by the keys of plans; those of an earlier search if `resume`."""

    def __init__(self, folder: Path, mark: str, *, resume: bool) -> None:
        self._mark = mark
        self._path = folder / NAME.format(mark[:_SHORT])
        self._file: RawIOBase | None = None
        self.known: dict[str, Answer] = self._earlier() if resume else {}

    @classmethod
    def is_kept(cls, folder: Path, mark: str) -> bool:
        """Whether there is anything to go on with."""
        return bool(cls(folder, mark, resume=True).known)

    def __enter__(self) -> Self:
        fresh = not self.known
        try:
            if fresh:
                self._path.unlink(missing_ok=True)
            self._file = self._path.open("xb" if fresh else "ab", buffering=0)
        except OSError as error:
            raise self._unwritten(error) from error
        # What an end in the middle of a line left behind must not swallow the next one.
        self._write(json.dumps(self._head()) if fresh else "")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, key: str, answer: Answer) -> None:
        """Written at once: what was evaluated survives the end of this process."""
        self.known[key] = answer
        judgement = answer.judgement
        row = [answer.value, judgement.good, judgement.loss, answer.seconds, answer.note, answer.raw]
        self._write(json.dumps([key, row]))

    def forget(self) -> None:
        """The results are safe: the file has served."""
        self._path.unlink(missing_ok=True)

    @property
    def path(self) -> Path:
        return self._path

    def _head(self) -> dict[str, object]:
        return {"errorflow": __version__, "version": VERSION, "searches": self._mark}

    def _write(self, line: str) -> None:
        assert self._file is not None
        try:
            self._file.write(f"{line}\n".encode())
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritten(error) from error

    def _unwritten(self, error: OSError) -> FileError:
        reason = str(error.strerror).lower()
        return FileError(
            f"Nothing could be written to {self._path.parent}: {reason}.", "Choose another folder, or free some space."
        )

    def _earlier(self) -> dict[str, Answer]:
        if self._path.is_symlink() or not is_file(self._path):
            return {}
        found: dict[str, Answer] = {}
        try:
            with self._path.open(encoding="utf-8") as file:
                if _parsed(file.readline(MOST_LINE)) != self._head():
                    return {}
                while line := file.readline(MOST_LINE):
                    match _parsed(line):
                        case [str(key), list(row)]:
                            found[key] = _answer(*row)
        except (OSError, OverflowError, TypeError, ValueError) as error:
            raise FileError(
                f"What an earlier search left in {self._path.name} cannot be read.", "Search again without --resume."
            ) from error
        return found


def _answer(value: Any, good: Any, loss: Any, seconds: Any, note: Any, raw: Any) -> Answer:
    judgement = Judgement(bool(good), float(loss))
    if raw is not None and not _is_numbers(raw):
        raise ValueError("no value of an evaluator")
    return Answer(float(value), judgement, float(seconds), str(note), raw)


def _is_numbers(raw: Any) -> bool:
    if isinstance(raw, list):
        return bool(raw) and all(map(_is_numbers, raw))
    return isinstance(raw, int | float) and not isinstance(raw, bool)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def key_of(plan: Plan) -> str:
    return hashlib.sha256(plan_text(plan).encode()).hexdigest()


def mark_of(bench: Bench, evaluator: Evaluator) -> str:
    """Changes with whatever changes an answer, but for the plan."""
    calibration = bench.calibration
    ranges = sorted((name, found.low, found.high) for name, found in calibration.ranges.items())
    given = sorted((name, repr(found)) for name, found in calibration.given.items())
    channels = sorted((name, repr(found)) for name, found in calibration.channels.items())
    said = (digest_of_model(bench.model.path), bench.data, ranges, given, channels, evaluator.name, evaluator.identity)
    return hashlib.sha256(repr(said).encode(errors="surrogatepass")).hexdigest()
