"""Columns of the user's own: `DIR/algorithm/alg_NAME.py`, each with a function `compare(mine, golden, args)`.

They are code and run as code, but only when the user passes `-c DIR`, and then in a process of their own: whatever
they do to it becomes the remark in their cell. They get what msaccucmp gives them and must return two texts.
"""

import importlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.errors import ErrorflowError, FileError, UsageError
from errorflow.metrics.msaccucmp import COLUMNS, FAILED, NO_BOOL, NOT_COMPUTED, Cell, Cells, is_scalar
from errorflow.progress import SILENT, Progress
from errorflow.workers import run_apart

FOLDER = "algorithm"
MAX_FILES = 1000
NO_TEXT = "The return value (%s) of 'compare' in '%s' is not string. Please check the return value."
_NAME = re.compile(r"alg_([A-Za-z0-9_]{1,128})\.py")
Options = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class CustomColumn:
    """It can be pickled, since it only knows where its code is."""

    name: str
    folder: str


class ShapeType(Enum):
    """As the tool tells its algorithms; it only ever uses the first and the last."""

    Scalar = 0
    Vector = 1
    Matrix = 2
    Tensor = 3


class Arguments(SimpleNamespace):
    """What an algorithm gets as its third argument: paths, the kind of shape and its options, as attributes."""

    def get(self) -> dict[str, Any]:
        return self.__dict__

    def get_dict(self) -> dict[str, Any]:
        return self.__dict__


@dataclass(frozen=True, slots=True)
class Call:
    """One pair as the user's functions get it."""

    mine: NDArray[Any]
    golden: NDArray[Any]
    shape: Sequence[int]
    my_path: str
    golden_path: str
    maximum: int | None = None
    options: Options = field(default_factory=dict)


def custom_columns(folder: str | Path) -> tuple[CustomColumn, ...]:
    """Those in the folder that `-c` names, by name; their code is not looked at."""
    path = Path(folder).resolve()
    if not path.is_dir():
        raise FileError(f"There is no folder {folder}.", f"Give the folder that holds {FOLDER}/alg_NAME.py.")
    place = path / FOLDER
    files = sorted(place.iterdir())[:MAX_FILES] if place.is_dir() else []
    names = (match.group(1) for file in files if file.is_file() and (match := _NAME.fullmatch(file.name)))
    return tuple(CustomColumn(name, str(path)) for name in names)


def options(text: str) -> Options:
    """What `-a` says: `alg:name=value,name=value;alg2:…`; a built-in algorithm may be given by its number."""
    found: dict[str, dict[str, str]] = {}
    for part in text.split(";"):
        if part.strip():
            name, separator, rest = part.partition(":")
            if not name.strip() or not separator or ":" in rest:
                raise _wrong(part)
            found.setdefault(_by_name(name.strip()), {}).update(_pairs(rest, part))
    return found


def custom_cells(columns: Sequence[CustomColumn], call: Call, progress: Progress = SILENT) -> Cells:
    """What the user's functions say of one pair, all in one process; if it dies, every cell says so."""
    if not columns:
        return Cells({})
    x, y = (side.reshape(-1)[: call.maximum if call.maximum else None] for side in (call.mine, call.golden))
    if x.dtype == np.bool_ and y.dtype == np.bool_:
        names = [column.name for column in columns]
        return Cells(dict.fromkeys(names, NOT_COMPUTED), tuple(NO_BOOL % name for name in names))
    try:
        rows = _run(columns, x, y, call, progress)
    except ErrorflowError as error:
        rows = [[NOT_COMPUTED, FAILED % (column.name, error.message)] for column in columns]
    return Cells.of({column.name: Cell(*row) for column, row in zip(columns, rows, strict=True)})


def _run(
    columns: Sequence[CustomColumn], x: NDArray[Any], y: NDArray[Any], call: Call, progress: Progress
) -> list[list[str]]:
    with np.errstate(all="ignore"):
        mine, golden = (side.astype(np.float32).tobytes() for side in (x, y))
    facts: dict[str, Any] = {
        "my_path": call.my_path,
        "golden_path": call.golden_path,
        "scalar": is_scalar(call.shape),
        "options": {name: dict(given) for name, given in call.options.items()},
    }
    # The folder of each, since a column knows its own.
    places: list[Any] = [[column.name, column.folder] for column in columns]
    found: Any = run_apart(compute, places, mine, golden, facts, text="A custom algorithm", progress=progress)
    return [[str(value), str(message)] for value, message in found]


def compute(places: list[Any], mine: bytes, golden: bytes, facts: dict[str, Any]) -> list[Any]:
    """Runs in a process of its own: value and remark of each column."""
    arrays = [np.frombuffer(data, np.float32).copy() for data in (mine, golden)]
    np.seterr(divide="ignore", invalid="ignore")
    return [_value(name, folder, arrays, facts) for name, folder in places]


def _value(name: str, folder: str, arrays: list[NDArray[Any]], facts: dict[str, Any]) -> list[Any]:
    arguments = Arguments(
        **{
            **facts["options"].get(name, {}),
            "my_output_dump_file": facts["my_path"],
            "ground_truth_dump_file": facts["golden_path"],
            "shape_type": ShapeType.Scalar if facts["scalar"] else ShapeType.Tensor,
        }
    )
    try:
        value, message = _function(name, folder)(*arrays, arguments)
        for text in (value, message):
            if not isinstance(text, str):
                raise TypeError(NO_TEXT % (text, name))
    except Exception as error:  # noqa: BLE001 - the user's own code may raise whatever it likes
        return [NOT_COMPUTED, FAILED % (name, error)]
    return [value, message]


def _function(name: str, folder: str) -> Any:
    if folder not in sys.path:
        # Last, as the tool does it: a file of the user's must not stand in for a library.
        sys.path.append(folder)
    return importlib.import_module(f"{FOLDER}.alg_{name}").compare


def _by_name(word: str) -> str:
    return next((column.name for column in COLUMNS if word == str(column.number)), word)


def _pairs(text: str, part: str) -> dict[str, str]:
    found = {}
    for item in text.split(","):
        if item.strip():
            name, separator, value = (word.strip() for word in item.partition("="))
            if not name or not separator or not value or "=" in value:
                raise _wrong(part)
            found[name] = value
    return found


def _wrong(part: str) -> UsageError:
    return UsageError(f"“{part.strip()}” is no option of an algorithm.", "Write algorithm:name=value,name=value;…")
