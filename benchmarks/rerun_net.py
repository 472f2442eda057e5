"""A detector in the manner of YOLOv8, with weights by a seed: SiLU spelled out, Split, Concat, Resize, three heads."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper


@dataclass(slots=True)
class _Net:
    dice: np.random.Generator
    nodes: list[Any] = field(default_factory=list)
    weights: list[Any] = field(default_factory=list)

    def add(self, kind: str, *read: str, outputs: int = 1, **attributes: Any) -> str:
        name = f"{kind}_{len(self.nodes)}"
        made = [f"{name}:{place}" for place in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(read), made, name, **attributes))
        return made[0] if outputs == 1 else name

    def constant(self, values: Any) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def conv(self, x: str, cin: int, cout: int, size: int = 1, stride: int = 1, act: bool = True) -> str:
        spread = np.sqrt(2 / (cin * size * size))
        weight = self.dice.standard_normal((cout, cin, size, size), np.float32) * np.float32(spread)
        bias = self.dice.standard_normal(cout, np.float32) * np.float32(0.1)
        pads = [size // 2] * 4
        y = self.add("Conv", x, self.constant(weight), self.constant(bias), pads=pads, strides=[stride, stride])
        return self.add("Mul", y, self.add("Sigmoid", y)) if act else y

    def block(self, x: str, cin: int, cout: int, depth: int, shortcut: bool) -> str:
        """Two halves, of which one goes through small convolutions whose every result is kept."""
        half = cout // 2
        split = self.add("Split", self.conv(x, cin, cout), self.constant([half, half]), outputs=2, axis=1)
        kept = [f"{split}:0", f"{split}:1"]
        for _ in range(depth):
            y = self.conv(self.conv(kept[-1], half, half, 3), half, half, 3)
            kept.append(self.add("Add", kept[-1], y) if shortcut else y)
        return self.conv(self.add("Concat", *kept, axis=1), half * len(kept), cout)

    def pools(self, x: str, width: int) -> str:
        kept = [self.conv(x, width, width // 2)]
        for _ in range(3):
            kept.append(self.add("MaxPool", kept[-1], kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1]))
        return self.conv(self.add("Concat", *kept, axis=1), 2 * width, width)

    def doubled(self, x: str) -> str:
        return self.add("Resize", x, "", self.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest")

    def head(self, x: str, width: int, classes: int) -> str:
        boxes = self.conv(self.conv(self.conv(x, width, 64, 3), 64, 64, 3), 64, 64, act=False)
        scores = self.conv(self.conv(self.conv(x, width, 80, 3), 80, 80, 3), 80, classes, act=False)
        both = self.add("Concat", boxes, self.add("Sigmoid", scores), axis=1)
        return self.add("Reshape", both, self.constant([1, 64 + classes, -1]))


def detector(side: int = 320, seed: int = 0, classes: int = 80) -> onnx.ModelProto:
    net = _Net(np.random.default_rng(seed))
    x = net.conv(net.conv("images", 3, 16, 3, 2), 16, 32, 3, 2)
    x = net.conv(net.block(x, 32, 32, 1, True), 32, 64, 3, 2)
    small = net.block(x, 64, 64, 2, True)
    middle = net.block(net.conv(small, 64, 128, 3, 2), 128, 128, 2, True)
    large = net.pools(net.block(net.conv(middle, 128, 256, 3, 2), 256, 256, 1, True), 256)
    up = net.block(net.add("Concat", net.doubled(large), middle, axis=1), 384, 128, 1, False)
    one = net.block(net.add("Concat", net.doubled(up), small, axis=1), 192, 64, 1, False)
    two = net.block(net.add("Concat", net.conv(one, 64, 64, 3, 2), up, axis=1), 192, 128, 1, False)
    three = net.block(net.add("Concat", net.conv(two, 128, 128, 3, 2), large, axis=1), 384, 256, 1, False)
    heads = [net.head(x, width, classes) for x, width in ((one, 64), (two, 128), (three, 256))]
    net.nodes.append(helper.make_node("Concat", heads, ["predictions"], "all", axis=2))
    image = helper.make_tensor_value_info("images", 1, (1, 3, side, side))
    out = helper.make_tensor_value_info("predictions", 1, None)
    graph = helper.make_graph(net.nodes, "detector", [image], [out], net.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
