"""The process that an evaluator of the user's runs in: what it prints goes to a log, what it gives goes back."""

import contextlib
import math
import multiprocessing
import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from errorflow.base.errors import FileError
from errorflow.base.workers import Plain
from errorflow.study.evaluate.own_file import Loaded, judged, load, number_of, plain_value, told
from errorflow.study.evaluate.own_run import Run

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
        return _evaluated(loaded, path, Run(Path(folder)), request)


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Loaded:
    return load(path)


def _evaluated(loaded: Loaded, path: Path, run: Run, request: dict[str, Any]) -> dict[str, Plain]:
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


def _edge(loaded: Loaded, path: Path, original: Plain, worst: Plain) -> float:
    """Between a good value and a bad one the last that is good."""
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
    """What is printed from here on, also by libraries, goes to the end of the file."""
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
    """One that what is printed goes to at once; another one where the user's code closed it."""
    if stream is None or getattr(stream, "closed", False):
        return os.fdopen(number, "w", 1, "utf-8", "backslashreplace", closefd=False)
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    return stream
