"""The net layer by layer, with its weights, and what each layer makes of an image in float."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Kind = Literal["Convolution", "BatchNorm", "Scale", "ReLU", "Pooling", "Eltwise", "InnerProduct", "Softmax"]
SIDE, CLASSES = 16, 10
EPSILON = 1e-5
# Layers with weights.
HEADS = ("Convolution", "InnerProduct")


@dataclass(frozen=True, slots=True)
class Layer:
    """One line of the prototxt. `bottoms` are layers, not Caffe's blobs; `top` is the blob."""

    name: str
    kind: Kind
    bottoms: tuple[str, ...]
    top: str
    # Of convolutions and pooling: side of the window, stride, padding; of those with weights what comes out.
    kernel: int = 0
    stride: int = 1
    pad: int = 0
    outputs: int = 0
    average: bool = False


@dataclass(frozen=True)
class Net:
    """`weights` by layer: filters of a convolution; of a norm mean and variance; of a Scale its two; of fc10 both."""

    layers: Sequence[Layer]
    weights: Mapping[str, tuple[Array, ...]]
    image: Array = field(repr=False)

    @cached_property
    def by_name(self) -> Mapping[str, Layer]:
        return {layer.name: layer for layer in self.layers}

    @cached_property
    def values(self) -> Mapping[str, Array]:
        """What each layer makes in float, the image included."""
        found = {"data": self.image}
        for layer in self.layers:
            found[layer.name] = made(layer, [found[name] for name in layer.bottoms], self.weights.get(layer.name, ()))
        return found

    def heads(self) -> Iterator[Layer]:
        return (layer for layer in self.layers if layer.kind in HEADS)

    def unit(self, head: str) -> tuple[str, ...]:
        """The layer and the norm that is folded into it."""
        norms = [layer.name for layer in self.layers if layer.top == head and layer.kind in ("BatchNorm", "Scale")]
        return (head, *norms)

    def activation(self, head: str) -> str:
        """The ReLU behind the unit; "": there is none."""
        return next((x.name for x in self.layers if x.kind == "ReLU" and x.bottoms == (self.unit(head)[-1],)), "")

    def folded(self, head: str) -> tuple[Array, Array]:
        """Weights and bias with the norm in them."""
        weights = self.weights[head]
        if self.by_name[head].kind == "InnerProduct":
            return weights[0], weights[1]
        _, norm, scale = self.unit(head)
        (mean, variance), (gamma, beta) = self.weights[norm], self.weights[scale]
        factor = gamma / np.sqrt(variance + EPSILON)
        return weights[0] * factor[:, None, None, None], beta - mean * factor


def net_of(seed: int) -> Net:
    """Weights by lot; each norm knows the statistics of this image, as after training."""
    dice = np.random.default_rng(seed)
    layers = tuple(_layers())
    values: dict[str, Array] = {"data": _image(dice)}
    weights: dict[str, tuple[Array, ...]] = {}
    for layer in layers:
        read = [values[name] for name in layer.bottoms]
        weights[layer.name] = _weights(layer, read[0], dice)
        values[layer.name] = made(layer, read, weights[layer.name])
    return Net(layers, weights, values["data"])


