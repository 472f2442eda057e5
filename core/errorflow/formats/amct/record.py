"""Reads AMCT's `scale_offset_record.txt`: scale and offset of every quantized layer's data and weights.

It is protobuf text, one `record { key: … value { … } }` per layer; weights of several channels repeat their field.
"""

import math
from collections.abc import Mapping
from pathlib import Path

from errorflow.base import SILENT, FormatError, Progress, WrongFileError, dataclass, field
from errorflow.base.files import Source
from errorflow.formats.prototext import TextMessage, parse
from errorflow.graph.model import Problem
from errorflow.graph.qparams import QParams

MAX_BYTES = 64 * 1024 * 1024
# Where a record does not say how many bits it is for.
BITS = 8
_BITS = {"INT4": 4, "INT8": 8, "INT16": 16}
# Output channels come first in the weights of convolutions and fully connected layers.
_CHANNELS = 0
_HINT = "Take the record file that AMCT wrote, or write it again."


@dataclass(frozen=True, slots=True)
class LayerRecord:
    """Record of one layer; what the file leaves out is None or empty."""

    name: str
    # Of a tensor that is quantized by itself: which input of the layer it is.
    input_index: int | None = None
    activation: QParams | None = None
    weights: QParams | None = None
    # Of a recurrent layer: the state that it hands on, and its output.
    state: QParams | None = None
    output: QParams | None = None
    shift_bits: tuple[int, ...] = ()
    balance_factors: tuple[float, ...] = ()
    skip_fusion: bool = False
    fake_quant_mode: str = ""

    @property
    def key(self) -> str:
        return self.name if self.input_index is None else f"{self.name}:{self.input_index}"


@dataclass(frozen=True, slots=True)
class ScaleRecord:
    """Layers by their keys, in the order of the file."""

    layers: Mapping[str, LayerRecord] = field(default_factory=dict)
    # Of key-value caches: the scales of a layer, one per channel.
    caches: Mapping[str, QParams] = field(default_factory=dict)
    # How many records of pruned layers there are; they say nothing about numbers.
    pruned: int = 0
    problems: tuple[Problem, ...] = ()


def read_record(path: Path, progress: Progress = SILENT) -> ScaleRecord:
    """The file's layers; one whose numbers make no sense is a problem and is left out."""
    with Source(path) as source:
        if source.size > MAX_BYTES:
            raise FormatError(f"{source.name} has {source.size:,} bytes; {MAX_BYTES:,} is the limit.", _HINT)
        text = source.read(0, source.size).decode("utf-8", "backslashreplace")
    message = parse(text, path.name, progress)
    if not any(key in ("record", "prune_record") for key, _ in message.fields):
        raise WrongFileError(f"{path.name} is no scale and offset record of AMCT.", _HINT)
    return _record(message)


def _record(message: TextMessage) -> ScaleRecord:
    layers: dict[str, LayerRecord] = {}
    caches: dict[str, QParams] = {}
    problems: list[Problem] = []
    for entry in message.messages("record"):
        key = entry.text("key")
        try:
            cache = _qparams(entry.message("kv_cache_value"), "scale", "offset", BITS, per_channel=True)
            layer = _layer(key, entry.message("value"))
        except ValueError as error:
            problems.append(Problem(f"Its {error}.", key))
            continue
        if key in layers:
            problems.append(Problem("It is there more than once; the last one is used.", key))
        layers[key] = layer
        if cache:
            caches[key] = cache
    return ScaleRecord(layers, caches, len(message.messages("prune_record")), tuple(problems))


def _layer(key: str, value: TextMessage) -> LayerRecord:
    name, colon, index = key.rpartition(":")
    is_tensor = bool(colon and name) and index.isascii() and index.isdecimal() and len(index) < 10
    both = value.text("dst_type")
    return LayerRecord(
        name=name if is_tensor else key,
        input_index=int(index) if is_tensor else None,
        activation=_qparams(value, "scale_d", "offset_d", _bits(value.text("act_type"), both)),
        weights=_qparams(value, "scale_w", "offset_w", _bits(value.text("wts_type"), both), per_channel=True),
        state=_qparams(value, "scale_h", "offset_h", _bits(value.text("act_type"), both)),
        output=_qparams(value, "scale_r", "offset_r", _bits(value.text("wts_type"), both), per_channel=True),
        shift_bits=tuple(value.numbers("shift_bit")),
        balance_factors=tuple(_floats(value, "tensor_balance_factor")),
        skip_fusion=value.last("skip_fusion") is True,
        fake_quant_mode=value.text("fakequant_precision_mode"),
    )


def _bits(own: str, both: str) -> int:
    return _BITS.get(own, _BITS.get(both, BITS))


def _qparams(value: TextMessage, scale: str, offset: str, bits: int, per_channel: bool = False) -> QParams | None:
    scales = _floats(value, scale)
    if not scales:
        return None
    offsets = _floats(value, offset)
    if not all(0 < number < math.inf for number in scales):
        raise ValueError(f"{scale} is not positive")
    if not all(math.isfinite(number) and number == math.floor(number) for number in offsets):
        raise ValueError(f"{offset} is no whole number")
    if not per_channel:
        scales, offsets = scales[-1:], offsets[-1:]
    if offsets and len(offsets) not in (1, len(scales)):
        raise ValueError(f"{len(scales)} {scale} do not go with {len(offsets)} {offset}")
    axis = _CHANNELS if len(scales) > 1 else None
    zeros = tuple(int(number) for number in offsets) if offsets else (0,)
    return QParams(tuple(scales), zeros, bits, signed=True, axis=axis)


def _floats(value: TextMessage, name: str) -> list[float]:
    found = value.all(name)
    try:
        numbers = [float(item) for item in found if isinstance(item, int | float) and not isinstance(item, bool)]
    except OverflowError:
        raise ValueError(f"{name} is too large") from None
    if len(numbers) < len(found):
        raise ValueError(f"{name} is no number")
    return numbers
