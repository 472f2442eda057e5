"""Small models that need no file."""

from pathlib import Path

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Function, Graph, Model, Subgraph


def body(name: str, op_type: str) -> Graph:
    builder = GraphBuilder(name)
    builder.seen_from_outside(["relu_out"])
    builder.node(op_type, ["relu_out"], [f"{name}_out"], name=f"{name}_node")
    builder.output(f"{name}_out")
    return builder.build()


def branching_graph() -> Graph:
    """conv1 → relu1 → if1 (two bodies) → call1 (a function); conv10 stands beside; one input is made nowhere."""
    builder = GraphBuilder(
        "main", attributes=lambda node: {"pads": [1, 1], "long": list(range(500))} if not node else {}
    )
    builder.tensor("x", dtype="float32", shape=(1, 3, 8, 8))
    builder.tensor("conv_out", dtype="float32", shape=(1, 16, 8, 8))
    builder.input("x")
    builder.constant("w")
    builder.node("Conv", ["x", "w"], ["conv_out"], name="conv1")
    builder.node("Relu", ["conv_out"], ["relu_out"], name="relu1", origins=("act_a", "act_b"))
    owner = builder.node("If", ["condition"], ["if_out"], name="if1")
    builder.node("Call", ["if_out"], ["call_out"], name="call1", domain="local")
    builder.node("Conv", ["x", "w"], ["other_out"], name="conv10", origins=())
    builder.node("Conv", ["x", "w"], ["third_out"], name="conv2")
    builder.subgraphs += [
        Subgraph(owner, "then_branch", body("then", "Abs")),
        Subgraph(owner, "else_branch", body("else", "Neg")),
    ]
    builder.output("call_out")
    return builder.build()


def branching_model(path: Path = Path("/models/branching.onnx")) -> Model:
    return Model(
        path,
        "ONNX model",
        branching_graph(),
        (("Producer", "tests"),),
        (Function("local", "Call", body("call", "Exp")),),
    )


def chain(nodes: int) -> Graph:
    """Nodes one after the other."""
    builder = GraphBuilder("chain")
    builder.input("t0")
    for i in range(nodes):
        builder.node("Relu" if i % 2 else "Conv", [f"t{i}"], [f"t{i + 1}"], name=f"/layer{i // 10}/node{i}")
    builder.output(f"t{nodes}")
    return builder.build()


def crowd() -> Graph:
    """One tensor that two hundred equal branches read."""
    builder = GraphBuilder("crowd")
    builder.input("x")
    builder.node("Relu", ["x"], ["all"], name="source")
    for number in range(200):
        builder.node("Mul", ["all"], [f"m{number}"], name=f"/moe/expert.{number}/mul")
        builder.node("Add", [f"m{number}", "all"], [f"a{number}"], name=f"/moe/expert.{number}/add")
    builder.node("Sum", [f"a{number}" for number in range(200)], ["y"], name="/moe/sum")
    builder.output("y")
    return builder.build()
