"""Attribute values: from the coding of `ge.proto.AttrDef`, as its JSON prints it, to plain Python values."""

import re
from collections.abc import Callable, Mapping

import numpy as np

from errorflow.formats.compiled import whole
from errorflow.formats.ge_names import dtype_name, shape_of

Convert = Callable[[object], object]
_LIST_MEMBERS = ("s", "i", "f", "b", "bt", "dt", "td", "t", "g", "na")


def plain(value: object) -> object:
    """A string, number, tuple or mapping for the one member that an AttrDef holds; None where it holds nothing."""
    if not isinstance(value, Mapping):
        return None
    for member, convert in _MEMBERS.items():
        if member in value:
            return convert(value[member])
    return dict(value) if value else None


def attributes(entries: object) -> dict[str, object]:
    """A list of `{"key": …, "value": …}`, which is how a map prints, as a dictionary sorted by key."""
    if not isinstance(entries, list):
        return {}
    pairs = [entry for entry in entries if isinstance(entry, Mapping) and isinstance(entry.get("key"), str)]
    return {entry["key"]: plain(entry.get("value")) for entry in sorted(pairs, key=lambda entry: str(entry["key"]))}


def tensor(desc: object) -> dict[str, object]:
    """A TensorDescriptor with readable type and shape."""
    if not isinstance(desc, Mapping):
        return {}
    dtype, sizes = dtype_name(desc.get("dtype")), dims(desc.get("shape"))
    # A scalar has no shape, but a tensor of which nothing is known has none either.
    known: dict[str, object] = {"dtype": dtype, "shape": shape_of(sizes) if sizes or dtype else None}
    rest = {key: _rest(value) for key, value in sorted(desc.items()) if key not in ("dtype", "shape", "attr")}
    inner = attributes(desc.get("attr"))
    return known | rest | ({"attr": inner} if inner else {})


def dims(shape: object) -> tuple[int, ...]:
    """The sizes of `{"dim": […]}`; a scalar has none, and then the shape itself is left out."""
    sizes = shape.get("dim") if isinstance(shape, Mapping) else None
    return tuple(whole(size) for size in sizes) if isinstance(sizes, list) else ()


def real(value: object) -> object:
    """A float32, given as a number or as text, as the shortest number that rounds to it: 0.3, not 0.30000001."""
    if not isinstance(value, int | float | str):
        return None
    try:
        with np.errstate(over="ignore"):
            return float(str(np.float32(value)))
    except (OverflowError, ValueError):
        return value  # "%g" into ten characters may have cut the text off


def escaped(data: bytes) -> str:
    """Bytes the way the printer writes them: anything but printable ASCII as an escape of C."""
    return "".join(_ESCAPES[byte] for byte in data)


def unescaped(value: object) -> object:
    """The text that `escaped` was made from; where it was no text, what it is."""
    if not isinstance(value, str) or "\\" not in value:
        return value
    try:
        return _ESCAPE.sub(_byte, value.encode()).decode()
    except UnicodeDecodeError:
        return value


def text_or_escaped(data: bytes) -> str:
    """UTF-8 text, or escapes where the bytes are none: what `unescaped` makes of the printed form."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return escaped(data)


_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"'": b"'", b"\\": b"\\"}
_ESCAPE = re.compile(rb"\\([0-7]{3}|[nrt\"'\\])")
_ESCAPES = [chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in range(256)]
for _letter, _meant in _LETTERS.items():
    _ESCAPES[_meant[0]] = "\\" + _letter.decode()


def _byte(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return _LETTERS[code] if code in _LETTERS else bytes([int(code, 8) & 255])


def _many(value: object) -> tuple[object, ...]:
    if not isinstance(value, Mapping):
        return ()
    for member in _LIST_MEMBERS:
        items = value.get(member)
        if isinstance(items, list) and items:
            # The printer escapes a single string but not those of a list.
            convert = _same if member == "s" else _MEMBERS[member]
            return tuple(convert(item) for item in items)
    return ()


def _nested(value: object, outer: str, inner: str, convert: Convert) -> tuple[object, ...]:
    rows = value.get(outer) if isinstance(value, Mapping) else None
    if not isinstance(rows, list):
        return ()
    lists = [row.get(inner) if isinstance(row, Mapping) else None for row in rows]
    return tuple(tuple(map(convert, row)) if isinstance(row, list) else () for row in lists)


def _weight(value: object) -> dict[str, object]:
    return tensor(value.get("desc")) if isinstance(value, Mapping) else {}


def _named(value: object) -> dict[str, object]:
    if not isinstance(value, Mapping):
        return {}
    return {"name": value.get("name", ""), "attr": attributes(value.get("attr"))}


def _graph(value: object) -> dict[str, object]:
    if not isinstance(value, Mapping):
        return {}
    nodes = value.get("op")
    return {"name": value.get("name", ""), "nodes": len(nodes) if isinstance(nodes, list) else 0}


def _rest(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _same(value: object) -> object:
    return value


_MEMBERS: dict[str, Convert] = {
    "s": unescaped,
    "i": whole,
    "f": real,
    "b": _same,
    "bt": _same,
    "dt": dtype_name,
    "td": tensor,
    "t": _weight,
    "g": _graph,
    "func": _named,
    "na": _named,
    "list": _many,
    "list_list_int": lambda value: _nested(value, "list_list_i", "list_i", whole),
    "list_list_float": lambda value: _nested(value, "list_list_f", "list_f", real),
}
