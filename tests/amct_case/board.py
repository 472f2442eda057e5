"""What the compiler makes of the net, with fusion and without, and what the NPU computes of it in half precision."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from amct_case.layers import Array, Layer, Net, convolved, made, without_weights
from amct_case.plants import Plant, disturbed
from amct_case.quantizing import Record

TYPES: Mapping[str, str] = {
    "Convolution": "Conv2D",
    "InnerProduct": "FullyConnection",
    "ReLU": "Relu",
    "Pooling": "Pooling",
    "Eltwise": "Eltwise",
    "Softmax": "SoftmaxV2",
}


@dataclass(eq=False)
class Op:
    """An operator of the compiled model. `origin` is the tensor of the original that its output stands for."""

    name: str
    op_type: str
    inputs: list["Op"]
    output: Array
    originals: tuple[str, ...] = ()
    origin: str = ""
    layout: str = "NC1HWC0"
    # Names, types and shapes of its constants.
    constants: list[tuple[str, str, tuple[int, ...]]] = field(default_factory=list)


@dataclass(frozen=True)
class Build:
    """How it is compiled and where it runs. Without records nothing is quantized."""

    records: Mapping[str, Record] | None = None
    fused: bool = False
    plants: Sequence[Plant] = ()
    # Noise that each operator adds, relative to what it makes.
    drift: float = 0.0
    # Another chip adds up in another order.
    other_order: bool = False
    seed: int = 0
    # This operator adds no noise.
    exempt: str = ""


@dataclass(eq=False)
class _Board:
    net: Net
    build: Build
    ops: list[Op] = field(default_factory=list)
    # By the layer of the original, who makes what stands behind it.
    behind: dict[str, Op] = field(default_factory=dict)

    def run(self) -> list[Op]:
        image = Op("data", "Data", [], half(self.net.image), ("data",), "data", "NCHW")
        inserted = Op("trans_TransData_0", "TransData", [image], image.output)
        self.ops += [image, inserted]
        self.behind["data"] = inserted
        done: set[str] = set()
        for layer in self.net.layers:
            if layer.name not in done:
                done.update(self._layer(layer))
        return self.ops

    def _layer(self, layer: Layer) -> Sequence[str]:
        """The layers that are done with it."""
        if layer.kind not in ("Convolution", "InnerProduct"):
            read = [self.behind[name] for name in layer.bottoms]
            output = self._plain(layer, [op.output for op in read])
            self._add(layer.name, TYPES[layer.kind], read, output, (layer.name,))
            return (layer.name,)
        unit = self.net.unit(layer.name)
        relu = self.net.activation(layer.name) if self.build.fused else ""
        record = None if self.build.records is None else self.build.records.get(layer.name)
        if record is None:
            self._float(layer, (*unit, relu) if relu else unit)
        else:
            self._quantized(layer, record, relu)
        return (*unit, relu)

    def _plain(self, layer: Layer, read: list[Array]) -> Array:
        for plant in self._here(layer.name):
            if plant.kind == "other operator":
                return other(layer, read)
        return without_weights(layer, read)

    def _float(self, layer: Layer, unit: Sequence[str]) -> None:
        """The convolution with the norm, and with fusion the ReLU, in one operator."""
        read = self.behind[layer.bottoms[0]]
        weights, bias = self.net.folded(layer.name)
        if layer.kind == "Convolution":
            value = self._sum(read.output, weights, layer) + bias[:, None, None]
        else:
            value = made(layer, [read.output], (weights, bias))
        name = layer.name + (unit[-1] if unit[-1].endswith("_relu") else "")
        op = self._add(name, TYPES[layer.kind], [read], value, tuple(unit), clip=name != layer.name)
        op.constants = [(f"{layer.name}_weight", "DT_FLOAT16", weights.shape)]

    def _sum(self, x: Array, weights: Array, layer: Layer) -> Array:
        if not self.build.other_order:
            return convolved(x, weights, layer)
        one, two = (half(convolved(x[:, at::2], weights[:, at::2], layer)) for at in (0, 1))
        return np.asarray(one + two)

    def _quantized(self, layer: Layer, record: Record, relu: str) -> None:
        read, name = self.behind[layer.bottoms[0]], layer.name
        codes = record.codes(read.output)
        coded = self._add(f"{name}_quant_layer", "AscendQuant", [read], codes, (f"{name}_quant_layer",))
        sums = integer_sums(layer, record, codes)
        constants = [(f"{name}_weight", "DT_INT8", record.weights.shape), (f"{name}_bias", "DT_INT32", sums.shape[1:2])]
        factor = (record.scale * record.scales).reshape((-1, *[1] * (sums.ndim - 2)))
        value = sums * factor.astype(np.float32)
        whole = (name, f"{name}_dequant_layer", relu) if relu else (name, f"{name}_dequant_layer")
        scales = (f"{name}_deq_scale", "DT_UINT64", sums.shape[1:2])
        if self.build.fused:
            op = self._add("".join(whole), TYPES[layer.kind], [coded], value, whole, clip=bool(relu))
            op.constants = [*constants, scales]
        else:
            first = self._add(name, TYPES[layer.kind], [coded], sums, (name,))
            first.constants = constants
            op = self._add(whole[-1], "AscendDequant", [first], value, whole[-1:])
            op.constants = [scales]
        for each in (*self.net.unit(name), relu):
            self.behind[each] = op

    def _add(
        self, name: str, op_type: str, inputs: list[Op], value: Array, originals: tuple[str, ...], *, clip: bool = False
    ) -> Op:
        is_float = value.dtype.kind == "f"
        if is_float:
            value = self._disturbed(name, originals, value)
            value = half(np.maximum(value, 0) if clip else value)
        op = Op(name, op_type, inputs, value, originals, originals[-1], "NC1HWC0" if value.ndim == 4 else "ND")
        self.ops.append(op)
        for each in originals:
            self.behind[each] = op
        return op

    def _disturbed(self, name: str, originals: Sequence[str], value: Array) -> Array:
        dice = np.random.default_rng([self.build.seed, crc32(name.encode())])
        units = {each.removesuffix("_dequant_layer") for each in originals}
        for plant in (plant for unit in units for plant in self._here(unit)):
            if plant.kind != "other operator":
                value = disturbed(value, plant.kind, dice)
        size = float(np.sqrt(np.mean(np.square(value, dtype=np.float64))))
        drift = 0.0 if name == self.build.exempt else self.build.drift
        return value + drift * size * dice.standard_normal(value.shape)

    def _here(self, layer: str) -> Iterator[Plant]:
        return (plant for plant in self.build.plants if plant.stage == "board" and plant.place == layer)


def compiled(net: Net, build: Build) -> list[Op]:
    """All operators but the last, which has no output, with what they made."""
    return _Board(net, build).run()


def half(array: Array) -> Array:
    return array.astype(np.float16).astype(np.float32)


def integer_sums(layer: Layer, record: Record, codes: Array) -> Array:
    whole = codes.astype(np.int32) - record.offset
    weights = record.weight_codes.astype(np.int32)
    if layer.kind == "Convolution":
        return np.asarray(convolved(whole, weights, layer) + record.bias_codes[:, None, None], np.int32)
    return np.asarray(whole.reshape(1, -1) @ weights.T + record.bias_codes, np.int32)


def other(layer: Layer, read: list[Array]) -> Array:
    """What a wrong kernel makes: the smallest in place of the largest, one summand only, no cut at zero."""
    if layer.kind == "Pooling":
        return np.asarray(-without_weights(layer, [-read[0]]), np.float32)
    return np.asarray(read[-1] if layer.kind == "Eltwise" else read[0], np.float32)
