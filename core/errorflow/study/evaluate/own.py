"""Evaluators of the user's: a Python file, asked in a process that can be stopped at any moment."""

import ast
import contextlib
import hashlib
import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from errorflow.base.errors import ErrorflowError, FileError
from errorflow.base.files import Source, is_file, write_atomic
from errorflow.base.progress import SILENT, Progress
from errorflow.base.workers import Plain, Standing, WorkerError
from errorflow.run.model import Array
from errorflow.study.evaluate.evaluator import Answer, EvaluatedRun, EvaluatorError
from errorflow.study.evaluate.model import AcceptRule, Judgement
from errorflow.study.evaluate.own_file import LoadedEvaluator, judged, load, number_of, plain_value, told

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


class OwnEvaluator:
    """One file, and the process in which it runs. Use it from one thread at a time.

    `limits` holds in place of a rule of the file, and where it has none. `labels`: one per sample of the runs.
    `begins`: whether the log is begun anew when it is asked for the first time; others go on with it.
    """

    def __init__(
        self,
        file: Path,
        log: Path,
        limits: AcceptRule | None = None,
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
    def limits(self) -> AcceptRule | None:
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

    def ask(self, run: EvaluatedRun, original: Answer | None, progress: Progress = SILENT) -> Answer:
        """Evaluates a run. `original`: its answer for the float model; None: this is that."""
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

    def __init__(self, progress: Progress, own: OwnEvaluator) -> None:
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

    def __init__(self, run: EvaluatedRun, folder: Path, progress: Progress, own: OwnEvaluator) -> None:
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
        """Takes the newest question."""
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


def _names(run: EvaluatedRun) -> list[str]:
    return [run.name(sample) for sample in range(run.count)]


def _size(log: Path) -> int:
    return log.stat().st_size if log.is_file() else 0


# Of a file that imports others, and of all of them.
_MOST_BYTES, _MOST_FILES = 16 << 20, 1000
# Longer ones are no names of modules.
_MOST_NAME = 200


def digest_of(file: Path) -> str:
    """Changes with the file and with each one beside it that it imports, at its top or later, or through others."""
    digest = hashlib.sha256()
    folder = file.absolute().parent
    for each in (file, *sorted(_imported(file.absolute()))):
        if each != file:
            digest.update(each.relative_to(folder).as_posix().encode(errors="surrogatepass"))
        with Source(each) as source:
            for piece in source.pieces():
                digest.update(piece)
    return digest.hexdigest()


def _imported(file: Path) -> set[Path]:
    """Finds imported files in its folder and below."""
    seen = {file}
    left = [file]
    while left and len(seen) < _MOST_FILES:
        at = left.pop()
        found = {each for name in _own_imports_names(at, file.parent) for each in _files(file.parent, name)} - seen
        seen |= found
        left += found
    return seen - {file}


def _own_imports_names(file: Path, root: Path) -> Iterator[str]:
    """Yields names of modules, from `root` on; any text that could be one is taken for one, as `import_module` does."""
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(part for part in (_package(file, root, node.level), node.module) if part)
            yield start
            yield from (f"{start}.{alias.name}".lstrip(".") for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= _MOST_NAME:
            yield node.value


def _parsed(file: Path) -> ast.AST:
    """Parses a file; what is no Python has nothing: that is told when it is loaded."""
    try:
        with Source(file) as source:
            return ast.parse(source.read(0, min(source.size, _MOST_BYTES)))
    except (FileError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _package(file: Path, root: Path, level: int) -> str:
    """The one that a relative import begins at."""
    inside = file.parent.relative_to(root).parts
    return ".".join(inside[: len(inside) - level + 1]) if 0 < level <= len(inside) + 1 else ""


def _files(root: Path, name: str) -> Iterator[Path]:
    """The module, and the packages around it, as far as they are there."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return
    for count in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:count])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if is_file(file):
                yield file


# Halvings on the way to the worst value that is good enough: as fine as numbers are.
_HALVINGS = 50


def serve(file: str, folder: str, log: str, request: dict[str, Any]) -> dict[str, Plain]:
    """`open` says what is in the file, `evaluate` asks it about the run in the folder, `edge` about its rule."""
    path = Path(file)
    # What loads data with processes of its own, as many test sets do, may start them.
    multiprocessing.process.current_process().daemon = False
    with _logged(Path(log)):
        loaded = _loaded(path)
        if request["do"] == "open":
            return {"rule": loaded.rule is not None, "higher": loaded.higher_is_better, "models": loaded.models}
        if request["do"] == "edge":
            return {"edge": _edge(loaded, path, request["original"], request["worst"])}
        return _evaluated(loaded, path, OwnRun(Path(folder)), request)


@lru_cache(maxsize=1)
def _loaded(path: Path) -> LoadedEvaluator:
    return load(path)


# Seconds between two looks.
_LOOK = 0.002
FACTS, ASKED, DONE, FAILED = "run.json", "asked.json", "done", "failed"
OUTPUTS, REFERENCE, INPUTS, MODEL = "outputs", "reference", "inputs", "model"


class OwnRun:
    """One run of the model on all samples.

    `run.outputs(i)`, `run.reference(i)` and `run.inputs(i)` are arrays by name, of this run, of the float model, and
    what both were fed with. `run.samples` are their numbers, `run.names` their names, `run.labels` the right answers,
    None if there are none. `run.model` is the path of an ONNX file that does the same.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        self.names: tuple[str, ...] = tuple(facts["names"])
        self.labels: tuple[int, ...] | None = None if facts["labels"] is None else tuple(facts["labels"])

    @property
    def samples(self) -> range:
        return range(len(self.names))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[dict[str, Array]]:
        """The outputs, sample by sample."""
        return (self.outputs(sample) for sample in self.samples)

    def outputs(self, sample: int) -> dict[str, Array]:
        return self._arrays(OUTPUTS, sample)

    def reference(self, sample: int) -> dict[str, Array]:
        return self._arrays(REFERENCE, sample)

    def inputs(self, sample: int) -> dict[str, Array]:
        return self._arrays(INPUTS, sample)

    @property
    def model(self) -> str:
        found = self._waited(MODEL, 0)
        return str(found["path"])

    def _arrays(self, what: str, sample: int) -> dict[str, Array]:
        number = range(len(self.names))[sample]
        found: Mapping[str, str] = self._waited(what, number)["files"]
        return {name: np.load(self._folder / file, allow_pickle=False) for name, file in found.items()}

    def _waited(self, what: str, sample: int) -> Any:
        """Waits until a result is there."""
        place = self._folder / f"{what}-{sample}.{DONE}"
        if not place.exists():
            write_atomic(self._folder / ASKED, json.dumps([what, sample]))
        while not place.exists():
            time.sleep(_LOOK)
        return json.loads(place.read_text(encoding="utf-8"))


def _evaluated(loaded: LoadedEvaluator, path: Path, run: OwnRun, request: dict[str, Any]) -> dict[str, Plain]:
    with told(path):
        if loaded.models:
            model = [run.model] * loaded.models
            if request["first"] and loaded.calibration is not None:
                loaded.calibration(*model)
            found = loaded.evaluate(*model)
        else:
            found = loaded.evaluate(run)
        raw = plain_value(found, path.name)
    answer: dict[str, Plain] = {"raw": raw, "value": number_of(raw), "good": None, "loss": math.nan}
    if loaded.rule is not None:
        original = raw if request["original"] is None else request["original"]
        with told(path):
            answer["good"], answer["loss"] = judged(loaded.rule, original, raw, path.name)
    return answer


def _edge(loaded: LoadedEvaluator, path: Path, original: Plain, worst: Plain) -> float:
    """Finds between a good value and a bad one the last that is good."""
    if loaded.rule is None or not isinstance(original, float) or not isinstance(worst, float):
        return math.nan
    with told(path):
        good, bad = original, worst
        if not judged(loaded.rule, original, good, path.name)[0] or judged(loaded.rule, original, bad, path.name)[0]:
            return math.nan
        for _ in range(_HALVINGS):
            middle = (good + bad) / 2
            if judged(loaded.rule, original, middle, path.name)[0]:
                good = middle
            else:
                bad = middle
    return good


@contextlib.contextmanager
def _logged(log: Path) -> Iterator[None]:
    """Sends what is printed from here on, also by libraries, to the end of the file."""
    try:
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise FileError(f"{log} could not be written.", "Choose another folder.") from error
    for number in (1, 2):
        if target != number:
            os.dup2(target, number)
    if target > 2:  # the user's code may have closed the outputs, so that it is one of them
        os.close(target)
    sys.stdout, sys.stderr = _open(sys.stdout, 1), _open(sys.stderr, 2)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, OSError, ValueError):  # whatever the user's code made of it
                stream.flush()


def _open(stream: Any, number: int) -> Any:
    """Opens a stream that prints at once; another one where the user's code closed it."""
    if stream is None or getattr(stream, "closed", False):
        return os.fdopen(number, "w", 1, "utf-8", "backslashreplace", closefd=False)
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    return stream
