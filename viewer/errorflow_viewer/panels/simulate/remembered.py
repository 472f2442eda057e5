"""What was given for a model at other times, as the settings keep it. Rubbish counts as nothing remembered."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from errorflow.base.files import is_file, is_folder
from errorflow.run.samples.asked import Asked, Pictures

# Of samples that were given before, so many are offered again.
MOST = 6
_LAYOUTS, _COLOURS = ("", "NCHW", "NHWC"), ("rgb", "bgr")


@dataclass(frozen=True, slots=True)
class Remembered:
    """`paths`: newest first."""

    paths: tuple[tuple[str, ...], ...] = ()
    dims: Mapping[str, int] = field(default_factory=dict)
    pictures: Pictures = field(default_factory=Pictures)

    def with_asked(self, asked: Asked) -> "Remembered":
        others = tuple(each for each in self.paths if each != asked.paths)
        paths = (asked.paths, *others)[:MOST] if asked.paths else self.paths
        return replace(self, paths=paths, dims={**self.dims, **asked.dims}, pictures=asked.pictures)

    def still_there(self) -> "Remembered":
        """Without samples of which a part is gone; to be asked in the background."""
        kept = (each for each in self.paths if all(is_file(path) or is_folder(path) for path in map(Path, each)))
        return replace(self, paths=tuple(kept))

    def rows(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "paths": [list(each) for each in self.paths],
            "dims": dict(self.dims),
            "pictures": asdict(self.pictures),
        }


def remembered(rows: object) -> Remembered:
    """Of rows that JSON gave."""
    if not isinstance(rows, dict):
        return Remembered()
    paths = tuple(tuple(each) for each in _list(rows.get("paths")) if _are_texts(each))
    dims = rows.get("dims")
    given = dims if isinstance(dims, dict) else {}
    sizes = {name: size for name, size in given.items() if type(size) is int and size > 0}
    return Remembered(paths[:MOST], sizes, _pictures(rows.get("pictures")))


def _pictures(rows: object) -> Pictures:
    if not isinstance(rows, dict):
        return Pictures()
    layout, colour, resize = (rows.get(key) for key in ("layout", "colour", "resize"))
    return Pictures(
        _numbers(rows.get("mean")),
        _numbers(rows.get("std")),
        str(layout) if layout in _LAYOUTS else "",
        str(colour) if colour in _COLOURS else "rgb",
        resize if isinstance(resize, str) else "",
    )


def _numbers(value: object) -> tuple[float, ...]:
    numbers = _list(value)
    return tuple(map(float, numbers)) if all(type(each) in (int, float) for each in numbers) else ()


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)
