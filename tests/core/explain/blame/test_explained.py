"""Behind a clear fault nobody else is blamed for what that explains; sums of codes; tensors that nothing makes."""

import numpy as np
import pytest

from blame_cases import chain, compared, graph_of, row
from errorflow.compare.model import Comparison
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.measured import constants
from errorflow.explain.blame.model import Blame, Verdict
from errorflow.graph.build import GraphBuilder


def titles(found: Blame) -> list[str]:
    return [found.graph.node_names[each.node] for each in found.model.top]


def test_growth_behind_a_clear_fault_is_the_faults() -> None:
    found = blame(*chain(0.001, 0.001, 0.4, 0.4, 0.55, 0.5, 0.5))
    assert titles(found) == ["n1"] and found.model.kind == "node error"


def test_a_second_jump_behind_it_is_not() -> None:
    found = blame(*chain(0.001, 0.001, 0.2, 0.2, 0.2, 0.2, 0.2, 0.45))
    assert set(titles(found)) == {"n1", "n6"}


def test_where_every_node_adds_as_much_none_is_a_clear_fault() -> None:
    found = blame(*chain(0.0, *(0.2 * step**0.5 for step in range(1, 9))))
    assert found.model.kind == "accumulated error" and len(titles(found)) == 5


def quantized(sums: float | None, made: float) -> Blame:
    """A layer as AMCT makes it, of whose sums nothing is known, or their error."""
    builder = GraphBuilder("net")
    builder.input("x")
    for name, dtype in (("w", "int8"), ("s", "uint64")):
        builder.constant(name)
        builder.tensor(name, dtype, (8,))
    builder.node("Relu", ["x"], ["a"], name="relu")
    builder.node("AscendQuant", ["a"], ["q"], name="conv_quant_layer")
    builder.node("Conv2D", ["q", "w"], ["c"], name="conv")
    builder.node("AscendDequant", ["c", "s"], ["d"], name="conv_dequant_layer")
    builder.tensor("q", "int8", (1, 4, 8))
    builder.tensor("c", "int32", (1, 4, 8))
    builder.output("d")
    errors = {"x": 0.0, "a": 0.0005, "d": made} | ({} if sums is None else {"c": sums})
    return blame(builder.build(), compared(errors))


@pytest.mark.parametrize(("sums", "guilty"), [(None, "conv"), (0.4, "conv"), (0.001, "conv_dequant_layer")])
def test_a_quantized_layer_is_blamed_whether_its_sums_were_measured_or_not(sums: float | None, guilty: str) -> None:
    found = quantized(sums, 0.4)
    assert found.model.kind == "node error" and titles(found) == [guilty]
    assert found.model.text.startswith("Node error (estimated): conv ")


def test_a_scale_that_does_not_fit_is_that_of_the_layer_that_reads_with_it() -> None:
    lines = [
        ("relu", "Relu", ["x"], ["a"]),
        ("conv_quant_layer", "AscendQuant", ["a"], ["q"]),
        ("conv", "Conv2D", ["q", "w"], ["c"]),
    ]
    found = blame(graph_of(lines, outputs=["c"]), compared({"x": 0.0, "a": 0.01, "q": 0.7, "c": 0.7}))
    assert titles(found) == ["conv_quant_layer"]
    assert "Node error (estimated): conv (conv_quant_layer) is where " in found.model.text
    assert "the scale of conv does not fit what it reads" in found.notes[1]


def test_a_tensor_that_nothing_makes_is_no_constant() -> None:
    lines = [("a", "Conv2D", ["data:0", "w"], ["t"]), ("b", "Relu", ["t"], ["y"])]
    graph = graph_of(lines, inputs=(), outputs=["y"])
    known = {graph.tensor_names[tensor] for tensor in np.flatnonzero(constants(graph)).tolist()}
    assert known == {"w"}

    found = blame(graph, compared({"t": 0.273, "y": 0.273}))
    assert found.model.kind == "node error" and titles(found) == ["a"]


def test_what_was_measured_is_never_overwritten() -> None:
    lines = [("a", "Const", [], ["t"]), ("b", "Relu", ["t"], ["y"])]
    found = blame(graph_of(lines, inputs=(), outputs=["y"]), compared({"t": 0.3, "y": 0.273}))
    assert found.model.kind != "good"
    assert found.accumulated.tolist() == [0.3, 0.273]


def test_a_list_says_that_nobody_was_judged_and_what_to_add() -> None:
    lines = [("a_dequant_layer", "DeQuant", ["u"], ["t"]), ("b", "Relu", ["v"], ["y"])]
    found = blame(graph_of(lines, inputs=()), compared({"t": 0.3, "y": 0.3}), leads_on=False)
    assert found.model.kind == "beyond limits"
    assert found.model.text.startswith("Not judged: 2 operators are beyond the limit")
    assert "the first is a (a_dequant_layer)" in found.model.text
    assert [advice.key for advice in found.model.advice] == ["beyond limits"]
    assert Verdict.ORIGIN not in found.verdicts.tolist()

    good = blame(graph_of(lines, inputs=()), Comparison((row("t", 0.01),)), leads_on=False)
    assert good.model.text == "Good: 1 tensor that was measured is within the limit (relative error ≤ 0.05)."