def _image(dice: np.random.Generator) -> Array:
    coarse = np.kron(dice.standard_normal((1, 3, 4, 4)), np.ones((SIDE // 4, SIDE // 4)))
    return np.asarray((coarse + 0.4 * dice.standard_normal(coarse.shape)).astype(np.float32))


def _layers() -> Iterator[Layer]:
    yield from _convolution("conv1", "data", 3, 1, 8, "_conv1")
    yield Layer("conv1_relu", "ReLU", ("scale_conv1",), "conv1")
    yield Layer("pool1", "Pooling", ("conv1_relu",), "pool1", 2, 2)
    yield from _block("2a", "pool1", 8, 1, shortcut=True)
    yield from _block("2b", "res2a_relu", 8, 1, shortcut=False)
    yield from _block("3a", "res2b_relu", 16, 2, shortcut=True)
    yield Layer("pool5", "Pooling", ("res3a_relu",), "pool5", SIDE // 4, 1, average=True)
    yield Layer("fc10", "InnerProduct", ("pool5",), "fc10", outputs=CLASSES)
    yield Layer("prob", "Softmax", ("fc10",), "prob")


def _block(place: str, bottom: str, width: int, stride: int, *, shortcut: bool) -> Iterator[Layer]:
    scope = f"res{place}"
    if shortcut:
        yield from _convolution(f"{scope}_branch1", bottom, 1, stride, width, f"{place}_branch1")
    yield from _convolution(f"{scope}_branch2a", bottom, 3, stride, width, f"{place}_branch2a")
    yield Layer(f"{scope}_branch2a_relu", "ReLU", (f"scale{place}_branch2a",), f"{scope}_branch2a")
    yield from _convolution(f"{scope}_branch2b", f"{scope}_branch2a_relu", 3, 1, width, f"{place}_branch2b")
    first = f"scale{place}_branch1" if shortcut else bottom
    yield Layer(scope, "Eltwise", (first, f"scale{place}_branch2b"), scope)
    yield Layer(f"{scope}_relu", "ReLU", (scope,), scope)


def _convolution(name: str, bottom: str, side: int, stride: int, width: int, suffix: str) -> Iterator[Layer]:
    yield Layer(name, "Convolution", (bottom,), name, side, stride, side // 2, width)
    yield Layer(f"bn{suffix}", "BatchNorm", (name,), name)
    yield Layer(f"scale{suffix}", "Scale", (f"bn{suffix}",), name)


def _weights(layer: Layer, read: Array, dice: np.random.Generator) -> tuple[Array, ...]:
    width = read.shape[1]
    if layer.kind == "Convolution":
        shape = (layer.outputs, width, layer.kernel, layer.kernel)
        return (_float(dice.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))),)
    if layer.kind == "BatchNorm":
        return (read.mean(axis=(0, 2, 3)), read.var(axis=(0, 2, 3)))
    if layer.kind == "Scale":
        return (_float(dice.uniform(0.8, 1.2, width)), _float(0.1 * dice.standard_normal(width)))
    if layer.kind == "InnerProduct":
        return (
            _float(dice.standard_normal((layer.outputs, width)) * 2.5 / np.sqrt(width)),
            np.zeros(CLASSES, np.float32),
        )
    return ()


def _float(array: ArrayLike) -> Array:
    return np.asarray(array, np.float32)


def made(layer: Layer, read: Sequence[Array], weights: Sequence[Array]) -> Array:
    """What a layer makes of what it reads."""
    x = read[0]
    if layer.kind == "Convolution":
        return convolved(x, weights[0], layer)
    if layer.kind == "InnerProduct":
        return _float(x.reshape(len(x), -1) @ weights[0].T + weights[1])
    if layer.kind in ("BatchNorm", "Scale"):
        first, second = (each[:, None, None] for each in weights)
        return _float((x - first) / np.sqrt(second + EPSILON) if layer.kind == "BatchNorm" else x * first + second)
    return without_weights(layer, read)


def without_weights(layer: Layer, read: Sequence[Array]) -> Array:
    x = read[0]
    if layer.kind == "ReLU":
        return _float(np.maximum(x, 0))
    if layer.kind == "Eltwise":
        return _float(x + read[1])
    if layer.kind == "Pooling":
        windows = _windows(x, layer.kernel, layer.stride)
        return _float(windows.mean(axis=(-2, -1)) if layer.average else windows.max(axis=(-2, -1)))
    power = np.exp(x - x.max(axis=1, keepdims=True))
    return _float(power / power.sum(axis=1, keepdims=True))


def convolved(x: Array, weights: Array, layer: Layer, *, filling: float = 0) -> Array:
    """In the type of what it reads; the border is filled with `filling`."""
    sides = ((0, 0), (0, 0), (layer.pad, layer.pad), (layer.pad, layer.pad))
    padded = np.pad(x, sides, constant_values=filling)
    windows = _windows(padded, layer.kernel, layer.stride)
    found: Array = np.einsum("nchwij,ocij->nohw", windows, weights, optimize=True)
    return found


def _windows(x: Array, side: int, stride: int) -> Array:
    found: Array = np.lib.stride_tricks.sliding_window_view(x, (side, side), axis=(2, 3))
    return found[:, :, ::stride, ::stride]
