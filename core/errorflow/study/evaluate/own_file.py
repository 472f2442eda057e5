"""A file of the user's with an evaluator: loaded and asked in a process of its own.

It has functions `evaluate(run)` and `good_enough(original, new)`, or a class with them, or a class as AMCT takes it:
`calibration(model…)`, `evaluate(model…)`, `metric_eval(original, new)`.
"""

import importlib.util
import inspect
import math
import numbers
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from errorflow.base.errors import ErrorflowError
from errorflow.base.values import dataclass
from errorflow.base.vendor import Rows
from errorflow.base.workers import Plain
from errorflow.study.evaluate.evaluator import EvaluatorError

MODULE = "errorflow_evaluator"
HOW = (
    "It must have functions evaluate(run) -> float and good_enough(original, new) -> (bool, loss), or a class with "
    "evaluate(model) and metric_eval(original, new)."
)
# Numbers that an evaluator may give at once, and lists within lists.
MOST_NUMBERS, MOST_DEPTH = 1000, 8


@dataclass(frozen=True, slots=True)
class LoadedEvaluator:
    """Functions that the file offers."""

    evaluate: Callable[..., Any]
    # None: the file has no rule of its own.
    rule: Callable[[Any, Any], Any] | None
    # Takes models in place of a run; how many arguments.
    models: int
    calibration: Callable[..., Any] | None
    higher_is_better: bool


def load(path: Path) -> LoadedEvaluator:
    module = imported(path, MODULE)
    found = _class(module)
    if found is not None:
        with told(path):
            return _of_object(found())
    evaluate = getattr(module, "evaluate", None)
    if not callable(evaluate):
        raise EvaluatorError(f"{path.name} has no evaluator.", HOW)
    rule = getattr(module, "good_enough", getattr(module, "metric_eval", None))
    return LoadedEvaluator(evaluate, rule if callable(rule) else None, 0, None, _higher(module))


def imported(path: Path, name: str) -> ModuleType:
    """The file as a module; it may import what lies beside it, and packages of vendors where they are not installed."""
    stand_in()
    folder = str(path.absolute().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.argv = [str(path)]
    name = _own_name(path, name)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise EvaluatorError(f"{path.name} is no Python file.", HOW)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with told(path):
        spec.loader.exec_module(module)
    return module


def _own_name(path: Path, other: str) -> str:
    """Names the file so that processes which it starts can import it as well; `other` where that name is taken."""
    name = path.stem
    if not name.isidentifier() or name in sys.modules:
        return other
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return other
    is_own = found is not None and found.origin is not None and Path(found.origin).absolute() == path.absolute()
    return name if is_own else other


class told:  # noqa: N801 - reads as the function that it is
    """Whatever the user's code ends in, as a sentence with the line of their file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if error is None or isinstance(error, ErrorflowError | MemoryError):
            return
        raise EvaluatorError(_sentence(self._path, error), _way_out(error)) from error


def _way_out(error: BaseException) -> str:
    """Says that what is missing can be installed, but not into an app that brings its own Python."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return ""
    package = error.name.partition(".")[0]
    if getattr(sys, "frozen", False):
        return f"The installed app brings its own Python. Install Errorflow with pip where {package} is."
    return f"Install {package} where Errorflow is, or put it beside the file."


def _sentence(path: Path, error: BaseException) -> str:
    with suppress(OSError, ValueError):  # the file may have closed where it prints
        traceback.print_exception(error)
    if isinstance(error, SyntaxError):
        where = "" if error.lineno is None else f" in line {error.lineno}"
        return f"{path.name} is no Python: {error.msg}{where}."
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).name == path.name]
    where = f" in line {own[-1].lineno} of {path.name}" if own else f" in {path.name}"
    text = str(error).strip().splitlines()
    what = f": {text[0][:300]}" if text else ""
    if isinstance(error, SystemExit):
        return f"The evaluator ended its own process{where}{what}."
    return f"The evaluator failed{where}: {type(error).__name__}{what}."


def _class(module: ModuleType) -> type | None:
    """The one of the file that evaluates; AMCT's before others."""
    own = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__ and callable(getattr(value, "evaluate", None))
    ]
    amct = [value for value in own if callable(getattr(value, "metric_eval", None))]
    found = amct if amct else [value for value in own if callable(getattr(value, "good_enough", None))]
    # A class that derives from another one of the file is the one that is meant.
    found = [value for value in found if not any(issubclass(other, value) and other is not value for other in found)]
    if len(found) > 1:
        names = ", ".join(value.__name__ for value in found)
        raise EvaluatorError(f"There are several evaluators in the file: {names}.", "Leave one in it.")
    return found[0] if found else None


def _of_object(found: Any) -> LoadedEvaluator:
    rule = getattr(found, "metric_eval", None)
    if callable(rule):
        calibration = getattr(found, "calibration", None)
        return LoadedEvaluator(
            found.evaluate,
            rule,
            _arguments(found.evaluate),
            calibration if callable(calibration) else None,
            _higher(found),
        )
    return LoadedEvaluator(found.evaluate, found.good_enough, 0, None, _higher(found))


