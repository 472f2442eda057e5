"""Pairs of small graphs, of which one became the other."""

from collections.abc import Sequence

from errorflow.explain.difference.link import link
from errorflow.explain.difference.model import Links
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph

# Operator, name, inputs, output, and what a compiler recorded.
Line = tuple[str, str, str, str] | tuple[str, str, str, str, tuple[str, ...]]


def graph(*lines: Line, inputs: Sequence[str] = ("x",), outputs: Sequence[str] = ()) -> Graph:
    """Inputs are given with blanks between them; w… are constants. Without outputs, the last tensor is one."""
    builder = GraphBuilder("net")
    for name in inputs:
        builder.input(name)
    for op_type, name, reads, makes, *recorded in lines:
        names = reads.split()
        for constant in names:
            if constant.startswith("w"):
                builder.constant(constant)
        builder.node(op_type, names, makes.split(), name=name, origins=recorded[0] if recorded else None)
    for name in outputs if outputs else [lines[-1][3]]:
        builder.output(name)
    return builder.build()


def linked(links: Links) -> dict[str, set[str]]:
    """By the names of the reference's nodes, or their types where they have none."""
    found: dict[str, set[str]] = {}
    for source, target in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
        found.setdefault(links.reference.node_names[source], set()).add(links.candidate.node_names[target])
    return found


def rule_of(reference: Graph, candidate: Graph, name: str, other: str) -> str:
    """The key of the rule that linked two nodes; "": none did."""
    links = link(reference, candidate)
    one, two = reference.node_index(name), candidate.node_index(other)
    assert one is not None
    assert two is not None
    rule = links.rule(one, two)
    return "" if rule is None else rule.key


CHAIN = graph(
    ("Conv", "conv", "x w1", "a"),
    ("BatchNormalization", "bn", "a w2", "b"),
    ("Relu", "relu", "b", "c"),
    ("MaxPool", "pool", "c", "d"),
    ("Gemm", "fc", "d w3", "y"),
)
