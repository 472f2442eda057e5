"""Meaning of codes: their scale, and the tensor of the reference that holds the same values before they were codes.

Scales come from AMCT's record and from the model itself. A scale belongs to what a layer reads: to the output of the
operator that quantizes it, and to whatever passes that on.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import isclose, isfinite, nan, prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base import ErrorflowError, UsageError, dataclass, field, replace
from errorflow.compare.match.fusion.follow import INSERTED, RecordedOrigin, trace
from errorflow.compare.match.fusion.golden import Golden, Goldens
from errorflow.compare.match.fusion.quantized import (
    dequantized_layer,
    is_dequantizing,
    is_quantizing,
    quantized_layers,
    says_dequantizing,
    says_quantizing,
)
from errorflow.compare.match.fusion.table import FusionTable, Operator
from errorflow.compare.match.rules import RULE_OF
from errorflow.compare.match.sides import Operation
from errorflow.formats.amct.record import LayerRecord, ScaleRecord
from errorflow.graph.dump import Stored, TensorInfo
from errorflow.graph.model import Problem
from errorflow.graph.qparams import QParams

# Types that hold codes, and their bits; sums of products of codes are of another one.
_CODES = {"int4": 4, "int8": 8, "uint8": 8, "int16": 16}
_SUMS = "int32"
_SUM_BITS = 32
# The largest that the scales of a dequantizing operator may be; they are read while matching.
_MAX_SCALES_BYTES = 1 << 20
# Two scales that are written down with different precision.
_SAME = 1e-3
# What float32 holds, in which an NPU computes.
_LARGEST = 1e38

Place = tuple[Operator, int]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Several scales belong to the channels, wherever they lie. The golden tensor may be missing."""

    qparams: QParams
    golden: Golden


