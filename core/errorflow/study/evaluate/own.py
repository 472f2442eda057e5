"""Evaluators of the user's: a Python file, asked in a process that can be stopped at any moment."""

import contextlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from errorflow.base.errors import ErrorflowError, FileError
from errorflow.base.files import write_atomic
from errorflow.base.progress import SILENT, Progress
from errorflow.base.workers import Plain, Standing, WorkerError
from errorflow.run.model import Array
from errorflow.study.evaluate.evaluator import Answer, EvaluatorError, Run
from errorflow.study.evaluate.model import Judgement, Rule
from errorflow.study.evaluate.own_imports import digest_of
from errorflow.study.evaluate.own_run import ASKED, DONE, FACTS, INPUTS, MODEL, OUTPUTS, REFERENCE
from errorflow.study.evaluate.own_serving import serve

TEXT = "The evaluator"
# Seconds that one evaluation may take, without what we need to make the values for it.
SECONDS = 3600.0
MEMORY = 64 << 30
# What it may print during one call.
MOST_LOG = 256 << 20
# What was asked for is followed by so many samples that nobody asked for yet …
_AHEAD = 32
# … as long as not so many seconds went by: who waits wants to be heard.
_PATIENCE = 0.2
# Beyond all that an evaluation may take: we stop it before.
_NEVER = 365 * 86400.0


class Own:
    """One file, and the process in which it runs. Use it from one thread at a time.

    `limits` holds in place of a rule of the file, and where it has none. `labels`: one per sample of the runs.
    `begins`: whether the log is begun anew when it is asked for the first time; others go on with it.
    """

    def __init__(
        self,
        file: Path,
        log: Path,
        limits: Rule | None = None,
        labels: Sequence[int] | None = None,
        seconds: float = SECONDS,
        *,
        begins: bool = True,
    ) -> None:
        self._file, self._log, self._limits = file.absolute(), log.absolute(), limits
        self._labels = None if labels is None else list(labels)
        self._seconds = seconds
        # Of the file and what it imports from beside it.
        self.digest = digest_of(file)
        self._begins = begins
        self._process = Standing(serve, TEXT, MEMORY, MEMORY, family=True)
        self._is_first = True
        self._opened: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        return self._file.name

    @property
    def limits(self) -> Rule | None:
        return self._limits

    def higher_is_better(self, progress: Progress = SILENT) -> bool:
        return bool(self._facts(progress)["higher"])

    def check(self, progress: Progress = SILENT) -> None:
        """Raises where the file cannot be asked, or nothing says what is good enough."""
        if not self._facts(progress)["rule"] and self._limits is None:
            raise EvaluatorError(
                f"{self.name} does not say what is good enough.",
                "Give it a function good_enough(original, new) -> (bool, loss), or say it with --max-drop 0.01.",
            )

    def ask(self, run: Run, original: Answer | None, progress: Progress = SILENT) -> Answer:
        """What it says of a run. `original`: what it said of the float model; None: this is that."""
        started = time.monotonic()
        higher = self.higher_is_better(progress)
        with TemporaryDirectory(prefix="errorflow-") as place:
            folder = Path(place)
            write_atomic(folder / FACTS, json.dumps({"names": _names(run), "labels": self._labels}))
            request = {"do": "evaluate", "original": None if original is None else original.raw}
            found = self._call(folder, request | {"first": self._is_first}, _Serving(run, folder, progress, self))
            self._is_first = False
        value, raw = float(found["value"]), found["raw"]
        judgement = self._judged(found, value, value if original is None else original.value, higher)
        note = f"The evaluator gave {value}, which is no number." if math.isnan(value) else ""
        return Answer(value, judgement, time.monotonic() - started, note, raw)

    def _judged(self, found: Mapping[str, Any], value: float, original: float, higher: bool) -> Judgement:
        if self._limits is not None:
            return self._limits.judged(original, value, higher)
        # No number is never good, whatever a comparison with it says.
        return Judgement(bool(found["good"]) and not math.isnan(value), float(found["loss"]))

    def edge(self, original: Answer, worst: Answer, progress: Progress = SILENT) -> float:
        if self._limits is not None:
            return self._limits.edge(original.value, self.higher_is_better(progress))
        request = {"do": "edge", "original": original.raw, "worst": worst.raw}
        return float(self._call(Path(), request, _Timed(progress, self))["edge"])

    def close(self) -> None:
        self._process.stop()

    @property
    def seconds(self) -> float:
        return self._seconds

    @property
    def log(self) -> Path:
        return self._log

    def _facts(self, progress: Progress) -> Mapping[str, Any]:
        if self._opened is None:
            self._opened = self._call(Path(), {"do": "open"}, _Timed(progress, self))
        return self._opened

    def _call(self, folder: Path, request: dict[str, Any], progress: Progress) -> Mapping[str, Any]:
        plain: Plain = request
        if self._begins:
            self._begins = False
            with contextlib.suppress(OSError):  # what cannot go is written on
                self._log.unlink(missing_ok=True)
        try:
            found: Any = self._process.call(
                str(self._file), str(folder), str(self._log), plain, progress=progress, timeout=_NEVER
            )
        except WorkerError as error:
            self._is_first = True
            message = error.message.removeprefix(f"{TEXT} ")
            raise EvaluatorError(f"{TEXT} {self.name} {message}", f"What it printed is in {self._log}.") from error
        except ErrorflowError as error:
            if type(error) is not ErrorflowError:
                raise
            hint = f"{error.hint} What it printed is in {self._log}."
            raise EvaluatorError(error.message, hint.lstrip()) from error
        return dict(found)


