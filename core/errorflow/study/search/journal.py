"""Journal of evaluations, line by line in a file, so that a search that was interrupted goes on where it was.

Its name and first line say of which model, samples, ranges and evaluator it speaks; strategies share it. What is in it
is believed of the very same plans only.
"""

import hashlib
from pathlib import Path
from typing import Any

from errorflow import __version__
from errorflow.base.errors import FileError
from errorflow.base.journal import JournalFile
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import plan_text
from errorflow.run.digests import digest_of_model
from errorflow.study.evaluate.evaluator import Answer, Evaluator
from errorflow.study.evaluate.model import Judgement
from errorflow.study.simulate.bench import Bench

NAME = ".errorflow-search-{}.journal"
VERSION = 1
# The key of the float model.
ORIGINAL = "original"
_SHORT = 16


class SearchJournal(JournalFile[str, Answer]):
    """Answers by the keys of plans; those of an earlier search if `resume`."""

    def __init__(self, folder: Path, mark: str, *, resume: bool) -> None:
        head = {"errorflow": __version__, "version": VERSION, "searches": mark}
        super().__init__(folder / NAME.format(mark[:_SHORT]), head, resume=resume, is_synced=True)

    @classmethod
    def is_kept(cls, folder: Path, mark: str) -> bool:
        """Whether there is anything to go on with."""
        return bool(cls(folder, mark, resume=True).known)

    def add(self, key: str, answer: Answer) -> None:
        """Written at once: what was evaluated survives the end of this process."""
        self.known[key] = answer
        judgement = answer.judgement
        self.write([key, [answer.value, judgement.good, judgement.loss, answer.seconds, answer.note, answer.raw]])

    def entry_of(self, line: Any) -> tuple[str, Answer] | None:
        match line:
            case [str(key), list(row)]:
                return key, _answer(*row)
        return None

    def unreadable(self) -> FileError:
        return FileError(
            f"What an earlier search left in {self.path.name} cannot be read.", "Search again without --resume."
        )


def _answer(value: Any, good: Any, loss: Any, seconds: Any, note: Any, raw: Any) -> Answer:
    judgement = Judgement(bool(good), float(loss))
    if raw is not None and not _is_numbers(raw):
        raise ValueError("no value of an evaluator")
    return Answer(float(value), judgement, float(seconds), str(note), raw)


def _is_numbers(raw: Any) -> bool:
    if isinstance(raw, list):
        return bool(raw) and all(map(_is_numbers, raw))
    return isinstance(raw, int | float) and not isinstance(raw, bool)


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
