"""Nets by a seed with room for faults that no float result shows: some channels of them are always zero."""

from collections.abc import Callable

import numpy as np

from make_sample import nets
from make_sample.net import Floats, Net, NetBuilder, Weights

SIDE = 16


def repvgg(dice: np.random.Generator) -> Net:
    """Convolutions of three by three, one behind the other, as RepVGG is deployed."""
    width, depth = int(dice.integers(8, 20)), int(dice.integers(5, 10))
    net = NetBuilder("repvgg", "image", (1, 3, SIDE, SIDE))
    x = net.conv("/stem", "image", 3, width, 3)
    for place in range(depth):
        x = net.conv(f"/stage{place}", x, width, width, 3, 2 if place == depth // 2 else 1)
    return _classified(net, x, width)


def mobile(dice: np.random.Generator) -> Net:
    """Inverted residuals: wide, by channel, narrow, and what went in added."""
    width, wide, depth = int(dice.integers(6, 12)), int(dice.integers(12, 28)), int(dice.integers(2, 5))
    net = NetBuilder("mobile", "image", (1, 3, SIDE, SIDE))
    x = net.conv("/stem", "image", 3, width, 3, 2)
    for place in range(depth):
        y = net.conv(f"/block{place}/expand", x, width, wide, 1)
        y = net.conv(f"/block{place}/depthwise", y, wide, wide, 3, groups=wide)
        y = net.conv(f"/block{place}/project", y, wide, width, 1, relu=False)
        x = net.add("Add", f"/block{place}", x, y)
    x = net.conv("/head", x, width, wide, 1)
    return _classified(net, x, wide)


def _classified(net: NetBuilder, x: str, width: int) -> Net:
    x = net.add("Flatten", "/head", net.add("GlobalAveragePool", "/head/pool", x), axis=1)
    net.gemm("/head/fc", x, width, 10, output="scores")
    net.outputs["scores"] = (1, 10)
    return net.build()


def transformer(dice: np.random.Generator) -> Net:
    """Two encoder blocks over patches, with one head each."""
    width, side = int(dice.integers(16, 33)), 4
    net = NetBuilder("encoder", "image", (1, 3, SIDE, SIDE))
    x = net.conv("/embed", "image", 3, width, side, side, relu=False)
    shape = net.constant("/embed/shape", np.array((1, width, side * side), np.int64))
    x = net.add("Transpose", "/embed", net.add("Reshape", "/embed", x, constants=(shape,)), perm=(0, 2, 1))
    x = net.add("Add", "/embed", x, weights={"embed.position": (1, side * side, width)})
    for place in range(2):
        x = _encoder(net, f"/layer{place}", x, width)
    x = net.add("ReduceMean", "/pool", _norm(net, "/norm", x, width), axes=(1,), keepdims=0)
    net.gemm("/head", x, width, 10, output="scores")
    net.outputs["scores"] = (1, 10)
    return net.build()


def _encoder(net: NetBuilder, scope: str, x: str, width: int) -> str:
    y = _norm(net, f"{scope}/norm1", x, width)
    q, k, v = (_linear(net, f"{scope}/{part}", y, width, width) for part in "qkv")
    z = net.add("MatMul", f"{scope}/attn", q, net.add("Transpose", f"{scope}/attn", k, perm=(0, 2, 1)))
    root = net.constant(f"{scope}/attn/root", np.array(width**-0.5, np.float32))
    z = net.add("Softmax", f"{scope}/attn", net.add("Mul", f"{scope}/attn", z, constants=(root,)), axis=2)
    z = net.add("MatMul", f"{scope}/attn", z, v)
    x = net.add("Add", scope, x, _linear(net, f"{scope}/proj", z, width, width))
    y = _linear(net, f"{scope}/fc1", _norm(net, f"{scope}/norm2", x, width), width, 2 * width)
    y = _linear(net, f"{scope}/fc2", net.add("Relu", f"{scope}/act", y), 2 * width, width)
    return net.add("Add", scope, x, y)


def _norm(net: NetBuilder, scope: str, x: str, width: int) -> str:
    at = scope.strip("/").replace("/", ".")
    weights = {f"{at}.weight": (width,), f"{at}.bias": (width,)}
    return net.add("LayerNormalization", scope, x, weights=weights, axis=-1, epsilon=1e-5)


def _linear(net: NetBuilder, scope: str, x: str, cin: int, cout: int) -> str:
    at = scope.strip("/").replace("/", ".")
    y = net.add("MatMul", scope, x, weights={f"{at}.weight": (cin, cout)})
    return net.add("Add", scope, y, weights={f"{at}.bias": (cout,)})


def detector(dice: np.random.Generator) -> Net:
    """A dense head: boxes in pixels and probabilities for each place of a grid, put into one tensor."""
    width, classes = int(dice.integers(8, 17)), int(dice.integers(3, 9))
    net = NetBuilder("detector", "image", (1, 3, SIDE, SIDE))
    x = net.conv("/stem", "image", 3, width, 3, 2)
    for place in range(int(dice.integers(2, 5))):
        x = net.conv(f"/neck{place}", x, width, width, 3)
    boxes = net.add("Sigmoid", "/boxes", net.conv("/boxes", x, width, 4, 1, relu=False))
    size = net.constant("/boxes/size", np.array(dice.integers(320, 1281), np.float32))
    boxes = net.add("Mul", "/boxes", boxes, constants=(size,))
    scores = net.add("Sigmoid", "/classes", net.conv("/classes", x, width, classes, 1, relu=False))
    net.add("Concat", "", boxes, scores, axis=1, output="detections")
    net.outputs["detections"] = (1, 4 + classes, SIDE // 2, SIDE // 2)
    return net.build()


def logarithm(dice: np.random.Generator) -> Net:
    """Powers before a logarithm, kept from zero by less than a step of eight bits."""
    width, bands = int(dice.integers(8, 13)), int(dice.integers(6, 13))
    net = NetBuilder("logarithm", "image", (1, 3, SIDE, SIDE))
    x = net.conv("/stem", "image", 3, width, 3)
    x = net.conv("/bands", x, width, bands, 3)
    power = net.add("Mul", "/power", x, x)
    tiny = net.constant("/power/tiny", np.array(1e-6, np.float32))
    x = net.add("Log", "/level", net.add("Add", "/power", power, constants=(tiny,)))
    x = net.conv("/tail", x, bands, width, 3)
    return _classified(net, x, width)


def two_outputs(dice: np.random.Generator) -> Net:
    """A second classifier in the middle, which nobody reads."""
    width, depth = int(dice.integers(8, 16)), int(dice.integers(4, 8))
    net = NetBuilder("two", "image", (1, 3, SIDE, SIDE))
    x = net.conv("/stem", "image", 3, width, 3)
    for place in range(depth):
        x = net.conv(f"/stage{place}", x, width, width, 3)
        if place == depth // 2:
            y = net.conv("/auxiliary", x, width, width, 3)
            y = net.add("Flatten", "/auxiliary", net.add("GlobalAveragePool", "/auxiliary/pool", y), axis=1)
            net.gemm("/auxiliary/fc", y, width, 10, output="auxiliary")
            net.outputs["auxiliary"] = (1, 10)
    return _classified(net, x, width)


NETS: dict[str, Callable[[np.random.Generator], Net]] = {
    "repvgg": repvgg,
    "mobile": mobile,
    "transformer": transformer,
    "detector": detector,
    "logarithm": logarithm,
    "two outputs": two_outputs,
    # With the weights that they were trained to.
    "digits": lambda _: nets.digits(),
    "locator": lambda _: nets.locator(),
    "encoder": lambda _: nets.transformer(),
}
TRAINED = {"digits": "digits", "encoder": "digits", "locator": "locator"}


# What they make is not between two layers.
_ENDS = ("/boxes/", "/classes/", "/embed/")


def weights_for(net: Net, dice: np.random.Generator) -> Weights:
    """Such that signals neither die nor explode; the last channel of what is between two layers is always zero."""
    found: Weights = {}
    for step in net.steps:
        for name in step.weights:
            if name in net.shapes:
                found[name] = _weight(step.op, name, net.shapes[name], dice)
                if step.op != "Gemm" and not step.name.startswith(_ENDS):
                    # Of matrices the columns are what comes out, of filters the rows.
                    found[name][-1 if found[name].ndim in (1, 4) else (..., -1)] = 0.0
    return found


def _weight(op: str, name: str, shape: tuple[int, ...], dice: np.random.Generator) -> Floats:
    if name.endswith("position"):
        return (0.5 * dice.standard_normal(shape)).astype(np.float32)
    if len(shape) == 1:
        base = 1.0 if op == "LayerNormalization" and name.endswith("weight") else 0.0
        return (base + 0.1 * dice.standard_normal(shape)).astype(np.float32)
    fan = shape[0] if op == "MatMul" else int(np.prod(shape[1:]))
    found: Floats = (dice.standard_normal(shape) * np.sqrt(2 / fan)).astype(np.float32)
    return found
