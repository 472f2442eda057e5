"""Strategies of the user's: a Python file with a class as AMCT takes it, in a process that can be stopped."""

from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import is_file
from errorflow.base.workers import Plain, Standing, WorkerError
from errorflow.study.evaluate.evaluator import EvaluatorError
from errorflow.study.search.flow import Next, asked_by_amct
from errorflow.study.search.own_serving import HOW, serve
from errorflow.study.search.space import Space
from errorflow.study.search.steps import Known, Steps, Strategy

TEXT = "The strategy"
SECONDS = 60.0
# A class that never ends would try the same forever.
_MOST = 100_000


def own_strategy(path: Path) -> Strategy:
    """Of a file; it is loaded when it is asked for the first time."""
    if not is_file(path):
        raise EvaluatorError(f"There is no strategy {path}.", "Check the path of the file.")
    return Strategy(str(path), path.name, "A strategy of your own.", partial(_run, path))


def _run(path: Path, space: Space, known: Known) -> Steps:
    process = Standing(serve, TEXT)
    file = str(path.absolute())
    ranking: Plain = [[part.name, score] for part, score in zip(space.parts, _rising(space), strict=True)]
    names = frozenset(part.name for part in space.parts)
    left = _MOST

    def update(good: bool, loss: float) -> Next:
        nonlocal left
        left -= 1
        found = _call(process, file, {"do": "update", "good": good, "loss": loss})
        unknown = [name for name in found["quantized"] if name not in names]
        if unknown or left < 0:
            what = f"names {unknown[0][:80]}, which is not in the ranking" if unknown else "does not come to an end"
            raise EvaluatorError(f"{path.name} {what}.", HOW)
        return Next(bool(found["stop"]), found["quantized"])

    try:
        _call(process, file, {"do": "begin", "ranking": ranking})
        yield from asked_by_amct(space, known, update)
    finally:
        process.stop()


def _rising(space: Space) -> list[float]:
    """AMCT's rankings are cosines: what is least is worst. Where ours are none, places stand for them."""
    scores = list(space.scores)
    is_rising = all(0 <= one <= other <= 1 for one, other in pairwise(scores)) and len(scores) == len(space)
    return scores if is_rising else [place / len(space) for place in range(len(space))]


def _call(process: Standing, file: str, request: dict[str, Any]) -> Any:
    plain: Plain = request
    try:
        return process.call(file, plain, timeout=SECONDS)
    except WorkerError as error:
        raise EvaluatorError(f"{TEXT} {error.message.removeprefix(TEXT).strip()}", error.hint) from error
    except ErrorflowError as error:
        raise EvaluatorError(error.message.replace("The evaluator", TEXT), HOW) from error
