"""Strategies of the user's: a Python file with a class as AMCT takes it, in a process that can be stopped."""

import inspect
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import is_file
from errorflow.base.workers import Plain, Standing, WorkerError
from errorflow.study.evaluate.evaluator import EvaluatorError
from errorflow.study.evaluate.own_file import imported, told
from errorflow.study.search.flow import Next, asked_by_amct
from errorflow.study.search.space import Space
from errorflow.study.search.steps import SearchKnowledge, Steps, Strategy

TEXT = "The strategy"
SECONDS = 60.0
# A class that never ends would try the same forever.
_MOST = 100_000


def own_strategy(path: Path) -> Strategy:
    """Makes a strategy of a file; it is loaded when it is first needed."""
    if not is_file(path):
        raise EvaluatorError(f"There is no strategy {path}.", "Check the path of the file.")
    return Strategy(str(path), path.name, "A strategy of your own.", partial(_run, path))


def _run(path: Path, space: Space, known: SearchKnowledge) -> Steps:
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


MODULE = "errorflow_strategy"
HOW = (
    "It must have a class with initialize(ranking) and update_quant_config(metric_eval), which gives a dict with "
    "stop_flag and roll_back_config."
)
# The one strategy of this process, once it was begun.
_begun: dict[str, Any] = {}


def serve(file: str, request: dict[str, Any]) -> dict[str, Plain]:
    """`begin` takes the ranking, `update` what was evaluated and gives what is next."""
    path = Path(file)
    if request["do"] == "begin":
        found = _class(path)
        with told(path):
            strategy = found()
            strategy.initialize(dict(map(tuple, request["ranking"])))
        _begun["strategy"] = strategy
        return {}
    with told(path):
        answer = _begun["strategy"].update_quant_config((bool(request["good"]), float(request["loss"])))
    return _checked(answer, path.name)


def _class(path: Path) -> type:
    module = imported(path, MODULE)
    own = [
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and callable(getattr(value, "update_quant_config", None))
        and callable(getattr(value, "initialize", None))
    ]
    if len(own) != 1:
        what = "no strategy" if not own else f"several strategies: {', '.join(each.__name__ for each in own)}"
        raise EvaluatorError(f"{path.name} has {what}.", HOW)
    return own[0]


def _checked(answer: Any, name: str) -> dict[str, Plain]:
    stop, quantized = (
        (answer.get(key) for key in ("stop_flag", "roll_back_config")) if isinstance(answer, dict) else (None, None)
    )
    if not isinstance(quantized, dict) or not all(isinstance(key, str) for key in quantized):
        raise EvaluatorError(f"{name} gave {str(answer)[:80]}, which says nothing of what to try next.", HOW)
    return {"stop": bool(stop), "quantized": {key: bool(value) for key, value in quantized.items()}}
