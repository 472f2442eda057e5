"""Nets of several kinds with weights by a seed, and the trained ones of the sample, to plant faults into."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray

from make_sample import measure, members, nets
from make_sample.model import float_model
from make_sample.net import Net, NetBuilder, Weights
from make_sample.store import trained

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Planted:
    """An original model and one input."""

    model: onnx.ModelProto
    inputs: dict[str, Floats]


def _norm(net: NetBuilder, scope: str, x: str, count: int) -> str:
    at = scope.strip("/").replace("/", ".")
    weights = {f"{at}.bn.{part}": (count,) for part in ("weight", "bias", "mean", "var")}
    return net.add("BatchNormalization", f"{scope}/bn", x, weights=weights, epsilon=1e-5)


def _conv(net: NetBuilder, scope: str, x: str, cin: int, cout: int, stride: int = 1, relu: bool = True) -> str:
    y = _norm(net, scope, net.conv(scope, x, cin, cout, 3, stride, relu=False), cout)
    return net.add("Relu", f"{scope}/act", y) if relu else y


def _head(net: NetBuilder, x: str, width: int) -> Net:
    x = net.add("GlobalAveragePool", "/head/pool", x)
    x = net.add("Flatten", "/head", x, axis=1)
    net.gemm("/head/fc", x, width, 10, output="scores")
    net.outputs["scores"] = (1, 10)
    return net.build()


def residual(dice: np.random.Generator) -> Net:
    """Two convolutions with norms and a shortcut, several times, as in ResNet."""
    width, blocks = int(dice.integers(6, 24)), int(dice.integers(2, 6))
    net = NetBuilder("residual", "image", (1, 3, 16, 16))
    x = _conv(net, "/stem", "image", 3, width)
    for block in range(blocks):
        y = _conv(net, f"/layer{block}/one", x, width, width)
        y = _conv(net, f"/layer{block}/two", y, width, width, relu=False)
        x = net.add("Relu", f"/layer{block}/out", net.add("Add", f"/layer{block}", x, y))
    return _head(net, x, width)


def plain(dice: np.random.Generator) -> Net:
    """Convolutions one behind the other with pools between, as in VGG, and two layers at the end."""
    width, blocks = int(dice.integers(6, 20)), int(dice.integers(2, 4))
    net = NetBuilder("plain", "image", (1, 3, 16, 16))
    x, count = "image", 3
    for block in range(blocks):
        for layer in range(2):
            x, count = net.conv(f"/block{block}/conv{layer}", x, count, width, 3), width
        x = net.add("MaxPool", f"/block{block}/pool", x, kernel_shape=(2, 2), strides=(2, 2))
    side = 16 >> blocks
    x = net.add("Flatten", "/neck", x, axis=1)
    x = net.add("Relu", "/neck/act", net.gemm("/neck/fc", x, width * side * side, 24))
    net.gemm("/head/fc", x, 24, 10, output="scores")
    net.outputs["scores"] = (1, 10)
    return net.build()


def branches(dice: np.random.Generator) -> Net:
    """Parallel ways of different depth put side by side, as in Inception."""
    width, blocks = int(dice.integers(4, 10)), int(dice.integers(2, 4))
    net = NetBuilder("branches", "image", (1, 3, 16, 16))
    x, count = net.conv("/stem", "image", 3, 2 * width, 3), 2 * width
    for block in range(blocks):
        short = net.conv(f"/mixed{block}/short", x, count, width, 1)
        deep = net.conv(f"/mixed{block}/deep0", x, count, width, 1)
        deep = net.conv(f"/mixed{block}/deep1", deep, width, width, 3)
        x, count = net.add("Concat", f"/mixed{block}", short, deep, axis=1), 2 * width
    return _head(net, x, count)


RANDOM: dict[str, Callable[[np.random.Generator], Net]] = {"residual": residual, "plain": plain, "branches": branches}
TRAINED: dict[str, Callable[[], Net]] = {
    "digits": nets.digits,
    "locator": nets.locator,
    "transformer": nets.transformer,
}
NETS = (*RANDOM, *TRAINED)


def planted_net(name: str, seed: int) -> Planted:
    dice = np.random.default_rng(seed)
    if name in TRAINED:
        net = TRAINED[name]()
        pictures = measure.images(members.MEMBERS[4].inputs if name == "locator" else "digits", "evaluation")
        picture = pictures[int(dice.integers(len(pictures)))]
        return Planted(float_model(net, trained(net)), {net.input: picture[None]})
    net = RANDOM[name](dice)
    return Planted(float_model(net, _weights(net, dice)), {net.input: _picture(net.input_shape, dice)})


def _weights(net: Net, dice: np.random.Generator) -> Weights:
    """Such that signals neither die nor explode, with norms that are not all the same."""
    found: Weights = {}
    for name, shape in net.shapes.items():
        kind = name.rsplit(".", 1)[1]
        if len(shape) > 1:
            fan = int(np.prod(shape[1:]))
            value = dice.standard_normal(shape) * np.sqrt(2 / fan)
        elif kind in ("var", "weight"):
            value = dice.uniform(0.5, 1.5, shape)
        else:
            value = dice.standard_normal(shape) * 0.1
        found[name] = value.astype(np.float16).astype(np.float32)
    return found


def _picture(shape: tuple[int, ...], dice: np.random.Generator) -> Floats:
    """Soft spots, as pictures have and noise has not."""
    coarse = dice.standard_normal((*shape[:2], 4, 4))
    smooth = np.kron(coarse, np.ones((shape[2] // 4, shape[3] // 4)))
    return (smooth + 0.3 * dice.standard_normal(shape)).astype(np.float32)
