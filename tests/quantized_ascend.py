"""Writes cases of a Caffe network quantized with AMCT and run on an NPU, with a fault where a test wants one.

A case is a folder as a user has it: `resnet.prototxt`, `float_npy`, `fq_npy`, `resnet_quant.json`,
`scale_offset_record.txt`, and `npu_off` with `off.json`, `npu_on` with `on.json`: fusion switched off and on.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npu_writer import NpuArray, write_npu

Array = NDArray[Any]
Json = dict[str, Any]
TIME = 1_700_000_000_000_000


@dataclass(frozen=True)
class Layer:
    """Of the original network."""

    name: str
    kind: str
    reads: tuple[str, ...]
    channels: int = 0
    kernel: int = 1
    stride: int = 1


@dataclass(frozen=True)
class Faults:
    """What goes wrong: each a layer's name with what is done to it."""

    # The scale of what a layer reads is so many times too small in the quantized model.
    scale: Mapping[str, float] = field(default_factory=dict)
    # So much of the weights' size is added to them as noise when they are quantized.
    weights: Mapping[str, float] = field(default_factory=dict)
    # Operators on the NPU that add noise of this relative size, by their names with fusion off.
    npu: Mapping[str, float] = field(default_factory=dict)
    # The same where fusion is on only.
    fused: Mapping[str, float] = field(default_factory=dict)
    # Each operator on the NPU adds noise of this relative size.
    drift: float = 0.0


NONE = Faults()


def resnet(stages: int = 3) -> tuple[Layer, ...]:
    """The input, a first convolution, two blocks with a shortcut each stage, a classifier."""
    found = [Layer("data", "Input", ()), Layer("conv1", "Convolution", ("data",), 8, 3), *_relu("conv1")]
    last, width = "conv1_relu", 8
    for stage in range(stages):
        name, stride = f"res{stage + 2}", 1 if stage == 0 else 2
        found += _block(f"{name}a", last, width, stride, shortcut=True)
        found += _block(f"{name}b", f"{name}a_relu", width, 1, shortcut=False)
        last, width = f"{name}b_relu", width * 2
    found += [Layer("pool5", "Pooling", (last,)), Layer("fc10", "InnerProduct", ("pool5",), 10)]
    return (*found, Layer("prob", "Softmax", ("fc10",)))


def _relu(name: str) -> list[Layer]:
    return [Layer(f"{name}_relu", "ReLU", (name,))]


def _block(name: str, reads: str, width: int, stride: int, shortcut: bool) -> list[Layer]:
    beside = f"{name}_branch1" if shortcut else reads
    found = [Layer(beside, "Convolution", (reads,), width, 1, stride)] if shortcut else []
    found += [Layer(f"{name}_branch2a", "Convolution", (reads,), width, 3, stride), *_relu(f"{name}_branch2a")]
    found += [Layer(f"{name}_branch2b", "Convolution", (f"{name}_branch2a_relu",), width, 3)]
    return [*found, Layer(name, "Eltwise", (beside, f"{name}_branch2b")), *_relu(name)]


# --------------------------------------------------------------------------------------------------------- arithmetic


def _multiplied(layer: Layer, x: Array, weights: Array) -> Array:
    if layer.kind == "InnerProduct":
        return np.asarray((x.reshape(1, -1) @ weights.reshape(len(weights), -1).T).astype(x.dtype))
    pad = layer.kernel // 2
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (layer.kernel, layer.kernel), (2, 3))
    windows = windows[:, :, :: layer.stride, :: layer.stride]
    return np.asarray(np.einsum("nchwij,ocij->nohw", windows, weights, optimize=True))


def _plain(layer: Layer, values: list[Array]) -> Array:
    if layer.kind == "ReLU":
        return np.maximum(values[0], 0)
    if layer.kind == "Eltwise":
        return np.asarray(values[0] + values[1])
    if layer.kind == "Pooling":
        return np.asarray(values[0].mean(axis=(2, 3), keepdims=True))
    powers = np.exp(values[0] - values[0].max())
    return np.asarray(powers / powers.sum())


