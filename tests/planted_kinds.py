"""Faults of many kinds in float models, each in one node: what converters, compilers and kernels do wrong."""

import contextlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from errorflow.cli.main import main as main_of_errorflow
from errorflow.formats import read_model
from errorflow.quant.switching import in_units
from onnx_models import graph, model, value, weight
from planted_faults import base
from rerun_nets import every_tensor

Arrays = dict[str, NDArray[np.generic]]
# 18 random and trained nets that are in `faulty_nets`, and two more for operators that they lack.
NETS = ("repvgg", "mobile", "transformer", "digits", "encoder", "locator", "detector", "recurrent", "resizing")
CODES = 255


@dataclass(frozen=True, eq=False)
class Right:
    """A model as it should be, and what it makes of one sample."""

    model: onnx.ModelProto
    sample: Arrays
    values: Arrays

    @classmethod
    def of(cls, net: str, seed: int) -> "Right":
        if net in OWN:
            found, sample = OWN[net](np.random.default_rng(seed))
        else:
            known = base(net, seed)
            found, sample = known.model, dict(known.fed(known.samples[seed]))
        return cls(found, sample, every_tensor(found, sample) | sample)


def recurrent(dice: np.random.Generator) -> tuple[onnx.ModelProto, Arrays]:
    """Two LSTMs over twelve steps, and a classifier behind the last one."""
    nodes, weights, read = [], [], "x"
    for at, size in enumerate((6, 8)):
        names = [f"{part}{at}" for part in ("w", "r", "b")]
        shapes = (1, 32, size), (1, 32, 8), (1, 64)
        weights += [weight(name, _drawn(dice, shape)) for name, shape in zip(names, shapes, strict=True)]
        nodes.append(helper.make_node("LSTM", [read, *names], [f"h{at}"], f"/lstm{at}/LSTM", hidden_size=8))
        nodes.append(helper.make_node("Squeeze", [f"h{at}", "axis"], [f"s{at}"], f"/lstm{at}/Squeeze"))
        read = f"s{at}"
    weights += [weight("axis", np.array([1])), weight("fc", _drawn(dice, (8, 10))), weight("bias", _drawn(dice, (10,)))]
    nodes.append(helper.make_node("MatMul", [read, "fc"], ["product"], "/fc/MatMul"))
    nodes.append(helper.make_node("Add", ["product", "bias"], ["scores"], "/fc/Add"))
    x = dice.standard_normal((12, 1, 6)).astype(np.float32)
    main = graph(*nodes, inputs=[value("x", x.shape)], outputs=[value("scores", (12, 1, 10))], weights=weights)
    return model(main, ir_version=10), {"x": x}


def resizing(dice: np.random.Generator) -> tuple[onnx.ModelProto, Arrays]:
    """Half the size, back to the size, beside what it was, and a convolution over both."""
    sizes = {"first": (8, 3, 3, 3), "down": (8, 8, 3, 3), "last": (4, 16, 3, 3)}
    weights = [weight(f"{name}.weight", _drawn(dice, shape, 0.25)) for name, shape in sizes.items()]
    weights += [weight("scales", np.array([1, 1, 2, 2], np.float32))]
    pads: dict[str, Any] = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Conv", ["x", "first.weight"], ["a"], "/first/Conv", **pads),
        helper.make_node("Relu", ["a"], ["b"], "/first/Relu"),
        helper.make_node("Conv", ["b", "down.weight"], ["c"], "/down/Conv", strides=[2, 2], **pads),
        helper.make_node("Relu", ["c"], ["d"], "/down/Relu"),
        helper.make_node("Resize", ["d", "", "scales"], ["e"], "/up/Resize", mode="linear"),
        helper.make_node("Concat", ["b", "e"], ["f"], "/join/Concat", axis=1),
        helper.make_node("Conv", ["f", "last.weight"], ["g"], "/last/Conv", **pads),
        helper.make_node("Sigmoid", ["g"], ["y"], "/last/Sigmoid"),
    ]
    x = dice.standard_normal((1, 3, 16, 16)).astype(np.float32)
    main = graph(*nodes, inputs=[value("x", x.shape)], outputs=[value("y", (1, 4, 16, 16))], weights=weights)
    return model(main, ir_version=10), {"x": x}


OWN: dict[str, Callable[[np.random.Generator], tuple[onnx.ModelProto, Arrays]]] = {
    "recurrent": recurrent,
    "resizing": resizing,
}


def _drawn(dice: np.random.Generator, shape: tuple[int, ...], size: float = 0.5) -> NDArray[np.float32]:
    return (dice.standard_normal(shape) * size).astype(np.float32)


