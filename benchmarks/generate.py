"""Models to measure with: transformer decoders as exporters write them, a UNet, and simple shapes.

Decoders have scoped names, a mask and rotary tensors that every layer reads, residuals, and a key and a value that
come in and go out of every layer; with `qdq` every activation is quantized and dequantized, with `experts` the MLP
is a mixture. `python benchmarks/generate.py 10000 model.onnx` writes one.
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph


@dataclass(slots=True)
class Sketch:
    """Nodes as they are written down; becomes a `Graph` or an ONNX file."""

    name: str
    scoped: bool = True  # False: nodes get no names at all
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    weights: list[str] = field(default_factory=list)
    nodes: list[tuple[str, tuple[str, ...], tuple[str, ...], str]] = field(default_factory=list)
    _used: dict[str, int] = field(default_factory=dict)

    def input(self, name: str) -> str:
        self.inputs.append(name)
        return name

    def output(self, source: str, name: str) -> None:
        self.nodes.append(("Identity", (source,), (name,), self._name("", "Identity")))
        self.outputs.append(name)

    def give(self, tensor: str) -> None:
        """Makes a tensor an output without a node of its own."""
        self.outputs.append(tensor)

    def weight(self, scope: str, name: str) -> str:
        full = f"{scope}.{name}".strip("./").replace("/", ".")
        self.weights.append(full)
        return full

    def op(self, op_type: str, scope: str, *inputs: str, outputs: int = 1) -> str:
        """Adds a node and returns its first output; further ones end in _1, _2, …"""
        name = self._name(scope, op_type)
        first = f"{name}_output_0"
        made = tuple(f"{name}_output_{i}" for i in range(outputs))
        self.nodes.append((op_type, inputs, made, name))
        return first

    def _name(self, scope: str, op_type: str) -> str:
        stem = f"{scope}/{op_type}"
        count = self._used.get(stem, 0)
        self._used[stem] = count + 1
        return f"{stem}_{count}" if count else stem

    def graph(self) -> Graph:
        builder = GraphBuilder(name=self.name)
        for name in self.inputs:
            builder.input(name)
        for name in self.weights:
            builder.constant(name)
        for op_type, inputs, outputs, name in self.nodes:
            builder.node(op_type, inputs, outputs, name if self.scoped else "")
        for name in self.outputs:
            builder.output(name)
        return builder.build()

    def write(self, path: Path) -> None:
        """An ONNX file; weights are one number each, since nobody runs it."""
        from onnx import TensorProto, ValueInfoProto, helper, save

        def value(name: str) -> ValueInfoProto:
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)

        nodes = [
            helper.make_node(op_type, inputs, outputs, name=name if self.scoped else "")
            for op_type, inputs, outputs, name in self.nodes
        ]
        weights = [helper.make_tensor(name, TensorProto.FLOAT, [1], [1.0]) for name in self.weights]
        graph = helper.make_graph(
            nodes, self.name, [value(name) for name in self.inputs], [value(name) for name in self.outputs], weights
        )
        save(helper.make_model(graph, producer_name="errorflow-benchmarks"), path)


@dataclass(slots=True)
class _Decoder:
    sketch: Sketch
    qdq: bool
    experts: int

    def quantized(self, tensor: str, scope: str) -> str:
        if not self.qdq:
            return tensor
        sketch = self.sketch
        scale, zero = sketch.weight(scope, f"{tensor}_scale"), sketch.weight(scope, f"{tensor}_zero_point")
        return sketch.op(
            "DequantizeLinear", scope, sketch.op("QuantizeLinear", scope, tensor, scale, zero), scale, zero
        )

    def op(self, op_type: str, scope: str, *inputs: str) -> str:
        return self.quantized(self.sketch.op(op_type, scope, *inputs), scope)

    def linear(self, scope: str, x: str) -> str:
        return self.op("MatMul", scope, x, self.sketch.weight(scope, "weight"))

    def norm(self, scope: str, x: str) -> str:
        sketch = self.sketch
        squared = sketch.op("Pow", scope, x, sketch.weight(scope, "two"))
        mean = sketch.op("ReduceMean", scope, squared)
        root = sketch.op("Sqrt", scope, sketch.op("Add", scope, mean, sketch.weight(scope, "eps")))
        scaled = sketch.op("Mul", scope, x, sketch.op("Div", scope, sketch.weight(scope, "one"), root))
        return self.op("Mul", scope, sketch.weight(scope, "weight"), scaled)

    def head(self, scope: str, x: str) -> str:
        shaped = self.sketch.op("Reshape", scope, x, self.sketch.weight(scope, "shape"))
        return self.sketch.op("Transpose", scope, shaped)

    def rotated(self, scope: str, x: str, cos: str, sin: str) -> str:
        sketch = self.sketch
        first = sketch.op("Slice", scope, x, sketch.weight(scope, "first"))
        second = sketch.op("Slice", scope, x, sketch.weight(scope, "second"))
        turned = sketch.op("Concat", scope, sketch.op("Neg", scope, second), first)
        return self.op("Add", scope, sketch.op("Mul", scope, x, cos), sketch.op("Mul", scope, turned, sin))

    def attention(self, scope: str, layer: int, x: str, mask: str, rotary: tuple[str, str]) -> str:
        sketch = self.sketch
        query = self.head(scope, self.linear(f"{scope}/q_proj", x))
        key = self.head(scope, self.linear(f"{scope}/k_proj", x))
        value = self.head(scope, self.linear(f"{scope}/v_proj", x))
        query, key = self.rotated(scope, query, *rotary), self.rotated(scope, key, *rotary)
        key = sketch.op("Concat", scope, sketch.input(f"past_key_values.{layer}.key"), key)
        value = sketch.op("Concat", scope, sketch.input(f"past_key_values.{layer}.value"), value)
        sketch.give(key)
        sketch.give(value)
        scores = self.op("MatMul", scope, query, sketch.op("Transpose", scope, key))
        scaled = sketch.op("Div", scope, scores, sketch.weight(scope, "scale"))
        weights = self.op("Softmax", scope, sketch.op("Add", scope, scaled, mask))
        mixed = sketch.op("Transpose", scope, self.op("MatMul", scope, weights, value))
        return self.linear(f"{scope}/o_proj", sketch.op("Reshape", scope, mixed, sketch.weight(scope, "flat")))

    def mlp(self, scope: str, x: str) -> str:
        gate = self.linear(f"{scope}/gate_proj", x)
        sigmoid = self.sketch.op("Sigmoid", f"{scope}/act_fn", gate)
        active = self.op("Mul", f"{scope}/act_fn", gate, sigmoid)
        return self.linear(f"{scope}/down_proj", self.op("Mul", scope, active, self.linear(f"{scope}/up_proj", x)))

    def mixture(self, scope: str, x: str) -> str:
        """Every expert runs; a router weighs what they say."""
        sketch = self.sketch
        router = sketch.op("Softmax", f"{scope}/gate", self.linear(f"{scope}/gate", x))
        best = sketch.op("TopK", scope, router, sketch.weight(scope, "k"))
        parts = []
        for expert in range(self.experts):
            inner = f"{scope}/experts.{expert}"
            share = sketch.op("Gather", inner, best, sketch.weight(inner, "index"))
            parts.append(sketch.op("Mul", inner, self.mlp(inner, x), share))
        return self.op("Sum", scope, *parts)

    def layer(self, number: int, x: str, mask: str, rotary: tuple[str, str]) -> str:
        scope = f"/model/layers.{number}"
        attended = self.attention(f"{scope}/self_attn", number, self.norm(f"{scope}/input_layernorm", x), mask, rotary)
        x = self.op("Add", scope, x, attended)
        normed = self.norm(f"{scope}/post_attention_layernorm", x)
        deep = self.mixture(f"{scope}/moe", normed) if self.experts else self.mlp(f"{scope}/mlp", normed)
        return self.op("Add", scope, x, deep)


def decoder(layers: int, *, qdq: bool = False, experts: int = 0, scoped: bool = True) -> Sketch:
    """A decoder of about 60 nodes a layer, twice that with `qdq`, 8 (14) more with every expert."""
    sketch = Sketch(f"decoder-{layers}", scoped=scoped)
    build = _Decoder(sketch, qdq, experts)
    ids, attention_mask = sketch.input("input_ids"), sketch.input("attention_mask")
    positions = sketch.input("position_ids")
    scope = "/model"
    x = sketch.op("Gather", f"{scope}/embed_tokens", sketch.weight(scope, "embed_tokens"), ids)
    length = sketch.op("Gather", scope, sketch.op("Shape", scope, ids), sketch.weight(scope, "axis"))
    wide = sketch.op("Unsqueeze", scope, sketch.op("Cast", scope, attention_mask))
    wide = sketch.op("Expand", scope, wide, length)
    hidden = sketch.op("Cast", scope, sketch.op("Sub", scope, sketch.weight(scope, "one"), wide))
    mask = sketch.op("Where", scope, hidden, sketch.weight(scope, "lowest"), wide)
    rotary = f"{scope}/rotary_emb"
    angles = sketch.op("MatMul", rotary, sketch.op("Cast", rotary, positions), sketch.weight(rotary, "inv_freq"))
    both = sketch.op("Concat", rotary, angles, angles)
    turns = (sketch.op("Cos", rotary, both), sketch.op("Sin", rotary, both))
    for layer in range(layers):
        x = build.layer(layer, x, mask, turns)
    x = build.norm(f"{scope}/norm", x)
    sketch.output(build.linear("/lm_head", x), "logits")
    return sketch


def of_size(nodes: int, *, qdq: bool = False, experts: int = 0, scoped: bool = True) -> Sketch:
    """The decoder whose number of nodes comes closest."""
    one = len(decoder(1, qdq=qdq, experts=experts).nodes)
    two = len(decoder(2, qdq=qdq, experts=experts).nodes)
    return decoder(max(1, round((nodes - one) / (two - one)) + 1), qdq=qdq, experts=experts, scoped=scoped)


def unet(skips: int) -> Sketch:
    """Down and up again, as many skips as asked for, and a time step that every block reads."""
    sketch = Sketch(f"unet-{skips}")
    x, step = sketch.input("sample"), sketch.input("timestep")
    time = sketch.op("MatMul", "/time_embed", sketch.op("Cast", "/time_embed", step), "time.weight")
    sketch.weights.append("time.weight")
    kept = []
    for number in range(skips):
        x = _resnet(sketch, f"/down_blocks.{number // 6}/resnets.{number % 6}", x, time)
        kept.append(x)
    x = _resnet(sketch, "/mid_block", x, time)
    for number, skip in enumerate(reversed(kept)):
        scope = f"/up_blocks.{number // 6}/resnets.{number % 6}"
        x = _resnet(sketch, scope, sketch.op("Concat", scope, x, skip), time)
    sketch.output(sketch.op("Conv", "/conv_out", x, sketch.weight("/conv_out", "weight")), "out_sample")
    return sketch


def _resnet(sketch: Sketch, scope: str, x: str, time: str) -> str:
    def convolved(tensor: str) -> str:
        active = sketch.op("Sigmoid", scope, tensor)
        return sketch.op("Conv", scope, sketch.op("Mul", scope, tensor, active), sketch.weight(scope, "weight"))

    inner = convolved(sketch.op("InstanceNormalization", scope, x))
    moved = sketch.op("Add", scope, inner, sketch.op("Gemm", scope, time, sketch.weight(scope, "time")))
    return sketch.op("Add", scope, x, convolved(moved))


def fan(width: int) -> Sketch:
    """One tensor that `width` nodes read, and one node that reads them all."""
    sketch = Sketch(f"fan-{width}")
    x = sketch.input("x")
    parts = [sketch.op("Relu", "", sketch.op("Sigmoid", "", x)) for _ in range(width)]
    sketch.output(sketch.op("Concat", "", *parts), "y")
    return sketch


def chain(length: int) -> Sketch:
    sketch = Sketch(f"chain-{length}")
    x = sketch.input("x")
    for _ in range(length):
        x = sketch.op("Relu", "", x)
    sketch.output(x, "y")
    return sketch


VARIANTS = ("plain", "qdq", "moe", "moe-qdq")
EXPERTS = 24


def variant(nodes: int, kind: str, *, scoped: bool = True) -> Sketch:
    return of_size(nodes, qdq=kind.endswith("qdq"), experts=EXPERTS if kind.startswith("moe") else 0, scoped=scoped)


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nodes", type=int)
    parser.add_argument("path", type=Path)
    parser.add_argument("--variant", choices=VARIANTS, default="plain")
    parser.add_argument("--nameless", action="store_true", help="leave the nodes' names out")
    options = parser.parse_args(None if arguments is None else list(arguments))
    sketch = variant(options.nodes, options.variant, scoped=not options.nameless)
    sketch.write(options.path)
    print(f"{options.path}: {len(sketch.nodes)} nodes")


if __name__ == "__main__":
    main()
