"""Codec of what is saved, as values that JSON knows and back, by the types of dataclasses' fields.

A `Codec` is strict, an `OddError` says what is odd and where; or it is given a list of notes, and leaves out what is
odd: the default stands in its place, and a note says so. What it does not know is passed over.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sized
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from errorflow.base.errors import ErrorflowError, FormatError, WrongFileError
from errorflow.base.files import Source
from errorflow.base.values import MISSING, Field, dataclass, field, fields, is_dataclass

T = TypeVar("T")
# Of a list or a mapping, of a text, and of what is noted of one file.
MOST_ENTRIES, MOST_LETTERS, MOST_NOTES = 100_000, 100_000, 200
# The only key of an object that stands for a number that JSON has no form for.
NUMBER = "number"
_NUMBERS = ("nan", "inf", "-inf")
_DEEPEST = 200
_SCALARS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
_AS_THEY_ARE = frozenset((str, bool, int, NoneType))


@dataclass(frozen=True, slots=True)
class Between:
    """Marks a number that is finite and from `least` to `most`."""

    least: float = -math.inf
    most: float = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Most:
    """Marks a list or mapping of so many entries at most."""

    count: int


EACH, _FILE = "each", "file"
# A list or mapping whose odd entries are left out one by one; of others, one odd entry spoils all.
Each = Annotated[T, EACH]
# A text that names a file, which is written as a path is.
FileName = Annotated[str, _FILE]
Finite = Annotated[float, Between(most=math.inf)]


class OddError(ValueError):
    """A value that is not what it should be."""


@dataclass(frozen=True, slots=True)
class Form:
    """Form of values that are not written field by field; `read` is told where it stands, too."""

    plain: Callable[[Any], Any]
    read: Callable[[Any, str], Any]


@dataclass(frozen=True, slots=True)
class Codec:
    """`forms` by their types. `is_brief`: fields that are as they are at first are not written. `is_closed`: a field
    that is not known is odd, and one that is null.
    """

    forms: Mapping[Any, Form] = field(default_factory=dict)
    is_brief: bool = False
    is_closed: bool = False

    def plain(self, value: Any) -> Any:
        """Makes values that JSON knows."""
        kind = type(value)
        if kind in _AS_THEY_ARE:
            return value
        if kind is float:
            return value if math.isfinite(value) else {NUMBER: str(value)}
        form = self.forms.get(Path if isinstance(value, Path) else kind)
        if form is not None:
            return form.plain(value)
        if is_dataclass(kind):
            return self._plain_fields(kind, value)
        if isinstance(value, Mapping):
            return {str(key): self.plain(entry) for key, entry in value.items()}
        if isinstance(value, frozenset | set):
            value = sorted(value)
        if hasattr(value, "tolist"):  # of numpy, which is not loaded here
            return self.plain(value.tolist())
        if isinstance(value, str | int | float):  # of a class of its own
            return self.plain(next(base(value) for base in (str, int, float) if isinstance(value, base)))
        return [self.plain(entry) for entry in value]

    def _plain_fields(self, kind: type, value: Any) -> dict[str, Any]:
        named = _naming_files(kind) if Path in self.forms else ()
        rows = {}
        for each in fields(kind):
            given = getattr(value, each.name)
            if not (self.is_brief and _is_usual(each, given)):
                rows[each.name] = self.plain([Path(text) for text in given] if each.name in named else given)
        return rows

    def read(self, kind: Any, value: Any, where: str = "", notes: list[str] | None = None) -> Any:
        """Reads what `plain` made of a value of that type. An `OddError`: nothing can be made of it."""
        return _Reader(self.forms, notes, self.is_closed).read(kind, value, where)


def _is_usual(each: "Field[Any]", given: object) -> bool:
    if each.default_factory is not MISSING:
        return isinstance(given, Mapping) and not given
    return given is each.default or (isinstance(given, str | tuple) and given == each.default)


class _Reader:
    """Reads values of one file. Without notes, whatever is odd is an error."""

    def __init__(self, forms: Mapping[Any, Form], notes: list[str] | None, is_closed: bool) -> None:
        self._forms, self._notes, self._is_closed = forms, notes, is_closed
        self._kinds = frozenset(forms)

    def read(self, hint: Any, value: Any, where: str) -> Any:
        if hint in _SCALARS:
            return _scalar(hint, value)
        if hint is Any:
            return value
        form, origin = self._forms.get(hint), get_origin(hint)
        if form is not None:
            return _by_form(form, value, where)
        if origin is Annotated:
            return self._marked(hint.__origin__, hint.__metadata__, value, where)
        if origin in (Union, UnionType) and NoneType in get_args(hint):
            return self._maybe(hint, value, where)
        if origin is Literal:
            return _choice(get_args(hint), value)
        if is_dataclass(hint) and not (self._notes is None and self._is_simple(hint)):
            return self._object(hint, value, where)
        if not self._is_simple(hint):
            return self._entries(hint, value, where)
        return _converted(hint, value)

    def _is_simple(self, hint: Any) -> bool:
        return _is_simple(hint, self._kinds, self._is_closed)

    def _maybe(self, hint: Any, value: Any, where: str) -> Any:
        rest = [each for each in get_args(hint) if each is not NoneType]
        # A file that is not named is none.
        if value is None or (value == "" and rest == [Path]):
            return None
        return self.read(rest[0] if len(rest) == 1 else Union[tuple(rest)], value, where)  # noqa: UP007 - of a list

    def _marked(self, hint: Any, marks: tuple[Any, ...], value: Any, where: str) -> Any:
        limit = next((mark.count for mark in marks if isinstance(mark, Most)), None)
        most = MOST_ENTRIES if limit is None else limit
        if _FILE in marks:
            return str(_by_form(self._forms[Path], value, where)) if Path in self._forms else _scalar(str, value)
        is_walked = EACH in marks or limit is not None
        found = self._entries(hint, value, where, EACH in marks, most) if is_walked else self.read(hint, value, where)
        for mark in marks:
            if isinstance(mark, Between):
                _check_number(found, mark)
        return found

    def _object(self, kind: Any, value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise OddError("it should be an object.")
        if self._is_closed and (unknown := value.keys() - _names_of(kind)):
            raise OddError(f"{min(unknown)[:80]!r} is nothing that it can have.")
        given = {}
        for name, hint, is_needed in _fields_of(kind):
            found = self._field(hint, value[name], f"{where}.{name}" if where else name) if name in value else MISSING
            if found is not MISSING:
                given[name] = found
            elif is_needed:
                raise OddError(f"nothing can be made of its {name}.")
        return kind(**given)

    def _field(self, hint: Any, value: Any, where: str) -> Any:
        """Reads a field; MISSING where nothing stands in it, or it is odd."""
        if value is None and NoneType not in get_args(hint) and not self._is_closed:
            return MISSING
        return self._noted(hint, value, where)

    def _noted(self, hint: Any, value: Any, where: str) -> Any:
        try:
            return self.read(hint, value, where)
        except OddError as error:
            if self._notes is None:
                raise OddError(f"{where}: {error}") from error
            text = f"{where} is left out: {error}"
            if len(self._notes) < MOST_NOTES and text not in self._notes:
                self._notes.append(text)
            return MISSING

    def _entries(self, hint: Any, value: Any, where: str, one_by_one: bool = False, most: int = MOST_ENTRIES) -> Any:
        """Reads a list or an object; without odd entries where these are left out one by one."""
        read = self._noted if one_by_one else self.read
        inner = get_args(hint)
        if issubclass(get_origin(hint), Mapping):
            if not isinstance(value, dict):
                raise OddError("it should be an object.")
            _check_count(value, most)
            found = {key: read(inner[1], entry, f"{where}.{key[:100]}") for key, entry in value.items()}
            return {_scalar(str, key): entry for key, entry in found.items() if entry is not MISSING}
        if not isinstance(value, list):
            raise OddError("it should be a list.")
        _check_count(value, most)
        kinds = inner if inner[-1] is not ... else (inner[0],) * len(value)
        if len(kinds) != len(value):
            raise OddError(f"it should be a list of {len(kinds)}.")
        entries = [read(kinds[at], entry, f"{where}[{at}]") for at, entry in enumerate(value)]
        return tuple(entry for entry in entries if entry is not MISSING)


def _check_count(value: Sized, most: int) -> None:
    if len(value) > most:
        raise OddError(f"it should have {most:,} entries at most.")


@cache
def _fields_of(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    """The name and type of each, and whether nothing is without it."""
    hints = get_type_hints(kind, include_extras=True)
    found: Iterable[Field[Any]] = fields(kind)
    return tuple((each.name, hints[each.name], each.default is each.default_factory is MISSING) for each in found)


@cache
def _naming_files(kind: type) -> tuple[str, ...]:
    return tuple(name for name, hint, _ in _fields_of(kind) if get_args(hint)[:1] == (FileName,))


@cache
def _is_simple(hint: Any, forms: frozenset[Any], is_closed: bool, around: frozenset[Any] = frozenset()) -> bool:
    """Whether nothing in it has a form or a mark, so that it is converted in one go."""
    if hint in forms or get_origin(hint) is Annotated or (is_closed and is_dataclass(hint)):
        return False
    if get_origin(hint) is Literal or hint in around:
        return True
    return all(_is_simple(each, forms, is_closed, around | {hint}) for each in _inner(hint))


def _inner(hint: Any) -> Iterable[Any]:
    return [each for _, each, _ in _fields_of(cast(Any, hint))] if is_dataclass(hint) else get_args(hint)


def _by_form(form: Form, value: Any, where: str) -> Any:
    try:
        return form.read(value, where)
    except ErrorflowError as error:
        raise OddError(str(error)) from error


def _scalar(kind: Any, value: Any) -> Any:
    found = numbers(value) if isinstance(value, dict) else value
    if kind is float and type(found) is int:
        try:
            found = float(found)
        except OverflowError as error:
            raise OddError("it should be a number.") from error
    if type(found) is not kind:
        raise OddError(f"it should be {_SCALARS[kind]}.")
    if kind is str and len(found) > MOST_LETTERS:
        raise OddError("a text in it is too long.")
    return found


def _choice(choices: tuple[Any, ...], value: Any) -> Any:
    if not any(type(each) is type(value) and each == value for each in choices):
        raise OddError(f"it should be one of {', '.join(map(repr, choices))}.")
    return value


def _check_number(value: float, mark: Between) -> None:
    if value in (math.inf, -math.inf) or value != value:
        raise OddError("it should be a number.")
    if not mark.least <= value <= mark.most:
        raise OddError(f"a number in it should be from {mark.least:,} to {mark.most:,}.")


def _converted(hint: Any, value: Any) -> Any:
    import msgspec

    try:
        try:
            return msgspec.convert(value, hint, str_keys=True)
        except msgspec.ValidationError:
            return msgspec.convert(numbers(value), hint, str_keys=True)
    except (msgspec.ValidationError, OverflowError, ValueError, TypeError, RecursionError) as error:
        raise OddError(f"{error}.") from error


def numbers(value: Any, depth: int = 0) -> Any:
    """Puts numbers for what stands for them."""
    if isinstance(value, dict):
        if len(value) == 1 and NUMBER in value and value[NUMBER] in _NUMBERS:
            return float(value[NUMBER])
        if depth > _DEEPEST:
            raise OddError("it is nested too deeply.")
        return {key: numbers(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, list):
        if depth > _DEEPEST:
            raise OddError("it is nested too deeply.")
        return [numbers(entry, depth + 1) for entry in value]
    return value


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file that holds one object, all of which must be right: how it is known, and the ways out."""

    # What it is, such as "ranking".
    noun: str
    # What stands in it beside what it holds, and the key of its version; the last is the version of now.
    marks: Mapping[str, str]
    version_key: str
    version: int
    most_bytes: int
    # Where such files come from, and how to get another one in place of a broken one.
    source: str
    again: str
    # Whether people write it: what is wrong with its JSON is said.
    is_by_hand: bool = False

    @property
    def head(self) -> dict[str, Any]:
        """Head that is written before all that it holds."""
        return {**self.marks, self.version_key: self.version}

    def read(self, path: Path, made: Callable[[dict[str, Any]], T]) -> T:
        with Source(path, head=0) as source:
            if source.size > self.most_bytes:
                raise FormatError(
                    f"{path.name} has {source.size:,} bytes; {self.most_bytes:,} is the most.", self.again
                )
            return self.parse(source.read(0, source.size), path.name, made)

    def parse(self, data: bytes, name: str, made: Callable[[dict[str, Any]], T]) -> T:
        """`made` of what is in it, which raises an `OddError` for what cannot be."""
        import msgspec

        try:
            rows = msgspec.json.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._wrong(name, str(error)) from error
        return self.take(rows, name, made)

    def take(self, rows: Any, name: str, made: Callable[[dict[str, Any]], T]) -> T:
        """The same of what its JSON holds."""
        if not isinstance(rows, dict):
            raise self._wrong(name, "it should be an object")
        rows = dict(rows)
        version = rows.pop(self.version_key, None)
        if type(version) is not int or any(rows.pop(key, None) != mark for key, mark in self.marks.items()):
            raise self._wrong(name, f"it does not say {self.version_key}")
        if not 1 <= version <= self.version:
            raise FormatError(f"{name} was saved by a newer Errorflow (version {version}).", "Update Errorflow.")
        try:
            return made(rows)
        except OddError as error:
            raise FormatError(f"{name} is a broken {self.noun}: {str(error)[:200]}", self.again) from error

    def _wrong(self, name: str, why: str) -> ErrorflowError:
        if self.is_by_hand:
            return FormatError(f"{name} is no {self.noun}: {why}.", self.source)
        return WrongFileError(f"{name} is no {self.noun}.", self.source)


def spelled(value: Any, nan: str | None = None) -> Any:
    """Puts texts for numbers without end, and `nan` for what is no number: JSON has none for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return nan if math.isnan(value) else str(value)
    if isinstance(value, dict):
        return {key: spelled(each, nan) for key, each in value.items()}
    return [spelled(each, nan) for each in value] if isinstance(value, list) else value


def as_json(value: Any) -> str:
    """Writes one line, with `NaN` and the like as Python writes them, and nothing copied: for very many small
    values.
    """
    return _encoded(value)


def _fields_or_list(value: Any) -> Any:
    kind: Any = type(value)
    names = _names_of(kind)
    return {name: getattr(value, name) for name in names} if names else value.tolist()


@cache
def _names_of(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()


_encoded = json.JSONEncoder(separators=(",", ":"), default=_fields_or_list).encode


def parsed(data: bytes | str) -> Any:
    """Reads what JSON holds; a `ValueError` where it is none. Names of files that are no text are read as they were
    written, and numbers that JSON has none for, which msgspec does not do."""
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
