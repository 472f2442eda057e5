import pytest

from errorflow.explain.difference.link import link
from errorflow.explain.difference.model import KINDS
from errorflow.explain.difference.rules import LINK_RULES
from errorflow.explain.difference.table import Difference, Differences, differences
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from graph_pairs import CHAIN, graph


def _only(reference: Graph, candidate: Graph) -> tuple[Differences, Difference]:
    found = differences(link(reference, candidate))
    (row,) = found.rows
    return found, row


def test_a_graph_and_itself_do_not_differ() -> None:
    found = differences(link(CHAIN, CHAIN))

    assert (found.rows, found.same) == ((), 5)
    assert found.counts == dict.fromkeys(KINDS, 0)


def test_what_was_merged_stands_with_all_its_nodes() -> None:
    folded = graph(("Conv", "conv", "x w1", "c1"), ("MaxPool", "pool", "c1", "d1"), ("Gemm", "fc", "d1 w3", "y1"))

    found, row = _only(CHAIN, folded)

    assert row.kind == "merged"
    assert found.types(row) == ("Conv + BatchNormalization + Relu", "Conv")
    assert found.names(row) == ("conv, bn, relu", "conv")
    assert not row.certain


@pytest.mark.parametrize(
    ("op_type", "reason"),
    [
        ("QuantizeLinear", "quantization"),
        ("Cast", "change of type"),
        ("TransData", "change of layout"),
        ("Relu", "added"),
    ],
)
def test_an_inserted_node_says_what_for(op_type: str, reason: str) -> None:
    before = graph(("Conv", "a", "x w1", "t"), ("Abs", "b", "t", "y"))
    after = graph(("Conv", "a", "x w1", "t1"), (op_type, "new", "t1", "u"), ("Abs", "b", "u", "y"))

    found, row = _only(before, after)

    assert (row.kind, row.reference, row.reason) == ("inserted", (), reason)
    assert found.what(row) == reason


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ((("Neg", "k", "w1", "kk"), ("Add", "a", "x kk", "y")), "constant folded"),
        ((("Dropout", "d", "x", "t"), ("Add", "a", "t w2", "y")), "left out"),
        ((("Neg", "dead", "x", "z"), ("Add", "a", "x w2", "y")), "read by nobody"),
    ],
)
def test_a_removed_node_says_why(lines: tuple[tuple[str, str, str, str], ...], reason: str) -> None:
    _, row = _only(graph(*lines, outputs=("y",)), graph(("Add", "a", "x w2", "y")))

    assert (row.kind, row.candidate, row.reason) == ("removed", (), reason)


def _made(
    op_type: str = "Conv", dtype: str = "", attributes: dict[str, object] | None = None, **tensor: object
) -> Graph:
    builder = GraphBuilder(attributes=lambda _: {} if attributes is None else attributes)
    builder.input("x")
    builder.tensor("y", dtype, **tensor)  # type: ignore[arg-type]  # a test gives what it is about
    builder.node(op_type, ["x"], ["y"], name="n")
    builder.output("y")
    return builder.build()


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (_made("Relu"), _made("Clip"), "operator Relu → Clip"),
        (_made(dtype="float32"), _made(dtype="float16"), "precision float32 → float16"),
        (_made(shape=(1, 8)), _made(shape=(1, 4)), "shape 1×8 → 1×4"),
        (_made(shape=(1, 8)), _made(shape=(8,)), "shape 1×8 → 8"),
        (_made(layout="NCHW"), _made(layout="NC1HWC0"), "layout NCHW → NC1HWC0"),
        (_made(), _made(layout="NC1HWC0", original_layout="NCHW"), "layout NCHW → NC1HWC0"),
        (_made(attributes={"k": [3, 3]}), _made(attributes={"k": [1, 1]}), "k [3, 3] → [1, 1]"),
    ],
)
def test_a_changed_node_says_what_changed(before: Graph, after: Graph, text: str) -> None:
    found, row = _only(before, after)

    assert (row.kind, found.what(row)) == ("changed", text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_made("Conv"), _made("Conv2D")),
        (_made(shape=("batch", 8)), _made(shape=(1, 8))),
        (_made(shape=None), _made(shape=(1, 8))),
        (_made(dtype=""), _made(dtype="float32")),
        (_made(shape=(1, 8)), _made(shape=(1, 1, 8, 16), original_shape=(1, 8))),
        (_made(attributes={"_id": 1, "a": 1}), _made(attributes={"_id": 2})),
    ],
)
def test_what_nobody_can_know_or_is_only_called_otherwise_is_no_change(before: Graph, after: Graph) -> None:
    assert differences(link(before, after)).rows == ()


def test_a_node_between_dequantize_and_quantize_computes_in_what_was_quantized() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.tensor("xq", dtype="int8")
    builder.tensor("y", dtype="float32")
    builder.node("QuantizeLinear", ["x"], ["xq"], name="q")
    builder.node("DequantizeLinear", ["xq"], ["xd"], name="dq")
    builder.node("Conv", ["xd"], ["y"], name="n")
    builder.output("y")

    rows = differences(link(_made(dtype="float32"), builder.build())).rows

    assert [change.text for row in rows for change in row.changes] == ["precision float32 → int8"]


def test_what_differs_in_structure_stands_first() -> None:
    before = graph(("Conv", "a", "x w1", "t"), ("Relu", "r", "t", "u"), ("Neg", "b", "u", "y"), ("Abs", "c", "y", "z"))
    after = graph(
        ("Conv", "a", "x w1", "t1"), ("Cast", "k", "t1", "v"), ("Neg", "b", "v", "y"), ("Sqrt", "c", "y", "z")
    )

    kinds = [row.kind for row in differences(link(before, after)).rows]

    assert kinds == sorted(kinds, key=list(KINDS).index)
    assert set(kinds) == {"merged", "changed", "inserted"}


def test_every_rule_and_kind_says_what_it_is() -> None:
    assert len({rule.key for rule in LINK_RULES}) == len(LINK_RULES)
    assert all(rule.why.endswith(".") for rule in LINK_RULES)
    assert all(words.why.endswith(".") for words in KINDS.values())
