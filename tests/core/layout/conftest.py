"""Graphs to lay out: real models that come with the onnx package, generated ones, random ones."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.outline import Outline

REAL = ("bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19")


def real_graph(name: str) -> Graph:
    import onnx

    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    model = onnx.load(folder / f"light_{name}.onnx", load_external_data=False).graph
    builder = GraphBuilder(name=name)
    for value in model.input:
        builder.input(value.name)
    for weight in model.initializer:
        builder.constant(weight.name)
    for node in model.node:
        builder.node(node.op_type, node.input, node.output, node.name)
    for value in model.output:
        builder.output(value.name)
    return builder.build()


def random_graph(seed: int, largest: int = 40) -> Graph:
    """Anything: cycles, self-loops, several edges between two nodes, lonely nodes, several parts, control edges."""
    random = Random(seed)
    count = random.randrange(0, largest)
    tensors = [f"t{i}" for i in range(random.randrange(1, 2 * largest))]
    backwards = random.random() < 0.3
    builder = GraphBuilder()
    makers = {tensor: random.randrange(-2, count) if count else -1 for tensor in tensors}
    for tensor, maker in makers.items():
        if maker == -1:
            builder.input(tensor)
        elif maker == -2:
            builder.constant(tensor)
    scopes = ["a", "a/b", "a/b/c", "a/d", "e"]
    for node in range(count):
        readable = [t for t, maker in makers.items() if maker < node or backwards]
        reads = random.choices(readable, k=random.randrange(0, 5)) if readable else []
        if random.random() < 0.1:
            reads.append("")
        waits = [f"n{random.randrange(count)}"] if random.random() < 0.1 else []
        builder.node(
            random.choice(["Add", "Conv", "BatchNormalization", "Mul"]),
            reads,
            [t for t, maker in makers.items() if maker == node],
            name=f"n{node}" if random.random() < 0.3 else f"{random.choice(scopes)}/n{node}",
            waits_for=waits,
        )
    for tensor in random.sample(tensors, min(3, len(tensors))):
        builder.output(tensor)
    return builder.build()


def some_groups(outline: Outline, seed: int) -> frozenset[int]:
    random = Random(seed)
    return frozenset(group for group in range(len(outline)) if random.random() < 0.6)


@pytest.fixture
def graph_of() -> Callable[..., Graph]:
    """Makes a graph of nodes "op: inputs -> outputs"; x… are graph inputs, y… outputs, w… constants."""

    def build(*nodes: str) -> Graph:
        builder = GraphBuilder()
        made: set[str] = set()
        read: list[str] = []
        for node in nodes:
            op_type, _, rest = node.partition(":")
            left, _, right = rest.partition("->")
            builder.node(op_type.strip(), left.split(), right.split(), name=f"node{len(made)}_{op_type}")
            read += left.split()
            made.update(right.split())
        for tensor in dict.fromkeys(read):
            if tensor.startswith("x"):
                builder.input(tensor)
            elif tensor.startswith("w"):
                builder.constant(tensor)
        for tensor in sorted(made):
            if tensor.startswith("y"):
                builder.output(tensor)
        return builder.build()

    return build
