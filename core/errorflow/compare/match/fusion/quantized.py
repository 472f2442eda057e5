"""Operators between quantization and dequantization: their values are not those of the original model."""

import re
from collections.abc import Iterable
from enum import Flag, auto

from errorflow.compare.match.fusion.table import Operator, RecordedOutput

# As AMCT names the operators that it inserts: for Caffe, TensorFlow and ONNX.
_QUANTIZING = re.compile(r"_quant_layer|/AscendQuant|/AscendWeightQuant|\.quant|\.weight_quant")
_DEQUANTIZING = re.compile(r"_dequant_layer|_anti_quant_layer|/AscendDequant|/AntiQuant|\.dequant|\.anti_quant")

_QUANTIZED_LAYER = re.compile(r"(.+?)(?:_quant_layer|/AscendQuant|\.quant)(?:_[0-9]+)?")
_DEQUANTIZED_LAYER = re.compile(r"(.+?)(?:_dequant_layer|/AscendDequant|\.dequant)")
_NUMBERED = re.compile(r"(.+)_([0-9]+)")
QUANTIZING = "AscendQuant"
_DEQUANTIZING_ENDS = ("_dequant_layer", "AscendDequant", "_dequant")


class _Name(Flag):
    PLAIN = 0
    QUANTIZING = auto()
    DEQUANTIZING = auto()


class _Kind(Flag):
    """Kind of an output: its operator quantizes, gives real numbers back, or lies between such two."""

    NORMAL = auto()
    BETWEEN = auto()
    QUANTIZED = auto()
    DEQUANTIZED = auto()


def mark_quantized_pairs(operators: Iterable[Operator]) -> None:
    """Marks those that read quantized values and do not turn all of them into real ones; in order of execution."""
    kinds: dict[str, list[_Kind]] = {}
    for operator in operators:
        name = _name(operator)
        inside = any(_reads_quantized(text, kinds) for text in operator.inputs)
        made = [_kind(name, output, inside) for output in operator.outputs]
        kinds[operator.name] = made
        operator.in_quantized_pair = inside and any(kind is not _Kind.DEQUANTIZED for kind in made)


def _reads_quantized(text: str, kinds: dict[str, list[_Kind]]) -> bool:
    producer, colon, index = text.rpartition(":")
    if not colon or not index.isdigit():
        return False
    made = kinds.get(producer, [])
    return int(index) < len(made) and made[int(index)] in _Kind.QUANTIZED | _Kind.BETWEEN


def _name(operator: Operator) -> _Name:
    texts = operator.name, "".join(operator.originals)
    found = _Name.PLAIN
    if any(map(_QUANTIZING.search, texts)):
        found |= _Name.QUANTIZING
    if any(map(_DEQUANTIZING.search, texts)):
        found |= _Name.DEQUANTIZING
    return found


def _kind(name: _Name, output: RecordedOutput, inside: bool) -> _Kind:
    if _Name.QUANTIZING in name and output.dtype == "int8":
        return _Kind.QUANTIZED
    if _Name.DEQUANTIZING in name and output.dtype == "float16":
        return _Kind.DEQUANTIZED
    return _Kind.BETWEEN if inside else _Kind.NORMAL


def is_dequantizing(operator: Operator) -> bool:
    """Whether the operator's inputs are codes: msaccucmp does not compare them."""
    return operator.op_type == "AscendDequant" or operator.name.endswith(_DEQUANTIZING_ENDS)


def is_quantizing(operator: Operator) -> bool:
    """Whether all that it does is to quantize its first input."""
    if operator.op_type == QUANTIZING:
        return True
    return operator.originals in ([], [""], [operator.name]) and bool(_QUANTIZED_LAYER.fullmatch(operator.name))


def says_quantizing(name: str) -> bool:
    return bool(_QUANTIZING.search(name))


def says_dequantizing(name: str) -> bool:
    return bool(_DEQUANTIZING.search(name))


def quantized_layers(name: str) -> Iterable[str]:
    """The layers whose data an operator of that name quantizes, as a record may call them: the likeliest first."""
    found = _QUANTIZED_LAYER.fullmatch(name)
    if found is None:
        return
    yield found.group(1)
    numbered = _NUMBERED.fullmatch(found.group(1))
    if numbered is not None:
        yield f"{numbered.group(1)}:{int(numbered.group(2))}"
        yield numbered.group(1)


def dequantized_layer(name: str) -> str:
    """The layer whose sums an operator of that name dequantizes; "" if it does not look so."""
    found = _DEQUANTIZED_LAYER.match(name)
    return "" if found is None else found.group(1)
