"""The three nets of the sample, small enough to ship and deep enough for an error to travel."""

import numpy as np

from make_sample.net import Net, NetBuilder

# The frame that the locator's 16×16 picture was shrunk from; its boxes are in pixels of that frame.
FRAME = 640
PICTURE = 16
TOKENS, WIDTH, HEADS = 16, 20, 2


def digits(auxiliary: bool = False) -> Net:
    """Inverted residual blocks as in MobileNetV2. The last channel of each hidden tensor is always zero: faults
    can be planted on it that no float result ever shows.

    `auxiliary` keeps the second classifier that only training reads.
    """
    net = NetBuilder("digits", "image", (1, 1, 8, 8))
    x = net.conv("/stem", "image", 1, 8, 3)
    x = _block(net, "/block1", x, 8, 14, 8)
    x = _block(net, "/block2", x, 8, 16, 12, stride=2)
    if auxiliary:
        pooled = net.add("GlobalAveragePool", "/auxiliary/pool", x)
        flat = net.add("Flatten", "/auxiliary", pooled, axis=1)
        net.gemm("/auxiliary/fc", flat, 12, 10, output="auxiliary")
        net.outputs["auxiliary"] = (1, 10)
    x = _block(net, "/block3", x, 12, 24, 12)
    x = _block(net, "/block4", x, 12, 24, 12)
    x = net.conv("/head", x, 12, 24, 1)
    x = net.add("GlobalAveragePool", "/head/pool", x)
    x = net.add("Flatten", "/head", x, axis=1)
    x = net.gemm("/head/fc", x, 24, 10)
    net.add("Softmax", "/head", x, axis=1, output="probabilities")
    net.outputs["probabilities"] = (1, 10)
    return net.build()


def _block(net: NetBuilder, scope: str, x: str, cin: int, wide: int, cout: int, stride: int = 1) -> str:
    y = net.conv(f"{scope}/expand", x, cin, wide, 1)
    y = net.conv(f"{scope}/depthwise", y, wide, wide, 3, stride, groups=wide)
    y = net.conv(f"{scope}/project", y, wide, cout, 1, relu=False)
    return net.add("Add", scope, x, y) if stride == 1 and cin == cout else y


def locator(split: bool = False) -> Net:
    """Finds one digit in a picture: its box in pixels and its class probabilities, in one tensor as detectors often
    export them. `split`: as two outputs."""
    net = NetBuilder("locator", "picture", (1, 1, PICTURE, PICTURE))
    x = net.conv("/backbone/stem", "picture", 1, 8, 3, 2)
    x = net.conv("/backbone/conv1", x, 8, 16, 3)
    x = net.conv("/backbone/conv2", x, 16, 16, 3, 2)
    x = net.conv("/backbone/conv3", x, 16, 16, 3)
    x = net.conv("/neck/reduce", x, 16, 8, 1)
    x = net.add("Flatten", "/neck", x, axis=1)
    x = net.add("Relu", "/neck/act", net.gemm("/neck/fc", x, 128, 32, inner=True))
    box = net.gemm("/box/fc", x, 32, 4)
    size = net.constant("/box/Constant_output_0", np.array(FRAME, np.float32))
    box = net.add("Mul", "/box", box, constants=(size,), output="boxes" if split else "")
    classes = net.gemm("/classes/fc", x, 32, 10)
    classes = net.add("Softmax", "/classes", classes, axis=1, output="probabilities" if split else "")
    if split:
        net.outputs |= {"boxes": (1, 4), "probabilities": (1, 10)}
    else:
        net.add("Concat", "", box, classes, axis=1, output="detections")
        net.outputs["detections"] = (1, 14)
    return net.build()