@dataclass
class Scales:
    """Finds out what codes mean; `operation` gives what was dumped of an operator."""

    table: FusionTable
    goldens: Goldens
    record: ScaleRecord
    operation: Callable[[Operator], Operation | None]
    problems: list[Problem] = field(default_factory=list)
    _used: set[str] = field(default_factory=set)
    _told: set[str] = field(default_factory=set)

    def of(self, operator: Operator, index: int, is_input: bool, info: TensorInfo) -> Meaning | None:
        """Finds what codes mean; None where there are no codes, or they have no scale."""
        place = trace(self.table, operator, index, is_input).producer
        if place is None or info.qparams is not None:
            return None
        if info.dtype == _SUMS:
            return self._sums(place)
        if info.dtype not in _CODES:
            return None
        qparams, golden = self._codes(place)
        if qparams is None:
            return None
        signed = not info.dtype.startswith("u")
        return Meaning(replace(qparams, bits=_CODES[info.dtype], signed=signed, axis=None), golden())

    def left_over(self) -> tuple[Problem, ...]:
        """Lists what was odd, and whether the record is of another model."""
        if self.record.layers and not self._used:
            text = "No layer of the scale and offset record reads codes in this model: is it of another one?"
            return *self.problems, Problem(text)
        return tuple(self.problems)

    # ------------------------------------------------------------------------------------------------------- codes

    def _codes(self, place: Place) -> tuple[QParams | None, Callable[[], Golden]]:
        operator, index = place
        if is_quantizing(operator):
            return self._of_quantizer(place), lambda: self._before(operator)
        found = self._read_with(place)
        if found is None and not operator.in_quantized_pair:
            found = self._own(operator, index)
        return found, lambda: self._fused(operator, index)

    def _of_quantizer(self, place: Place) -> QParams | None:
        """The model says what it computed with, the record says it in more digits."""
        operator = place[0]
        own, written = _of_attributes(operator), self._written(operator)
        if written is None:
            return self._read_with(place) if own is None else own
        if own is None or _agree(own, written):
            return written
        if operator.name not in self._told:
            self._told.add(operator.name)
            text = (
                f"The model quantizes with scale {own.scales[0]:g} and offset {own.zero_points[0]}, the record says "
                f"{written.scales[0]:g} and {written.zero_points[0]}; the model's are used."
            )
            self.problems.append(Problem(f"{operator.name}: {text}", operator.name))
        return own

    def _written(self, operator: Operator) -> QParams | None:
        keys = (key for name in (operator.name, *operator.originals) for key in quantized_layers(name))
        return next((found for key in keys if (found := self._data(key)) is not None), None)

    def _read_with(self, place: Place) -> QParams | None:
        """The scale of the layers that read it, if they agree."""
        found: list[QParams] = []
        for reader, index in self._readers_of(place):
            names = reader.name, *reader.originals
            keys = [f"{name}:{index}" for name in names] + ([*names] if index == 0 else [])
            scale = next((scale for key in keys if (scale := self._data(key)) is not None), None)
            if scale is not None and scale not in found:
                found.append(scale)
        return found[0] if len(found) == 1 else None

    def _own(self, operator: Operator, index: int) -> QParams | None:
        """Finds the scale of an output whose operator is recorded under its own name, has no weights and reads no
        codes.
        """
        layer = self.record.layers.get(operator.name) if index == 0 else None
        return None if layer is None or layer.weights is not None else self._data(operator.name)

    def _data(self, key: str) -> QParams | None:
        layer = self.record.layers.get(key)
        if layer is None or layer.activation is None:
            return None
        self._used.add(key)
        return layer.activation

    def _before(self, quantizer: Operator) -> Golden:
        """Finds what a quantizing operator reads, or where the reference rounds as well, what it makes of that."""
        own = self.goldens.find(quantizer, 0, False)
        if own.rule == "origin" and own.stored is not None and _holds_reals(own.stored):
            return own
        golden = self.goldens.find(quantizer, 0, True)
        certain = golden.stored is not None and RULE_OF[golden.rule].certain
        return replace(golden, rule="quantized-input") if certain else golden

    def _fused(self, operator: Operator, index: int) -> Golden:
        """Finds what an operator that quantizes its own result computed before."""
        if not any(map(says_quantizing, operator.originals)):
            golden = self.goldens.find(operator, index, False)
            # Its original operators may be those that read the codes.
            return Golden() if self.table.merged == "quantization" and golden.reason is not None else golden
        plain = [name for name in operator.originals if not says_quantizing(name)]
        if not plain:
            return Golden()
        known = operator.outputs[index if index < len(operator.outputs) else 0]
        return self.goldens.at(RecordedOrigin(plain[-1], 0, "last-original", known.layout, known.shape))

    # -------------------------------------------------------------------------------------------------------- sums

    def _sums(self, place: Place) -> Meaning | None:
        """Finds the meaning of a layer's sums, if one operator reads them, which dequantizes them."""
        readers = list(self._readers_of(place))
        if len(readers) != 1 or readers[0][1] != 0 or not is_dequantizing(readers[0][0]):
            return None
        scales = self._dequant_scales(place[0], readers[0][0])
        if scales is None:
            return None
        return Meaning(QParams(scales, bits=_SUM_BITS), self._dequantized(place[0], readers[0][0]))

    def _dequantized(self, layer: Operator, dequantizer: Operator) -> Golden:
        """The layer's values where the reference has them as they are before anything else follows."""
        known = layer.outputs[0] if layer.outputs else None
        name = next((text for text in dequantizer.originals if says_dequantizing(text)), "")
        if self.table.merged == "quantization" and layer.originals:
            name = layer.originals[-1]
        if known is None or not name:
            return Golden()
        return self.goldens.at(RecordedOrigin(name, 0, "dequantized-output", known.layout, known.shape))

    def _dequant_scales(self, layer: Operator, dequantizer: Operator) -> tuple[float, ...] | None:
        """Finds the scales that were computed with if they were dumped, else those of the record."""
        if dequantizer.quantization.get("sqrt_mode") is True:
            return None
        dumped = self._dumped_scales(dequantizer)
        if dumped is not None:
            return dumped
        names = [layer.name, *layer.originals]
        names += [dequantized_layer(name) for name in (dequantizer.name, *dequantizer.originals)]
        found = next((known for name in names if (known := self.record.layers.get(name)) is not None), None)
        return None if found is None else self._recorded_scales(found)

    def _recorded_scales(self, layer: LayerRecord) -> tuple[float, ...] | None:
        plain = layer.weights is not None and not any(layer.weights.zero_points) and not any(layer.shift_bits)
        if layer.activation is None or not plain:
            return None
        self._used.add(layer.key)
        return _positive(dequant_scales(layer).tolist())

    def _dumped_scales(self, dequantizer: Operator) -> tuple[float, ...] | None:
        operation = self.operation(dequantizer)
        inputs = () if operation is None else operation.inputs
        if len(inputs) < 2 or inputs[1].info.dtype != "uint64" or inputs[1].info.nbytes > _MAX_SCALES_BYTES:
            return None
        scales, offsets = from_dequant_parameters(_parameters(inputs[1]))
        return None if any(offsets) else _positive(scales.tolist())

    # ----------------------------------------------------------------------------------------------------- readers

    def _readers_of(self, place: Place) -> Iterator[Place]:
        """Operators that read this output, with the number of their input; also past those that only pass it on."""
        waiting, seen = [(place[0].name, place[1])], set[tuple[str, int]]()
        while waiting:
            at = waiting.pop()
            for reader, index in () if at in seen else self._readers.get(at, ()):
                if reader.op_type in INSERTED:
                    waiting.append((reader.name, 0))
                else:
                    yield reader, index
            seen.add(at)

    @cached_property
    def _readers(self) -> dict[tuple[str, int], list[Place]]:
        found: dict[tuple[str, int], list[Place]] = {}
        for operator in self.table.operators:
            for index, text in enumerate(operator.inputs):
                name, _, output = text.rpartition(":")
                if output.isascii() and output.isdigit():
                    found.setdefault((name.strip(), int(output)), []).append((operator, index))
        return found