class _Timed:
    """Goes on telling how far it is, and stops what takes too long."""

    def __init__(self, progress: Progress, own: Own) -> None:
        self._progress, self._own = progress, own
        self._deadline = time.monotonic() + own.seconds
        self._before = _size(own.log)

    def step(self, done: int, total: int, text: str) -> None:
        self._progress.step(done, total, text)
        if time.monotonic() > self._deadline:
            raise EvaluatorError(
                f"{TEXT} {self._own.name} took longer than {self._own.seconds:g} seconds and was stopped.",
                "Give it more with --time-limit SECONDS, or have it look at fewer samples.",
            )
        if _size(self._own.log) - self._before > MOST_LOG:
            raise EvaluatorError(f"{TEXT} {self._own.name} prints without end and was stopped.", "Print less.")

    def allow(self, seconds: float) -> None:
        self._deadline += seconds


class _Serving:
    """Makes what the evaluator asks for while it waits, and what it will probably ask for next."""

    def __init__(self, run: Run, folder: Path, progress: Progress, own: Own) -> None:
        self._run, self._folder, self._progress = run, folder, progress
        self._timed = _Timed(progress, own)
        self._asked: tuple[str, int] | None = None
        # The kind that is made ahead, and which samples of it are still to be made.
        self._kind, self._next, self._last = "", 0, 0

    def step(self, done: int, total: int, text: str) -> None:
        self._timed.step(done, total, text)
        started = time.monotonic()
        self._take()
        while self._next < self._last and time.monotonic() - started < _PATIENCE:
            self._make(self._kind, self._next)
            self._next += 1
            self._take()
        self._timed.allow(time.monotonic() - started)

    def _take(self) -> None:
        """What was asked for last."""
        try:
            what, sample = json.loads((self._folder / ASKED).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        if (what, sample) == self._asked:
            return
        self._asked = what, int(sample)
        self._kind, self._next = str(what), int(sample)
        self._last = 1 if what == MODEL else min(self._next + _AHEAD, self._run.count)

    def _make(self, what: str, sample: int) -> None:
        done = self._folder / f"{what}-{sample}.{DONE}"
        if done.exists():
            return
        if what == MODEL:
            found: dict[str, Any] = {"path": str(self._run.model(self._folder, self._progress).absolute())}
        else:
            found = {"files": self._written(what, sample, self._values(what, sample))}
        write_atomic(done, json.dumps(found))

    def _values(self, what: str, sample: int) -> Mapping[str, Array]:
        if what == OUTPUTS:
            return self._run.values(sample, self._progress)
        if what == REFERENCE:
            return self._run.reference(sample, self._progress)
        assert what == INPUTS
        return self._run.fed(sample)

    def _written(self, what: str, sample: int, arrays: Mapping[str, Array]) -> dict[str, str]:
        files = {name: f"{what}-{sample}-{place}.npy" for place, name in enumerate(arrays)}
        try:
            for name, file in files.items():
                np.save(self._folder / file, arrays[name], allow_pickle=False)
        except OSError as error:
            raise FileError("There is no room for the values of the evaluator.", "Free some space.") from error
        return files


def _names(run: Run) -> list[str]:
    return [run.name(sample) for sample in range(run.count)]


def _size(log: Path) -> int:
    return log.stat().st_size if log.is_file() else 0
