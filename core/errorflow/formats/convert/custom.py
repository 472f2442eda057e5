"""Converters that the user brings along: `DIR/format_convert/convert_A_to_B.py`, each with a function `convert`.

They are code and run as code: nothing loads them but the user's own `-c DIR`.
"""

import importlib.util
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FileError, dataclass
from errorflow.formats.convert.layouts import ConvertError, Shape

Array = NDArray[np.generic]
FOLDER = "format_convert"
MAX_FILE_BYTES = 1024 * 1024
MAX_FILES = 1000
_NAME = re.compile(r"(convert_[A-Za-z0-9_]{1,128}_to_[A-Za-z0-9_]{1,128})\.py")


@dataclass(frozen=True, slots=True)
class Converters:
    """The converters in a folder; it can be pickled, since it only knows where they are."""

    folder: str

    @classmethod
    def of(cls, folder: str | Path) -> "Converters":
        """Loads the converters in the folder that `-c` names; what cannot be loaded is one of the `problems`."""
        path = Path(folder).resolve()
        if not path.is_dir():
            raise FileError(f"There is no folder {folder}.", f"Give the folder that holds {FOLDER}/convert_A_to_B.py.")
        return cls(str(path))

    @property
    def problems(self) -> tuple[str, ...]:
        return _loaded(self.folder).problems

    def has(self, source: str, target: str) -> bool:
        return _key(source, target) in _loaded(self.folder).functions

    def run(self, array: Array, source: str, target: str, shape: Shape, groups: int) -> Array:
        """Runs the user's function; any failure of it is a `ConvertError`."""
        name = _key(source, target)
        function = _loaded(self.folder).functions[name]
        arguments: tuple[object, ...] = (list(array.shape), list(shape), array.reshape(-1))
        try:
            made = function(*arguments) if groups < 2 else function(*arguments, groups)
        except Exception as error:  # the user's own code may raise whatever it likes
            raise ConvertError(f"{name}.py failed: {error}.", "Correct the converter, or leave -c out.") from error
        if not isinstance(made, np.ndarray):
            raise ConvertError(f"{name}.py returned no array.", "`convert` must return a NumPy array.")
        return made


def _key(source: str, target: str) -> str:
    return f"convert_{source}_to_{target}"


@dataclass(frozen=True, slots=True)
class _Loaded:
    functions: Mapping[str, Callable[..., object]]
    problems: tuple[str, ...]


@cache
def _loaded(folder: str) -> _Loaded:
    functions: dict[str, Callable[..., object]] = {}
    problems: list[str] = []
    place = Path(folder) / FOLDER
    files = sorted(place.iterdir())[:MAX_FILES] if place.is_dir() else []
    for file in files:
        match = _NAME.fullmatch(file.name)
        if match is None:
            if file.is_file():
                problems.append(f"{file.name} is not called convert_A_to_B.py and was left out.")
            continue
        function = _function(file, match.group(1), problems)
        if function is not None:
            functions[match.group(1)] = function
    if not functions:
        problems.append(f"There is no converter in {place}.")
    return _Loaded(functions, tuple(problems))


def _function(file: Path, name: str, problems: list[str]) -> Callable[..., object] | None:
    try:
        module = _module(file, name)
    except Exception as error:  # noqa: BLE001 - the user's own code may raise whatever it likes
        problems.append(f"{file.name} could not be loaded: {error}.")
        return None
    function: Callable[..., object] | None = getattr(module, "convert", None)
    code = getattr(function, "__code__", None)
    wanted = 4 if "to_FRACTAL_Z" in name else 3
    if code is None or code.co_argcount != wanted:
        problems.append(f"{file.name} has no function convert with {wanted} arguments.")
        return None
    return function


def _module(file: Path, name: str) -> ModuleType:
    if file.stat().st_size > MAX_FILE_BYTES:
        raise ValueError("it is too large for a converter")
    spec = importlib.util.spec_from_file_location(f"errorflow_{FOLDER}_{name}", file)
    if spec is None or spec.loader is None:
        raise ValueError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