def _of_attributes(quantizer: Operator) -> QParams | None:
    """The model holds the reciprocal of the scale."""
    scale, offset = (
        _number(quantizer.quantization.get(key, default)) for key, default in (("scale", 0), ("offset", 0))
    )
    if quantizer.quantization.get("sqrt_mode") is True:
        scale *= scale
    if not (scale > 0 and isfinite(1 / scale) and offset.is_integer()):
        return None
    return QParams((1 / scale,), (int(offset),))


def _holds_reals(stored: Stored) -> bool:
    """Whether these are rounded values, not their codes."""
    if "float" not in stored.info.dtype:
        return False
    try:
        values = stored.read()
    except ErrorflowError:
        return False
    return not bool((values == values.round()).all())


def _number(value: object) -> float:
    """NaN for what cannot be a scale or an offset."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return nan
    return float(value) if -_LARGEST < value < _LARGEST else nan


def _agree(own: QParams, written: QParams) -> bool:
    return own.zero_points == written.zero_points and isclose(own.scales[0], written.scales[0], rel_tol=_SAME)


def _parameters(stored: Stored) -> list[int]:
    """Reads one parameter per channel, without what pads them; none where they cannot be read."""
    shape = stored.info.original_shape
    try:
        found: list[int] = stored.read().reshape(-1).tolist()
    except ErrorflowError:
        return []
    return found[: prod(shape)] if shape else found


def _positive(scales: list[float]) -> tuple[float, ...] | None:
    """Checks scales: None where one is not a scale at all; a single one where all are the same."""
    if not scales or not all(isfinite(scale) and scale > 0 for scale in scales):
        return None
    return tuple(scales) if any(scale != scales[0] for scale in scales) else (scales[0],)


# What the sums of a layer are multiplied by, as AMCT computes it from a record: in float32.

Floats = NDArray[np.float32]
_SCALE_BITS = 32
_LOW = (1 << _SCALE_BITS) - 1


def dequant_scales(layer: LayerRecord) -> Floats:
    """Computes the factors of a layer's sums: its data's scale times that of each channel of its weights."""
    if layer.activation is None or layer.weights is None:
        raise UsageError(f"{layer.key} has no scales of data and weights.", "Only layers with weights have them.")
    data = np.float32(layer.activation.scales[0])
    found: Floats = data * np.array(layer.weights.scales, np.float32)
    return found


def from_dequant_parameters(parameters: Sequence[int]) -> tuple[Floats, tuple[int, ...]]:
    """Scales and offsets again."""
    bits = np.array([parameter & _LOW for parameter in parameters], np.uint32)
    return bits.view(np.float32), tuple(parameter >> _SCALE_BITS for parameter in parameters)
