"""AMCT's side: a scale and an offset per layer, and the run of the fake-quantized model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from amct_case.layers import HEADS, Array, Layer, Net, convolved, made, without_weights
from amct_case.plants import Plant, disturbed

LEAST, MOST = -128, 127


@dataclass(frozen=True)
class Record:
    """What stands in scale_offset_record.txt of one layer, and what its weights are rounded from."""

    scale: float
    offset: int
    # A scale per channel that comes out.
    scales: Array
    weights: Array
    bias: Array

    def codes(self, x: Array) -> Array:
        return np.clip(np.rint(x / np.float32(self.scale) + self.offset), LEAST, MOST).astype(np.int8)

    def real(self, codes: Array) -> Array:
        return ((codes.astype(np.float32) - self.offset) * np.float32(self.scale)).astype(np.float32)

    @property
    def weight_codes(self) -> Array:
        scales = self.scales.reshape((-1, *[1] * (self.weights.ndim - 1)))
        return np.clip(np.rint(self.weights / scales), -MOST - 1, MOST).astype(np.int8)

    @property
    def bias_codes(self) -> Array:
        return np.rint(self.bias / (self.scale * self.scales)).astype(np.int32)


def records_of(net: Net, plants: Sequence[Plant] = (), levels: int = MOST) -> Mapping[str, Record]:
    """By layer with weights; `levels` are those of the weights on one side of zero."""
    found: dict[str, Record] = {}
    for number, layer in enumerate(net.heads()):
        weights, bias = net.folded(layer.name)
        read = net.values[layer.bottoms[0]]
        low, high = min(float(read.min()), 0.0), max(float(read.max()), 0.0)
        scale = (high - low) / (MOST - LEAST)
        scales = np.abs(weights).reshape(len(weights), -1).max(axis=1) / np.float32(levels)
        record = Record(scale, round(LEAST - low / scale), scales, weights, bias)
        for plant in plants:
            if plant.place == layer.name and plant.stage == "quantization":
                record = wrong(record, plant, np.random.default_rng(number))
        found[layer.name] = record
    return found


def wrong(record: Record, plant: Plant, dice: np.random.Generator) -> Record:
    """With the fault in its numbers, which the board is told as well."""
    if plant.kind in ("scale too small", "scale too large"):
        factor = 1 / 14 if plant.kind == "scale too small" else 20
        offset = LEAST if record.offset == LEAST else 0
        return replace(record, scale=record.scale * factor, offset=offset)
    if plant.kind == "weight scale too small":
        return replace(record, scales=record.scales / np.float32(6))
    return replace(record, weights=disturbed(record.weights, plant.kind, dice, axis=0))


def fake_quantized(net: Net, records: Mapping[str, Record]) -> dict[str, Array]:
    """The run of the model that AMCT writes for accuracy tests, by its own layers."""
    found: dict[str, Array] = {"data": net.image}
    for layer in net.layers:
        if layer.kind in ("BatchNorm", "Scale"):
            continue
        read = [found[made_by(net, name)] for name in layer.bottoms]
        if layer.kind not in HEADS:
            found[layer.name] = without_weights(layer, read)
            continue
        if layer.name not in records:
            found[layer.name] = found[f"{layer.name}_dequant_layer"] = unquantized(net, layer, read[0])
            continue
        record = records[layer.name]
        coded = record.real(record.codes(read[0]))
        found[f"{layer.name}_quant_layer"] = coded
        weights = record.weight_codes * record.scales.reshape((-1, *[1] * (record.weights.ndim - 1)))
        bias = (record.bias_codes * record.scale * record.scales).astype(np.float32)
        if layer.kind == "Convolution":
            sums = convolved(coded, weights, layer) + bias[:, None, None]
        else:
            sums = coded.reshape(1, -1) @ weights.T + bias
        found[layer.name] = found[f"{layer.name}_dequant_layer"] = sums.astype(np.float32)
    return found


def unquantized(net: Net, layer: Layer, x: Array) -> Array:
    """A layer that stays in float, with its norm."""
    weights, bias = net.folded(layer.name)
    if layer.kind == "Convolution":
        return np.asarray(convolved(x, weights, layer) + bias[:, None, None], np.float32)
    return made(layer, [x], (weights, bias))


def made_by(net: Net, name: str) -> str:
    """The layer of the quantized model behind which the same stands."""
    layer = net.by_name.get(name)
    head = layer.top if layer is not None and layer.kind in ("BatchNorm", "Scale") else name
    kinds = layer is not None and (layer.kind in ("BatchNorm", "Scale") or layer.kind == "InnerProduct")
    return f"{head}_dequant_layer" if kinds else name