def _higher(found: Any) -> bool:
    return bool(getattr(found, "higher_is_better", True))


def _arguments(function: Callable[..., Any]) -> int:
    """Counts the models that it takes: one, or with Caffe's file of weights two."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [each for each in inspect.signature(function).parameters.values() if each.kind in kinds]
    return max(1, sum(each.default is inspect.Parameter.empty for each in needed))


def plain_value(value: Any, name: str) -> Plain:
    """A number, or some of them: all that an evaluator may give."""
    return _plain(value, name, [])


def _plain(value: Any, name: str, seen: list[int], depth: int = 0) -> Plain:
    """`seen` grows with each list: one that holds itself has no end."""
    if isinstance(value, np.ndarray):
        _check_count(value.size, name)
        value = value.tolist()
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        _check_count(len(value), name)
        seen.append(len(value))
        _check_count(sum(seen), name)
        if depth == MOST_DEPTH:
            raise EvaluatorError(f"{name} gave lists within lists without end.", "Give one number.")
        return [_plain(each, name, seen, depth + 1) for each in value]
    return _number(value, name)


def _check_count(count: int, name: str) -> None:
    if not 0 < count <= MOST_NUMBERS:
        raise EvaluatorError(f"{name} gave {count:,} numbers.", "Give one.")


def _number(value: Any, name: str) -> float:
    if hasattr(value, "item") and callable(value.item):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise EvaluatorError(f"{name} gave {type(value).__name__} “{str(value)[:60]}”, no number.", HOW)
    try:
        return float(value)
    except OverflowError as error:
        raise EvaluatorError(f"{name} gave a number that is too large.", "Give one that a float can hold.") from error


def number_of(raw: Plain) -> float:
    """The first one: what a list, a curve or a table shows."""
    while isinstance(raw, list):
        raw = raw[0]
    return float(raw) if isinstance(raw, int | float) else math.nan


def judged(rule: Callable[[Any, Any], Any], original: Plain, new: Plain, name: str) -> tuple[bool, float]:
    """Judges by the user's rule, which may also answer with yes or no alone."""
    found = rule(_given(original), _given(new))
    good, loss = found if isinstance(found, tuple | list) and len(found) == 2 else (found, None)
    if isinstance(good, np.ndarray | np.generic) and good.size == 1:
        good = good.item()
    if not isinstance(good, bool) and not (isinstance(good, int) and good in (0, 1)):
        raise EvaluatorError(
            f"{name} answered {str(found)[:60]} to good_enough.", "Return (True, loss) or (False, loss)."
        )
    number = number_of(original) - number_of(new) if loss is None else number_of(plain_value(loss, name))
    return bool(good), number


def _given(raw: Plain) -> Any:
    return tuple(map(_given, raw)) if isinstance(raw, list) else raw


# Stands in for packages of vendors where they are not installed, so that a file with an evaluator for them loads.
#
# Only what such a file derives from is there; all else says that it is not installed when it is called.


@dataclass(frozen=True, slots=True)
class StandIn:
    """A vendor's packages that a file of the user's may import."""

    rank: ClassVar[int] = 0
    # As one calls what is to be installed.
    key: str
    # What the names of its packages begin with, and the names in them that are bases of classes.
    prefix: str
    bases: frozenset[str]


STAND_INS = Rows(StandIn, "stand_ins")


class _Base:
    """Base that evaluators, strategies and sensitivities derive from."""

    def __init__(self, *_: object, **__: object) -> None:
        self.result: dict[str, object] = {}
        self.set_flag = True
        self.last_acc_result: dict[str, object] = {}


class _Module(ModuleType):
    def __init__(self, name: str, row: StandIn) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self._row = row

    def __getattr__(self, name: str) -> Any:
        if name in self._row.bases:
            return type(name, (_Base,), {"__module__": self.__name__})
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self.__name__}.{name}", self._row.key)


class _Missing:
    """Stand-in for a name that is not there."""

    def __init__(self, name: str, package: str) -> None:
        self._name, self._package = name, package

    def __getattr__(self, name: str) -> "_Missing":
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self._name}.{name}", self._package)

    def __call__(self, *_: object, **__: object) -> None:
        raise ImportError(f"{self._name} was called, and {self._package} is not installed")


class _Finder(MetaPathFinder, Loader):
    def __init__(self) -> None:
        self._rows = tuple(STAND_INS)  # before the first import that asks for them

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - as finders are called
        target: ModuleType | None = None,  # noqa: ARG002 - as finders are called
    ) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        if self._row(top) is None:
            return None
        if "." not in fullname and PathFinder.find_spec(fullname) is not None:
            return None
        is_ours = "." not in fullname or isinstance(sys.modules.get(top), _Module)
        return ModuleSpec(fullname, self, is_package=True) if is_ours else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        row = self._row(spec.name)
        assert row is not None, "it was found"
        return _Module(spec.name, row)

    def _row(self, name: str) -> StandIn | None:
        return next((row for row in self._rows if name.startswith(row.prefix)), None)

    def exec_module(self, module: ModuleType) -> None:
        """Does nothing: the module is empty."""


def stand_in() -> None:
    """Makes packages of vendors importable in this process from now on, installed or not."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
