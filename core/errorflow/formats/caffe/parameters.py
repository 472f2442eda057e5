"""Parameters of a layer that speak of sizes."""

from collections.abc import Mapping

from errorflow.base.values import dataclass
from errorflow.formats.caffe.sizes import MAX_SIZE, Odd
from errorflow.formats.prototext import TextMessage, Value

# The oldest format has names of its own.
_TODAYS_NAMES = {"kernelsize": "kernel_size"}
_TRUE = (True, 1, "t")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The fields of one message by name; what is not of the right kind is odd, and never taken for left out."""

    given: Mapping[str, list[Value]]

    @classmethod
    def of(cls, message: TextMessage) -> "Parameters":
        given: dict[str, list[Value]] = {}
        for name, value in message.fields:
            given.setdefault(_TODAYS_NAMES.get(name, name), []).append(value)
        return cls(given)

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def numbers(self, name: str) -> list[int]:
        values = self.given.get(name)
        return [] if values is None else [_number(name, value) for value in values]

    def number(self, name: str, default: int) -> int:
        """The last one of that name."""
        values = self.given.get(name)
        return default if values is None else _number(name, values[-1])

    def is_set(self, name: str, default: bool = False) -> bool:
        values = self.given.get(name)
        return default if values is None else values[-1] in _TRUE

    def axis(self, name: str, default: int, rank: int) -> int:
        """The number of an axis, which may be given from the end."""
        axis = self.number(name, default)
        if not -rank <= axis < rank:
            raise Odd(f"there is no axis {axis} among {rank}")
        return axis % rank

    def word(self, name: str, default: str) -> str | int:
        """The value of an enumeration, by name or number."""
        values = self.given.get(name)
        found = default if values is None else values[-1]
        return found if isinstance(found, (str, int)) else ""

    def message(self, name: str) -> "Parameters":
        values = self.given.get(name, ())
        return Parameters.of(
            next((value for value in reversed(values) if isinstance(value, TextMessage)), TextMessage())
        )


def _number(name: str, value: Value) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MAX_SIZE:
        raise Odd(f"its {name} is no size")
    return value
