"""Newer offline models write frequent attribute names, and the texts of some values, as numbers into two lists."""

from collections.abc import Mapping
from typing import Any

from errorflow.base.values import dataclass

# Digits are written as 1 … 127, lowest first.
_BASE = 127
VERSION = "om_compress_version"
NAMES = "attr_name_enum"
TEXTS = "attr_value_enum"
TEXT_FLAGS = "attrs_use_string_value"
KEYS = frozenset({VERSION, NAMES, TEXTS, TEXT_FLAGS})


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The lists of one model; empty where nothing is compressed."""

    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    # Attributes whose numbers stand for texts.
    coded: frozenset[str] = frozenset()

    @classmethod
    def of(cls, attributes: Mapping[str, object]) -> "Dictionary":
        """Makes the dictionary from the attributes of the model."""
        names, texts, flags = (attributes.get(key) for key in (NAMES, TEXTS, TEXT_FLAGS))
        if attributes.get(VERSION) != 1 or not isinstance(names, tuple):
            return cls()
        known = tuple(str(name) for name in names)
        marked = zip(known, flags if isinstance(flags, tuple) else (), strict=False)
        return cls(
            names=known,
            texts=tuple(str(text) for text in texts) if isinstance(texts, tuple) else (),
            coded=frozenset(name for name, flag in marked if flag),
        )

    def name(self, key: bytes) -> str:
        if self.names and key[:1] == b"\0":
            number = sum((byte - 1) * int(_BASE**place) for place, byte in enumerate(key[1:6]))
            if 0 <= number < len(self.names):
                return self.names[number]
        return key.decode(errors="replace")

    def value(self, key: str, value: dict[str, Any]) -> dict[str, Any]:
        if key not in self.coded:
            return value
        if "i" in value:
            return {"s": self._text(value["i"])}
        numbers = value["list"].get("i") if isinstance(value.get("list"), dict) else None
        return {"list": {"s": [self._text(number) for number in numbers]}} if numbers else value

    def _text(self, number: int) -> str:
        return self.texts[number] if 0 <= number < len(self.texts) else str(number)