@dataclass
class Case:
    """A network with its weights, one input, and the scales that AMCT would find."""

    seed: int = 0
    faults: Faults = NONE
    layers: tuple[Layer, ...] = field(default_factory=resnet)
    floats: dict[str, Array] = field(default_factory=dict)
    # After each convolution stands a BatchNorm with a Scale, which AMCT folds into it.
    raw: dict[str, Array] = field(default_factory=dict)
    weights: dict[str, Array] = field(default_factory=dict)
    codes: dict[str, Array] = field(default_factory=dict)
    scales: dict[str, tuple[float, int, Array]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        dice = np.random.default_rng(self.seed)
        self.floats["data"] = dice.normal(0, 1, (1, 3, 16, 16)).astype(np.float32)
        for layer in self.layers[1:]:
            values = [self.floats[name] for name in layer.reads]
            self.floats[layer.name] = (
                self._weighted(layer, values[0], dice) if layer.channels else _plain(layer, values)
            )

    def _weighted(self, layer: Layer, x: Array, dice: np.random.Generator) -> Array:
        shape = (layer.channels, x.shape[1], layer.kernel, layer.kernel)
        weights = dice.normal(0, 1, shape).astype(np.float32)
        made = _multiplied(layer, x, weights)
        axes = tuple(axis for axis in range(made.ndim) if axis != 1)
        spread = made.std(axis=axes, keepdims=True) if layer.kernel > 1 or made.ndim == 4 else made.std()
        self.raw[layer.name] = made
        self.weights[layer.name] = weights / np.reshape(spread, (-1, 1, 1, 1)).astype(np.float32)
        self._quantize(layer, x, dice)
        return _multiplied(layer, x, self.weights[layer.name])

    def _quantize(self, layer: Layer, x: Array, dice: np.random.Generator) -> None:
        weights, low, high = self.weights[layer.name], min(float(x.min()), 0.0), float(x.max())
        size = self.faults.weights.get(layer.name, 0.0)
        noise = dice.normal(0, 1, weights.shape) * size * weights.std() if size else 0.0
        scale = (high - low) / 255 / self.faults.scale.get(layer.name, 1.0)
        offset = int(np.clip(round(-128 - low / scale), -128, 127))
        per_channel = np.abs(weights).max(axis=(1, 2, 3)) / 127
        codes = np.round((weights + noise) / per_channel[:, None, None, None])
        self.codes[layer.name] = np.clip(codes, -128, 127).astype(np.int64)
        self.scales[layer.name] = (scale, offset, per_channel.astype(np.float32))

    # ------------------------------------------------------------------------------------------------------ runs

    def codes_of(self, name: str, x: Array) -> Array:
        scale, offset, _ = self.scales[name]
        return np.asarray(np.clip(np.round(x.astype(np.float64) / scale) + offset, -128, 127))

    def sums(self, layer: Layer, codes: Array) -> Array:
        return _multiplied(layer, codes.astype(np.int64) - self.scales[layer.name][1], self.codes[layer.name])

    def dequantized(self, layer: Layer, sums: Array) -> Array:
        scale, _, weights = self.scales[layer.name]
        shape = (1, -1) if sums.ndim == 2 else (1, -1, 1, 1)
        return np.asarray((sums * (scale * weights.astype(np.float64)).reshape(shape)).astype(np.float32))

    def simulated(self) -> dict[str, Array]:
        """The fake-quantized model in its framework: real numbers that went through codes."""
        found = {"data": self.floats["data"]}
        for layer in self.layers[1:]:
            values = [found[self.last(each)] for each in layer.reads]
            if not layer.channels:
                found[layer.name] = _plain(layer, values).astype(np.float32)
                continue
            scale, offset, _ = self.scales[layer.name]
            codes = self.codes_of(layer.name, values[0])
            found[f"{layer.name}_quant_layer"] = ((codes - offset) * scale).astype(np.float32)
            found[layer.name] = self.dequantized(layer, self.sums(layer, codes))
            found[f"{layer.name}_dequant_layer"] = found[layer.name]
        return found

    def last(self, name: str) -> str:
        return f"{name}_dequant_layer" if name in self.scales else name


# --------------------------------------------------------------------------------------------------------- on an NPU

_TYPES = {"ReLU": "Relu", "Softmax": "SoftmaxV2", "Eltwise": "Eltwise", "Pooling": "Pooling"}
_WEIGHTED = {"Convolution": "Conv2D", "InnerProduct": "FullyConnection"}


@dataclass
class Board:
    """Runs a case as an NPU does, and writes the dump and the JSON of the compiled model."""

    case: Case
    fused: bool
    folder: Path
    ops: list[Json] = field(default_factory=list)
    values: dict[str, Array] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        self.dice = np.random.default_rng([self.case.seed, 7])
        x = self.case.floats["data"]
        self._op("data", "Data", [""], x, ["data"], written=False)
        self._op("trans_TransData_0", "TransData", ["data"], x.astype(np.float16), [], origin="")
        self.made["data"] = "trans_TransData_0"
        skipped = self._joined() if self.fused else {}
        for layer in self.case.layers[1:]:
            if layer.name not in skipped.values():
                self._layer(layer, skipped.get(layer.name, ""))
        self.ops.append({"name": "Node_Output", "type": "NetOutput", "input": ["prob:0"], "output_desc": []})

    def _joined(self) -> dict[str, str]:
        """Convolutions with the ReLU behind them."""
        kinds = {layer.name: layer for layer in self.case.layers}
        pairs = {layer.reads[0]: layer.name for layer in self.case.layers if layer.kind == "ReLU"}
        return {name: relu for name, relu in pairs.items() if kinds[name].channels}

    def _layer(self, layer: Layer, relu: str) -> None:
        reads = [self.made[name] for name in layer.reads]
        if not layer.channels:
            made = _plain(layer, [self.values[name].astype(np.float32) for name in reads]).astype(np.float16)
            self._op(layer.name, _TYPES[layer.kind], reads, made, [layer.name])
            return
        name, case = layer.name, self.case
        quant, dequant = f"{name}_quant_layer", f"{name}_dequant_layer"
        x = self.values[reads[0]]
        codes = case.codes_of(name, x).astype(np.int8)
        self._op(quant, "AscendQuant", reads, codes, [quant])
        constants = [f"{name}_weight", f"{name}_bias", f"{name}_deq_scale"]
        for constant, kind in zip(constants, ("DT_INT8", "DT_INT32", "DT_UINT64"), strict=True):
            self.ops.append({"name": constant, "type": "Const", "output_desc": [{"dtype": kind}]})
        sums = case.sums(layer, self.values[quant].astype(np.int64)).astype(np.int32)
        if not self.fused:
            self._op(name, _WEIGHTED[layer.kind], [quant, *constants[:2]], sums, [name])
            real = case.dequantized(layer, self.values[name]).astype(np.float16)
            self._op(dequant, "AscendDequant", [name, constants[2]], real, [dequant])
            self.made[name] = dequant
            return
        originals = [name, dequant, *([relu] if relu else [])]
        real = case.dequantized(layer, sums).astype(np.float16)
        joined = "".join(originals)
        made = np.maximum(real, 0) if relu else real
        self._op(joined, _WEIGHTED[layer.kind], [quant, *constants], made, originals, of=name)
        self.made[name] = self.made[originals[-1]] = joined

    def _op(
        self,
        name: str,
        kind: str,
        reads: list[str],
        made: Array,
        originals: list[str],
        *,
        origin: str | None = None,
        written: bool = True,
        of: str = "",
    ) -> None:
        made = self._disturbed(of if of else name, kind, made) if written else made
        self.values[name] = made
        self.made.setdefault(name, name)
        origin = (originals[-1] if originals else "") if origin is None else origin
        attrs: list[Json] = [{"key": "_datadump_origin_format", "value": {"s": "NCHW"}}]
        if origin:
            attrs += [
                {"key": "_datadump_origin_name", "value": {"s": origin}},
                {"key": "_datadump_origin_output_index", "value": {"i": 0}},
            ]
        attrs += [{"key": "origin_shape", "value": {"list": {"val_type": 2, "i": list(made.shape)}}}]
        types = {"float32": "DT_FLOAT", "float16": "DT_FLOAT16", "int8": "DT_INT8", "int32": "DT_INT32"}
        self.ops.append(
            {
                "name": name,
                "type": kind,
                "id": len(self.ops),
                "input": [f"{text}:0" if text else "" for text in reads],
                "attr": [{"key": "_datadump_original_op_names", "value": {"list": {"val_type": 1, "s": originals}}}],
                "output_desc": [{"dtype": types[str(made.dtype)], "attr": attrs}],
            }
        )
        if written:
            path = self.folder / f"{kind}.{name}.{len(self.ops)}.7.{TIME + len(self.ops)}"
            held = [self.values[text] for text in reads if text in self.values]
            write_npu(path, [_blocked(each) for each in held], [_blocked(made)])

    def _disturbed(self, name: str, kind: str, made: Array) -> Array:
        faults = self.case.faults
        noise = faults.npu.get(name, 0.0) if not self.fused else self._of_fused(name)
        noise = float(np.hypot(noise, faults.drift)) if kind not in ("AscendQuant", "TransData") else noise
        if not noise:
            return made
        plain = made.astype(np.float64)
        changed = plain + self.dice.normal(0, 1, made.shape) * noise * np.sqrt((plain**2).mean())
        if made.dtype.kind == "i":
            bounds = np.iinfo(made.dtype)
            return np.asarray(np.clip(np.round(changed), bounds.min, bounds.max).astype(made.dtype))
        changed = np.maximum(changed, 0) if (plain >= 0).all() else changed
        return np.asarray(changed.astype(made.dtype))

    def _of_fused(self, name: str) -> float:
        """A fused operator does what its parts do."""
        faults = self.case.faults
        parts = (name, f"{name}_dequant_layer") if name in self.case.scales else (name,)
        return max([faults.fused.get(name, 0.0), *(faults.npu.get(part, 0.0) for part in parts)])


def _blocked(array: Array) -> NpuArray:
    """In blocks of channels, as an NPU holds images."""
    if array.ndim != 4:
        return NpuArray(array)
    block = 32 if array.dtype == np.int8 else 16
    count = -(-array.shape[1] // block)
    padded = np.pad(array, ((0, 0), (0, count * block - array.shape[1]), (0, 0), (0, 0)))
    blocks = padded.reshape(array.shape[0], count, block, *array.shape[2:]).transpose(0, 1, 3, 4, 2)
    return NpuArray(np.ascontiguousarray(blocks), "NC1HWC0", original_shape=array.shape)


# -------------------------------------------------------------------------------------------------------------- files


def write_case(folder: Path, seed: int = 0, faults: Faults = NONE) -> Case:
    """The case that was written to this folder."""
    case = Case(seed, faults)
    true = replace(case, faults=NONE) if False else case
    folder.mkdir(parents=True)
    _write_npy(folder / "float_npy", _original(true))
    _write_npy(folder / "fq_npy", case.simulated())
    (folder / "resnet.prototxt").write_text(_prototxt(case), encoding="utf-8")
    (folder / "resnet_quant.json").write_text(json.dumps({"graph": [{"op": _quant_info(case)}]}), encoding="utf-8")
    (folder / "scale_offset_record.txt").write_text(_record(case), encoding="utf-8")
    for fused, name in ((False, "off"), (True, "on")):
        board = Board(case, fused, folder / f"npu_{name}")
        text = json.dumps({"name": "ge_default", "graph": [{"name": "ge_default", "op": board.ops}]}, indent=1)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return case


def _write_npy(folder: Path, tensors: Mapping[str, Array]) -> None:
    folder.mkdir()
    for name, values in tensors.items():
        np.save(folder / f"{name}.0.{TIME}.npy", values)


def _original(case: Case) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for layer in case.layers:
        values = case.floats[layer.name]
        if layer.kind != "Convolution":
            found[layer.name] = values
            continue
        found[layer.name] = case.raw[layer.name]
        found[f"bn_{layer.name}"] = found[f"scale_{layer.name}"] = values
    return found


def _folded(layer: Layer) -> list[str]:
    name = layer.name
    return [name, f"bn_{name}", f"scale_{name}"] if layer.kind == "Convolution" else [name]


def _prototxt(case: Case) -> str:
    lines = ['name: "ResNet"', _layer_text("data", "Input", (), "data")]
    top = {"data": "data"}
    for layer in case.layers[1:]:
        own = top[layer.reads[0]] if layer.kind == "ReLU" else layer.name
        lines.append(_layer_text(layer.name, layer.kind, tuple(top[name] for name in layer.reads), own))
        if layer.kind == "Convolution":
            lines.append(_layer_text(f"bn_{layer.name}", "BatchNorm", (own,), own))
            lines.append(_layer_text(f"scale_{layer.name}", "Scale", (own,), own))
        top[layer.name] = own
    return "\n".join(lines)


def _layer_text(name: str, kind: str, bottoms: tuple[str, ...], top: str) -> str:
    reads = "".join(f'bottom: "{bottom}" ' for bottom in bottoms)
    return f'layer {{ name: "{name}" type: "{kind}" {reads}top: "{top}" }}'


def _quant_info(case: Case) -> list[Json]:
    found: list[Json] = []
    for layer in case.layers:
        if not layer.channels:
            found.append({"name": layer.name, "type": layer.kind})
            continue
        held = {"key": "_datadump_original_op_names", "value": {"list": {"val_type": 1, "s": _folded(layer)}}}
        last: list[Json] = [
            {"key": "_datadump_origin_format", "value": {"s": "NCHW"}},
            {"key": "_datadump_origin_output_index", "value": {"i": 0}},
            {"key": "_datadump_origin_name", "value": {"s": _folded(layer)[-1]}},
        ]
        found.append({"name": f"{layer.name}_quant_layer", "type": "Quant", "attr": [held]})
        found.append({"name": layer.name, "type": layer.kind, "attr": [held]})
        dequant = {"name": f"{layer.name}_dequant_layer", "type": "DeQuant", "attr": [held]}
        found.append({**dequant, "output_desc": [{"attr": last}]})
    return found


def _record(case: Case) -> str:
    lines: list[str] = []
    for name, (scale, offset, weights) in case.scales.items():
        lines += ["record {", f'  key: "{name}"', "  value {", f"    scale_d: {scale}", f"    offset_d: {offset}"]
        lines += [text for each in weights for text in (f"    scale_w: {each}", "    offset_w: 0")]
        lines += ["  }", "}"]
    return "\n".join(lines)