def transformer() -> Net:
    """An encoder block over 16 patches of 2×2 pixels, GELU spelled out as exporters do."""
    net = NetBuilder("transformer", "image", (1, 1, 8, 8))
    x = net.conv("/embed", "image", 1, WIDTH, 2, 2, relu=False)
    x = net.add("Reshape", "/embed", x, constants=(_shape(net, "/embed", 1, WIDTH, TOKENS),))
    x = net.add("Transpose", "/embed", x, perm=(0, 2, 1))
    x = net.add("Add", "/embed", x, weights={"embed.position": (1, TOKENS, WIDTH)})
    x = _encoder(net, "/encoder", x)
    x = _norm(net, "/norm", x)
    x = net.add("ReduceMean", "/pool", x, axes=(1,), keepdims=0)
    x = net.gemm("/head", x, WIDTH, 10)
    net.add("Softmax", "", x, axis=1, output="probabilities")
    net.outputs["probabilities"] = (1, 10)
    return net.build()


def _encoder(net: NetBuilder, scope: str, x: str) -> str:
    y = _norm(net, f"{scope}/norm1", x)
    size = WIDTH // HEADS
    heads = {}
    for part in ("q", "k", "v"):
        z = _linear(net, f"{scope}/attn/{part}", y, WIDTH, WIDTH)
        z = net.add("Reshape", f"{scope}/attn", z, constants=(_shape(net, f"{scope}/attn", 1, TOKENS, HEADS, size),))
        heads[part] = net.add("Transpose", f"{scope}/attn", z, perm=(0, 2, 3, 1) if part == "k" else (0, 2, 1, 3))
    z = net.add("MatMul", f"{scope}/attn", heads["q"], heads["k"], inner=True)
    scale = net.constant(f"{scope}/attn/Constant_output_0", np.array(size**-0.5, np.float32))
    z = net.add("Softmax", f"{scope}/attn", net.add("Mul", f"{scope}/attn", z, constants=(scale,)), axis=3)
    z = net.add("MatMul", f"{scope}/attn", z, heads["v"])
    z = net.add("Transpose", f"{scope}/attn", z, perm=(0, 2, 1, 3))
    z = net.add("Reshape", f"{scope}/attn", z, constants=(_shape(net, f"{scope}/attn/merge", 1, TOKENS, WIDTH),))
    x = net.add("Add", scope, x, _linear(net, f"{scope}/attn/proj", z, WIDTH, WIDTH))
    y = _norm(net, f"{scope}/norm2", x)
    y = _gelu(net, f"{scope}/mlp/act", _linear(net, f"{scope}/mlp/fc1", y, WIDTH, 2 * WIDTH))
    return net.add("Add", scope, x, _linear(net, f"{scope}/mlp/fc2", y, 2 * WIDTH, WIDTH))


def _norm(net: NetBuilder, scope: str, x: str) -> str:
    at = scope.strip("/").replace("/", ".")
    weights = {f"{at}.weight": (WIDTH,), f"{at}.bias": (WIDTH,)}
    return net.add("LayerNormalization", scope, x, weights=weights, axis=-1, epsilon=1e-5)


def _linear(net: NetBuilder, scope: str, x: str, cin: int, cout: int) -> str:
    at = scope.strip("/").replace("/", ".")
    y = net.add("MatMul", scope, x, weights={f"{at}.weight": (cin, cout)}, inner=True)
    return net.add("Add", scope, y, weights={f"{at}.bias": (cout,)})


def _gelu(net: NetBuilder, scope: str, x: str) -> str:
    root, one, half = (
        net.constant(f"{scope}/Constant_{i}_output_0", np.array(value, np.float32))
        for i, value in enumerate((2**0.5, 1.0, 0.5))
    )
    y = net.add("Div", scope, x, constants=(root,), inner=True)
    y = net.add("Erf", scope, y, inner=True)
    y = net.add("Add", scope, y, constants=(one,), inner=True)
    y = net.add("Mul", scope, x, y, inner=True)
    return net.add("Mul", scope, y, constants=(half,))


def _shape(net: NetBuilder, scope: str, *sizes: int) -> str:
    return net.constant(f"{scope}/shape", np.array(sizes, np.int64))
