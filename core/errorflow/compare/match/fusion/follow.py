"""Way from a tensor of the compiled model to the tensor of the original model that it stands for, as recorded."""

from collections.abc import Iterator

from errorflow.base.values import dataclass, field
from errorflow.compare.match.fusion.quantized import QUANTIZING
from errorflow.compare.match.fusion.table import FusionTable, Operator, RecordedOutput

# They only pass on what their source made; what was recorded about them is not looked at.
INSERTED = frozenset({"Cast", "TransData"})
CONSTANTS = frozenset({"Const", "Constant", "ConstPlaceHolder", "FileConstant"})


@dataclass(frozen=True, slots=True)
class RecordedOrigin:
    """The tensor of the original model, and the layout and shape in which the compiler knew it."""

    name: str
    index: int
    rule: str
    layout: str = ""
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OriginTrace:
    """Place where msaccucmp ends. `reason` is what it prints where it finds no origin, None for its usual sentence."""

    origin: RecordedOrigin | None = None
    reason: str | None = None
    # The output of which operator was asked for last, if it got so far.
    producer: tuple[Operator, int] | None = None
    # All outputs on the way, for those who look further.
    way: tuple[tuple[Operator, int], ...] = ()
    # An input whose name has more than one colon was read in another way than msaccucmp reads it.
    by_last_colon: bool = False


@dataclass(slots=True)
class _Walk:
    table: FusionTable
    by_last_colon: bool
    reason: str | None = None
    used_last_colon: bool = False
    way: list[tuple[Operator, int]] = field(default_factory=list)

    def back(self, operator: Operator, index: int) -> tuple[Operator, int] | None:
        """The output that this input reads."""
        if index >= len(operator.inputs):
            self.reason = ""
            return None
        text = operator.inputs[index]
        parsed = self._parsed(text)
        if parsed is None:
            return None
        name, output = parsed
        found = self.table.find(name)
        if found is None:
            self.reason = f'There is no "{name}" in the fusion rule file.'
            return None
        return found, output

    def _parsed(self, text: str) -> tuple[str, int] | None:
        parts = text.split(":")
        if self.by_last_colon and len(parts) > 2:
            self.used_last_colon = True
            parts = text.rsplit(":", 1)
        said = f"The input information ({text}) is invalid. "
        if len(parts) != 2:
            self.reason = f"{said}It only supports op_name:index."
            return None
        name, index = (part.strip() for part in parts)
        if not name:
            self.reason = f"{said}The input operator name is empty."
            return None
        if not (index.isascii() and index.isdigit()):
            self.reason = f"{said}The input index only supports numbers."
            return None
        return name, int(index)


def trace(
    table: FusionTable, operator: Operator, index: int, is_input: bool, by_last_colon: bool = False
) -> OriginTrace:
    """Follows input or output `index` of an operator to what the compiler recorded about it."""
    walk = _Walk(table, by_last_colon)
    at: tuple[Operator, int] | None = (operator, index)
    if is_input:
        at = walk.back(operator, index)
    while at is not None:
        walk.way.append(at)
        if at[0].op_type not in INSERTED:
            break
        at = walk.back(*at)
        if at is not None and at in walk.way:
            # Casts that wait for each other, on which msaccucmp would never end.
            walk.reason, at = "", None
    way = tuple(walk.way)
    if at is None:
        return OriginTrace(reason=walk.reason, way=way, by_last_colon=walk.used_last_colon)
    rule = "through-inserted" if len(way) > 1 else table.merged if table.merged else ""
    return OriginTrace(origin(*at, rule), None, at, way, walk.used_last_colon)


def origin(operator: Operator, index: int, rule: str = "") -> RecordedOrigin | None:
    """Finds what was recorded about an output; about one that is not described, the first one's record counts."""
    if not operator.outputs:
        return None
    output = operator.outputs[index if index < len(operator.outputs) else 0]
    if not output.origin:
        return None
    given = "origin" if operator.recorded else "own-name"
    number = index if output.index is None else output.index
    return RecordedOrigin(output.origin, number, rule if rule else given, output.layout, output.shape)


def guesses(table: FusionTable, found: OriginTrace) -> Iterator[RecordedOrigin]:
    """Yields places where the reference may have it otherwise: guesses, the best one first."""
    for operator, index in found.way:
        if operator.op_type in INSERTED:
            own = origin(operator, index, "inserted-origin")
            if own is not None:
                yield own
    if found.producer is None:
        return
    operator, index = found.producer
    # The quantization information calls what quantizes a layer's input after the layer, which makes something else.
    if table.merged == "quantization" and operator.op_type == QUANTIZING:
        return
    known = operator.outputs[index] if index < len(operator.outputs) else RecordedOutput()
    originals = [name for name in operator.originals if name]
    if originals and _ends_a_fusion(table, operator):
        yield RecordedOrigin(originals[-1], index, "last-original", known.layout, known.shape)
    if operator.name not in originals[:-1]:
        yield RecordedOrigin(operator.name, index, "operator-name", known.layout, known.shape)


def _ends_a_fusion(table: FusionTable, operator: Operator) -> bool:
    """Whether what it gives is what the last of its original operators gave.

    Of several operators that stand for several others it is unknown which one is the last; a constant that was folded
    out of an operator carries the name of that.
    """
    if operator.op_type in CONSTANTS or operator.part_of_many:
        return False
    return len(operator.originals) == 1 or len(table.groups.get(table.group_of.get(operator.name, ""), ())) == 1
