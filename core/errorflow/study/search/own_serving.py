"""The process that a strategy of the user's runs in: a class as AMCT takes it, with its state from call to call."""

import inspect
from pathlib import Path
from typing import Any

from errorflow.base.workers import Plain
from errorflow.study.evaluate.evaluator import EvaluatorError
from errorflow.study.evaluate.own_file import imported, told

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