class Broken:
    """A copy of a model in which one node is made wrong."""

    def __init__(self, right: Right, dice: np.random.Generator) -> None:
        self.right, self.dice, self.model = right, dice, onnx.ModelProto()
        self.model.CopyFrom(right.model)

    def picked(self, *op_types: str, fits: Callable[[onnx.NodeProto], bool] = lambda _: True) -> onnx.NodeProto | None:
        found = [node for node in self.model.graph.node if node.op_type in op_types and fits(node)]
        return found[int(self.dice.integers(len(found)))] if found else None

    def constant(self, name: str) -> NDArray[np.generic] | None:
        known = {each.name: each for each in self.model.graph.initializer}
        return numpy_helper.to_array(known[name]).copy() if name in known else None

    def set_constant(self, name: str, array: NDArray[np.generic]) -> None:
        for each in self.model.graph.initializer:
            if each.name == name:
                each.CopyFrom(numpy_helper.from_array(array, name))

    def weights_of(self, node: onnx.NodeProto, ndim: int = 0) -> tuple[str, NDArray[np.generic]] | None:
        """The first constant of several axes that it reads, which others do not read."""
        for name in node.input:
            array = self.constant(name)
            if array is not None and array.ndim > 1 and (not ndim or array.ndim == ndim):
                return name, array
        return None

    def behind(self, node: onnx.NodeProto, *steps: onnx.NodeProto) -> None:
        """Puts steps between what a node makes and its readers: the first reads `wrong:in`, the last makes its name."""
        name = node.output[0]
        node.output[0] = "wrong:in"
        steps[-1].output[0] = name
        at = list(self.model.graph.node).index(node)
        nodes = list(self.model.graph.node)
        del self.model.graph.node[:]
        self.model.graph.node.extend([*nodes[: at + 1], *steps, *nodes[at + 1 :]])

    def rounded(self, node: onnx.NodeProto, low: float, high: float, codes: int = CODES, shift: int = 0) -> None:
        """Rounds what it makes to so many codes from `low` to `high`."""
        scale = max((high - low) / codes, 1e-9)
        zero = int(np.clip(round(-low / scale), 0, CODES)) if codes == CODES else 128
        low_code, high_code = (0, CODES) if codes == CODES else (128 - codes // 2, 128 + codes // 2)
        parts = {
            "wrong:scale": np.float32(scale),
            "wrong:zero": np.uint8(zero),
            "wrong:other": np.uint8((zero + shift) % 256),
        }
        self.model.graph.initializer.extend(
            numpy_helper.from_array(np.array(part), name) for name, part in parts.items()
        )
        limits = {"wrong:low": np.uint8(low_code), "wrong:high": np.uint8(high_code)}
        self.model.graph.initializer.extend(
            numpy_helper.from_array(np.array(part), name) for name, part in limits.items()
        )
        self.behind(
            node,
            helper.make_node("QuantizeLinear", ["wrong:in", "wrong:scale", "wrong:zero"], ["wrong:code"]),
            helper.make_node("Clip", ["wrong:code", "wrong:low", "wrong:high"], ["wrong:cut"]),
            helper.make_node("DequantizeLinear", ["wrong:cut", "wrong:scale", "wrong:other"], [""]),
        )

    def made(self, node: onnx.NodeProto) -> NDArray[np.generic]:
        return self.right.values[node.output[0]]


# Breaks a node and returns it; None: the model has none of that kind.
Break = Callable[[Broken], onnx.NodeProto | None]
_PRODUCTS = ("Conv", "Gemm", "MatMul")


def _changed(change: Callable[[NDArray[np.generic], np.random.Generator], NDArray[np.generic]], ndim: int = 0) -> Break:
    def breaks(broken: Broken) -> onnx.NodeProto | None:
        node = broken.picked(*_PRODUCTS, fits=lambda each: broken.weights_of(each, ndim) is not None)
        found = None if node is None else broken.weights_of(node, ndim)
        if found is not None:
            name, array = found
            broken.set_constant(name, np.ascontiguousarray(change(array, broken.dice)).astype(array.dtype))
        return node

    return breaks


def _channel(array: NDArray[np.generic], dice: np.random.Generator) -> NDArray[np.generic]:
    axis = 0 if array.ndim == 4 else array.ndim - 1
    factors = np.ones(array.shape[axis], array.dtype)
    factors[int(dice.integers(len(factors)))] = 6
    return np.asarray(array * np.expand_dims(factors, [at for at in range(array.ndim) if at != axis]))


def _coarse(array: NDArray[np.generic], _: np.random.Generator) -> NDArray[np.generic]:
    step = np.abs(array).max() / 3
    return np.asarray(np.round(array / step) * step)


def bias(broken: Broken) -> onnx.NodeProto | None:
    node = broken.picked("Conv", "Gemm", fits=lambda each: len(each.input) > 2)
    if node is not None:
        array = broken.constant(node.input[2])
        assert array is not None
        broken.set_constant(node.input[2], (array + broken.made(node).std()).astype(array.dtype))
    return node


def pads(broken: Broken) -> onnx.NodeProto | None:
    def has_pads(node: onnx.NodeProto) -> bool:
        return any(each.name == "pads" and list(each.ints) == [1, 1, 1, 1] for each in node.attribute)

    node = broken.picked("Conv", fits=has_pads)
    for each in () if node is None else node.attribute:
        if each.name == "pads":
            each.ints[:] = [0, 0, 2, 2]
    return node


def clip(broken: Broken) -> onnx.NodeProto | None:
    node = broken.picked("Relu")
    if node is not None:
        most = np.float32(broken.made(node).max() / 4)
        pairs = {"wrong:low": np.float32(0), "wrong:high": most}
        broken.model.graph.initializer.extend(
            numpy_helper.from_array(np.array(part), name) for name, part in pairs.items()
        )
        node.op_type = "Clip"
        node.input.extend(pairs)
    return node


def lost_relu(broken: Broken) -> onnx.NodeProto | None:
    node = broken.picked("Relu")
    if node is not None:
        node.op_type = "Identity"
    return node


def _with_attribute(name: str, changed: object, *op_types: str) -> Break:
    def breaks(broken: Broken) -> onnx.NodeProto | None:
        node = broken.picked(*op_types)
        if node is not None:
            kept = [each for each in node.attribute if each.name != name]
            del node.attribute[:]
            node.attribute.extend([*kept, helper.make_attribute(name, changed)])
        return node

    return breaks


def softmax_axis(broken: Broken) -> onnx.NodeProto | None:
    node = broken.picked("Softmax", fits=lambda each: broken.made(each).ndim > 2)
    if node is not None:
        del node.attribute[:]
        node.attribute.append(helper.make_attribute("axis", -2))
    return node


def concat_order(broken: Broken) -> onnx.NodeProto | None:
    def is_even(node: onnx.NodeProto) -> bool:
        shapes = {broken.right.values[name].shape for name in node.input if name in broken.right.values}
        return len(shapes) == 1 and len(node.input) > 1

    node = broken.picked("Concat", fits=is_even)
    if node is not None:
        node.input[:] = list(node.input)[::-1]
    return node


def gates(broken: Broken) -> onnx.NodeProto | None:
    node = broken.picked("LSTM")
    for name in () if node is None else list(node.input)[1:4]:
        array = broken.constant(name)
        assert array is not None
        parts = np.split(array, 8 if array.ndim == 2 else 4, axis=1)
        order = [0, 2, 1, 3, 4, 6, 5, 7] if array.ndim == 2 else [0, 2, 1, 3]
        broken.set_constant(name, np.concatenate([parts[at] for at in order], axis=1))
    return node


_REAL = (*_PRODUCTS, "Relu", "Add", "LayerNormalization", "Concat", "GlobalAveragePool", "LSTM", "Resize")


def _rounding(low: float, high: float, codes: int = CODES, shift: int = 0, *op_types: str) -> Break:
    """`low` and `high` as parts of the range."""

    def breaks(broken: Broken) -> onnx.NodeProto | None:
        node = broken.picked(*(op_types or _REAL), fits=lambda each: each.output[0] in broken.right.values)
        if node is not None:
            array = broken.made(node)
            broken.rounded(node, low * float(min(array.min(), 0)), high * float(array.max()), codes, shift)
        return node

    return breaks


def overflow(broken: Broken) -> onnx.NodeProto | None:
    """What it makes passes a type of 16 bits, for which a third of it is too large."""
    node = broken.picked(*_PRODUCTS, "Add", fits=lambda each: each.output[0] in broken.right.values)
    if node is not None:
        factor = np.float32(65504 / np.quantile(np.abs(broken.made(node)), 0.7))
        parts = {"wrong:up": factor, "wrong:down": 1 / factor}
        broken.model.graph.initializer.extend(
            numpy_helper.from_array(np.array(part), name) for name, part in parts.items()
        )
        broken.behind(
            node,
            helper.make_node("Mul", ["wrong:in", "wrong:up"], ["wrong:large"]),
            helper.make_node("Cast", ["wrong:large"], ["wrong:half"], to=TensorProto.FLOAT16),
            helper.make_node("Cast", ["wrong:half"], ["wrong:whole"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["wrong:whole", "wrong:down"], [""]),
        )
    return node


def offset(broken: Broken) -> onnx.NodeProto | None:
    node = broken.picked("Add", fits=lambda each: not any(broken.constant(name) is not None for name in each.input))
    if node is not None:
        part = np.array(broken.made(node).std() / 2, np.float32)
        broken.model.graph.initializer.append(numpy_helper.from_array(part, "wrong:part"))
        broken.behind(node, helper.make_node("Add", ["wrong:in", "wrong:part"], [""]))
    return node


def average(broken: Broken) -> onnx.NodeProto | None:
    node = broken.picked("GlobalAveragePool")
    if node is not None:
        node.op_type = "GlobalMaxPool"
    return node


def channels(broken: Broken) -> onnx.NodeProto | None:
    """Channels come out in another order."""
    node = broken.picked("Conv", fits=lambda each: broken.made(each).shape[1] > 1)
    if node is not None:
        order = np.roll(np.arange(broken.made(node).shape[1]), 1)
        broken.model.graph.initializer.append(numpy_helper.from_array(order, "wrong:order"))
        broken.behind(node, helper.make_node("Gather", ["wrong:in", "wrong:order"], [""], axis=1))
    return node


KINDS: dict[str, Break] = {
    "scale of one channel": _changed(_channel),
    "weights of 3 bits": _changed(_coarse),
    "shuffled weights": _changed(lambda array, dice: dice.permutation(array.reshape(-1)).reshape(array.shape)),
    "kernel transposed": _changed(lambda array, _: array.swapaxes(-1, -2), 4),
    "bias": bias,
    "pads": pads,
    "clip": clip,
    "lost Relu": lost_relu,
    "softmax axis": softmax_axis,
    "epsilon": _with_attribute("epsilon", 3.0, "LayerNormalization", "BatchNormalization"),
    "resize mode": _with_attribute("mode", "nearest", "Resize"),
    "concat order": concat_order,
    "concat of ranges": _rounding(1, 1, 15, 0, "Concat"),
    "LSTM gates": gates,
    "float16 overflow": overflow,
    "4 bits": _rounding(1, 1, 15),
    "range too small": _rounding(0.2, 0.2),
    "range too large": _rounding(60, 60),
    "zero point": _rounding(1, 1, CODES, 24),
    "residual offset": offset,
    "average": average,
    "channels in another order": channels,
}


@dataclass(frozen=True, eq=False)
class KindCase:
    kind: str
    net: str
    seed: int
    right: Right
    wrong: onnx.ModelProto
    guilty: str

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.net} {self.seed}"


def kind_cases(kinds: list[str], nets: list[str], seeds: int) -> Iterator[KindCase]:
    """Every kind in every net that has room for it."""
    for net in nets:
        for seed in range(seeds):
            right = Right.of(net, seed)
            for kind in kinds:
                broken = Broken(right, np.random.default_rng([seed, *kind.encode()]))
                node = KINDS[kind](broken)
                if node is not None:
                    yield KindCase(kind, net, seed, right, broken.model, node.name)


DOORS = ("models", "dumps", "alone")


def told(case: KindCase, door: str, folder: Path) -> dict[str, Any]:
    """The verdict of `compare`."""
    for name, proto in (("right", case.right.model), ("wrong", case.wrong)):
        onnx.save(proto, folder / f"{name}.onnx")
        if door != "models":
            np.savez(
                folder / f"{name}.npz",
                allow_pickle=False,
                **every_tensor(proto, case.right.sample),
                **case.right.sample,
            )
    np.savez(folder / "inputs.npz", allow_pickle=False, **case.right.sample)
    end = "onnx" if door == "models" else "npz"
    runs = ["-m", str(folder / f"wrong.{end}"), "-g", str(folder / f"right.{end}")]
    more = ["--inputs", str(folder / "inputs.npz")] if door == "models" else ["--model", str(folder / "right.onnx")]
    more += ["--estimate"] if door == "alone" else []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main_of_errorflow(["compare", *runs, *more, "-out", str(folder)])
    found: dict[str, Any] = json.loads((folder / "summary.json").read_text("utf-8"))["blame"]
    return found


def judged(case: KindCase, found: dict[str, Any], folder: Path) -> str:
    """Says "right", "wrong", "unsure" or "harmless"."""
    if found["kind"] == "good":
        return "harmless"
    graph = read_model(folder / "right.onnx").graph
    node = graph.node_index(case.guilty)
    assert node is not None
    group = {graph.node_names[each] for each in in_units(graph, (node,))}
    remedy = found["remedy"]
    named = [each["node"] for each in found["top"][:1]] if remedy is None else remedy["nodes"]
    if not named or found["kind"] != "node error":
        return "unsure"
    if not group.intersection(named):
        return "wrong"
    return "right" if group.issuperset(named) else "unsure"
