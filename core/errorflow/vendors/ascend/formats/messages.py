"""The messages of `ge.proto`, as far as they are shown, and their decoding into what the JSON printer makes of them."""

import struct
from collections.abc import Callable
from typing import Any

from errorflow.base.values import dataclass
from errorflow.vendors.ascend.formats.compressed import Dictionary
from errorflow.vendors.ascend.formats.values import escaped, text_or_escaped
from errorflow.vendors.ascend.formats.window import OmWindow

# GE's own printer stops at 20.
MAX_NESTING = 40
MAX_ITEMS = 5_000_000
# A message takes as much memory, and time, as so many numbers.
MESSAGE_ITEMS = 10


@dataclass(frozen=True, slots=True)
class MessageField:
    """`kind` is a scalar's name or a message's; a map from strings to attributes has the kind `%`."""

    name: str
    kind: str
    many: bool = False


def _fields(text: str) -> dict[int, MessageField]:
    rows = (row.split() for row in text.split(","))
    return {int(number): MessageField(name, kind.rstrip("*"), kind.endswith("*")) for number, name, kind in rows}


_TENSOR = (
    "1 name text, 2 dtype int, 3 shape Shape, 4 layout text, 5 attr %, 9 has_out_attr bool, 10 size int,"
    "11 weight_size int, 12 reuse_input bool, 13 output_tensor bool, 14 device_type text, 15 input_tensor bool,"
    "16 real_dim_cnt int, 17 reuse_input_index int, 18 data_offset int, 19 cmps_size int, 20 cmps_tab bytes,"
    "21 cmps_tab_offset int"
)
_NODE = (
    "1 name text, 2 type text, 5 input text*, 10 attr %, 20 has_out_attr bool, 21 id int, 22 stream_id int,"
    "23 input_name text*, 24 src_name text*, 25 src_index int*, 26 dst_name text*, 27 dst_index int*, 28 input_i int*,"
    "29 output_i int*, 30 workspace int*, 31 workspace_bytes int*, 32 is_input_const bool*, 33 input_desc Tensor*,"
    "34 output_desc Tensor*, 35 subgraph_name text*"
)
_VALUE = (
    "1 list List, 2 s string, 3 i int, 4 f float, 5 b bool, 7 bt bytes, 10 func Named, 11 td Tensor, 12 t Weight,"
    "13 g Graph, 14 list_list_int Rows, 15 dt int, 16 list_list_float Reals"
)
_LIST = (
    "2 s string*, 3 i int*, 4 f float*, 5 b bool*, 7 bt bytes*, 8 td Tensor*, 9 t Weight*, 10 g Graph*, 11 na Named*,"
    "12 dt int*"
)
# By the names that the printer gives to their fields; data of weights is left out, as it does.
MESSAGES = {
    "Node": _fields(_NODE),
    "Tensor": _fields(_TENSOR),
    "Shape": _fields("1 dim int*"),
    "Weight": _fields("1 desc Tensor"),
    "Value": _fields(_VALUE),
    "List": _fields(_LIST),
    "Named": _fields("1 name text, 2 attr %"),
    "Graph": _fields("1 name text, 6 op Skipped*"),
    "Skipped": {},
    "Rows": _fields("1 list_list_i Row*"),
    "Row": _fields("1 list_i int*"),
    "Reals": _fields("1 list_list_f Real*"),
    "Real": _fields("1 list_f float*"),
}


@dataclass(slots=True)
class Decoder:
    """Makes of a message between two places of the file what the printer prints of it."""

    window: OmWindow
    dictionary: Dictionary
    # How many have been decoded for the message that was asked for.
    _items: int = 0

    def message(self, kind: str, start: int, end: int, depth: int = 0) -> dict[str, Any]:
        if depth == 0:
            self._items = 0
        if depth > MAX_NESTING:
            raise self.window.broken(start)
        self._count(start, MESSAGE_ITEMS)
        found: dict[str, Any] = {}
        fields = MESSAGES[kind]
        for number, begin, stop in self.window.fields(start, end):
            field = fields.get(number)
            if field is None:
                continue
            value = self._content(field, begin, stop, depth + 1)
            if field.many or field.kind == "%":
                found.setdefault(field.name, []).extend(value)
                self._count(begin, len(value))
            else:
                found[field.name] = value
        return found

    def value(self, key: str, start: int, end: int, depth: int = 0) -> dict[str, Any]:
        """The value of the attribute `key`, as printed; a compressed one is looked up."""
        return self.dictionary.value(key, self.message("Value", start, end, depth))

    def _content(self, field: MessageField, start: int, end: int, depth: int) -> Any:
        if field.kind == "%":
            stored, begin, stop = self.window.entry(start, end)
            key = self.dictionary.name(stored)
            return [{"key": key, "value": self.value(key, begin, stop, depth)}]
        if field.kind in _NUMBERS:
            return self._numbers(field, start, end)
        if field.kind in _TEXTS:
            # The printer escapes single byte strings, but not those of a list.
            kind = "list string" if field.kind == "string" and field.many else field.kind
            text = _TEXTS[kind](self.window.copy(start, end))
            return [text] if field.many else text
        message = self.message(field.kind, start, end, depth)
        return [message] if field.many else message

    def _numbers(self, field: MessageField, start: int, end: int) -> Any:
        if field.kind == "float":
            data = self.window.copy(start, end)
            numbers: list[Any] = list(struct.unpack(f"<{len(data) // 4}f", data[: len(data) // 4 * 4]))
        else:
            numbers = [_NUMBERS[field.kind](number) for number in self.window.numbers(start, end)]
        if field.many:
            return numbers
        return numbers[-1] if numbers else 0

    def _count(self, at: int, items: int) -> None:
        self._items += items
        if self._items > MAX_ITEMS:
            raise self.window.broken(at)


_NUMBERS: dict[str, Callable[[int], Any]] = {"int": int, "bool": bool, "float": float}
_TEXTS: dict[str, Callable[[bytes], str]] = {
    "text": lambda data: data.decode(errors="replace"),
    "string": escaped,
    "list string": text_or_escaped,
    "bytes": escaped,
}
