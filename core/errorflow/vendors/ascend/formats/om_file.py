"""The container around an offline model: a header, and tables that say where the parts lie."""

import struct
from collections.abc import Mapping

from errorflow.base import FormatError, dataclass
from errorflow.base.files import Source

MODEL, WEIGHTS = 0, 1
_FLOW_PARTS = frozenset({6, 7})
# Where a header of 256 bytes says what; older ones may be shorter.
_HEAD_SIZE, _VERSION, _LENGTH, _ENCRYPTED, _KIND = 4, 8, 76, 80, 82
_NAME, _MODELS, _PLATFORM, _WIDE_LENGTH = 84, 156, 160, 184
_SHORTEST_HEAD, _LONGEST_HEAD = 160, 64 * 1024
# Since this version the header says how many models follow.
_SEVERAL_MODELS = 0x20000000
MAX_PARTS = 4096
MAX_MODELS = 4096
AGAIN = "Copy it again, or convert the model again with ATC."

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Container:
    """Parts of each model in the file by type: where they start and end."""

    name: str
    platform: str
    models: tuple[Mapping[int, Range], ...]


def container(source: Source) -> Container:
    """Finds the parts of an offline model; each lies within the file."""
    head = source.head
    if len(head) < _SHORTEST_HEAD:
        raise _cut_off(source)
    size = _u32(head, _HEAD_SIZE)
    if not _SHORTEST_HEAD <= size <= _LONGEST_HEAD:
        raise FormatError(f"{source.name} has a header of {size:,} bytes, which no offline model has.", AGAIN)
    if size + 4 > source.size:
        raise _cut_off(source)
    if head[_ENCRYPTED]:
        raise FormatError(
            f"{source.name} is encrypted.", "Open the model it was made from, or convert that again without encryption."
        )
    wide = struct.unpack_from("<Q", head, _WIDE_LENGTH)[0] if size >= _WIDE_LENGTH + 8 else 0
    length = wide if wide else _u32(head, _LENGTH)
    if size + length > source.size:
        raise _cut_off(source)
    several = _u32(head, _MODELS) if _u32(head, _VERSION) >= _SEVERAL_MODELS else 1
    return Container(
        name=_text(head[_NAME : _NAME + 32]),
        platform=_text(head[_PLATFORM : _PLATFORM + 20]),
        models=_models(source, size, several, bool(wide)),
    )


def _models(source: Source, start: int, count: int, wide: bool) -> tuple[Mapping[int, Range], ...]:
    models: list[Mapping[int, Range]] = []
    at = start
    for _ in range(min(max(count, 1), MAX_MODELS)):
        found = _table(source, at, wide) or (_table(source, at, not wide) if not models else None)
        if found is None:
            break
        models.append(found)
        at = max(end for _, end in found.values())
    if not models:
        raise FormatError(f"{source.name} is cut off or broken: the list of its parts does not fit its size.", AGAIN)
    parts = models[0]
    if MODEL not in parts:
        what = "a flow of several models" if _FLOW_PARTS & parts.keys() else "no description of a model"
        raise FormatError(f"{source.name} holds {what}.", "Open the single models, or the model they were made from.")
    return tuple(models)


def _table(source: Source, at: int, wide: bool) -> dict[int, Range] | None:
    """The parts listed at a place, with 32-bit or 64-bit numbers; None where that makes no sense."""
    row = struct.Struct("<I4xQQ" if wide else "<III")
    first = at + (8 if wide else 4)
    if first > source.size:
        return None
    count = _u32(source.read(at, 4), 0)
    data = first + count * row.size
    if not 1 <= count <= MAX_PARTS or data > source.size:
        return None
    found: dict[int, Range] = {}
    for kind, offset, size in row.iter_unpack(source.read(first, count * row.size)):
        if offset + size > source.size - data:
            return None
        found.setdefault(kind, (data + offset, data + offset + size))
    return found


def _cut_off(source: Source) -> FormatError:
    return FormatError(f"{source.name} is cut off: it has only {source.size:,} bytes.", AGAIN)


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _text(data: bytes) -> str:
    return data.split(b"\0")[0].decode(errors="replace").strip()
