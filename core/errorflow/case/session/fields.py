"""Reads values that somebody may have written by hand: what is odd is left out and noted."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard, TypeVar, cast

T = TypeVar("T")
# Of a list or a mapping, and of a text.
MOST_ENTRIES, MOST_LETTERS = 100_000, 100_000


@dataclass(slots=True)
class Fields:
    """The entries of a JSON object."""

    rows: Mapping[str, Any]
    problems: list[str] = field(default_factory=list)
    # Where in the file they are, for the reader.
    where: str = ""

    @classmethod
    def of(cls, value: object, problems: list[str], where: str) -> "Fields":
        if isinstance(value, dict):
            return cls(value, problems, where)
        if value is not None:
            problems.append(f"{where} is left out: it should be an object.")
        return cls({}, problems, where)

    def inside(self, key: str) -> "Fields":
        return Fields.of(self.rows.get(key), self.problems, f"{self.where}{key}.")

    def text(self, key: str, otherwise: str = "") -> str:
        return str(self._read(key, otherwise, is_text, "a text"))

    def flag(self, key: str, otherwise: bool) -> bool:
        return bool(self._read(key, otherwise, lambda value: isinstance(value, bool), "true or false"))

    def number(self, key: str, otherwise: float) -> float:
        return float(self._read(key, otherwise, is_number, "a number"))

    def whole(self, key: str, otherwise: int) -> int:
        return int(self._read(key, otherwise, is_whole, "a whole number"))

    def choice(self, key: str, choices: Iterable[T], otherwise: T) -> T:
        allowed = tuple(choices)
        named = ", ".join(map(repr, allowed))
        return cast(T, self._read(key, otherwise, lambda value: value in allowed, f"one of {named}"))

    def entries(self, key: str, fits: Callable[[Any], bool], what: str) -> tuple[Any, ...]:
        """Of a list, those that fit."""
        return tuple(self._some(key, self._read(key, [], _is_list, "a list"), fits, what))

    def mapping(self, key: str, fits: Callable[[Any], bool], what: str) -> dict[str, Any]:
        """Of an object, the entries whose values fit."""
        rows = self._read(key, {}, _is_object, "an object")
        return dict(self._some(key, rows.items(), lambda entry: is_text(entry[0]) and fits(entry[1]), what))

    def _some(self, key: str, values: Iterable[Any], fits: Callable[[Any], bool], what: str) -> Iterable[Any]:
        for value in values:
            if fits(value):
                yield value
            else:
                self._note(f"an entry of {self.where}{key} is left out: it should be {what}.")

    def _read(self, key: str, otherwise: Any, fits: Callable[[Any], bool], what: str) -> Any:
        value = self.rows.get(key)
        if value is None:
            return otherwise
        if fits(value):
            return value
        self._note(f"{self.where}{key} is left out: it should be {what}.")
        return otherwise

    def _note(self, text: str) -> None:
        if text not in self.problems:
            self.problems.append(text)


def is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MOST_LETTERS


def is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31


def is_pair_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and len(value) == 2 and all(map(fits, value))


def _is_list(value: object) -> bool:
    return isinstance(value, list) and len(value) <= MOST_ENTRIES


def _is_object(value: object) -> bool:
    return isinstance(value, dict) and len(value) <= MOST_ENTRIES
