"""Which nodes a query finds among those that were compared."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.model import Blame, ModelVerdict, Verdict
from errorflow.explain.findings.fields import FIELDS, SWITCHED, VERDICTS, Computed, NodeKnowledge
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.parse import parse
from errorflow.explain.findings.query import QueryError
from errorflow.explain.findings.select import matching, matching_tensors, select
from errorflow.explain.findings.texts import Texts
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from errorflow.quant.switching import Kept

FLOAT = TensorInfo("", "float32", (1,), 4)
NODES = ("conv1", "relu1", "quant", "conv2", "softmax", "tail")


def graph() -> Graph:
    """A chain of six; what `tail` makes is in no run."""
    builder = GraphBuilder(attributes=lambda node: {"pads": [node]})
    builder.input("mask")
    types = ("Conv", "Relu", "QuantizeLinear", "Conv", "Softmax", "Identity")
    for node, (name, op_type) in enumerate(zip(NODES, types, strict=True)):
        builder.tensor(f"t{node}", dtype="int8" if name == "quant" else "float32", shape=(1,))
        builder.node(op_type, [f"t{node - 1}" if node else "mask"], [f"t{node}"], name=name)
    builder.output("t5")
    return builder.build()


def row(tensor: str, values: Mapping[str, float], dtype: str = "float32", side: Side | None = None) -> Row:
    mine = TensorInfo(tensor, dtype, (1,), 4)
    plain = Side(low=0, high=1)
    return Row(tensor, FLOAT, mine, values, reference_side=plain, candidate_side=side or plain, rule="tensor-name")


def findings(with_blame: bool = True) -> Findings:
    rows = (
        row("t0", {"cosine": 0.9999, "relative_l2": 0.001, "sqnr": 60.0}),
        row("t1", {"cosine": 0.95, "relative_l2": 0.2, "sqnr": 14.0}, "float16", Side(inf=1, low=0, high=1)),
        row("t2", {"cosine": -0.9, "relative_l2": 2.0, "sqnr": -6.0, "clipping": 0.2}, "int8"),
        row("t3", {"cosine": math.nan, "relative_l2": math.nan, "sqnr": math.nan}, side=Side(nan=1, low=0, high=0)),
        Row("t4", FLOAT, FLOAT, note="The shapes differ: 1 and 2."),
        Row("t5", None, FLOAT, note="only in the candidate"),
    )
    return Findings.of(graph(), Comparison(rows), blame() if with_blame else None)


def blame() -> Blame:
    verdicts = [Verdict.CLEAN, Verdict.ORIGIN, Verdict.AMPLIFIER, Verdict.CARRIER, *[Verdict.NOT_MEASURED] * 2]
    introduced = np.array([0.001, 0.2, 0.5, 0.0, math.nan, math.nan])
    return Blame(
        graph(),
        np.array(verdicts, np.int8),
        introduced,
        introduced,
        1 - introduced,
        np.array([1.0, 0.9, 0.3, 0.0, math.nan, math.nan]),
        np.array([1.0, 9.0, 2.5, 1.0, math.nan, math.nan]),
        np.zeros(6, bool),
        {},
        ModelVerdict("nothing", "."),
        np.zeros(6, bool),
    )


def with_shares(known: Findings) -> Findings:
    """The same where an output is bad, t3."""
    assert known.blame is not None
    shares = np.array([0.0, 0.754, 0.005, math.nan, 0.24, math.nan])
    verdict = replace(known.blame.model, output=known.graph.tensor_names.index("t3"))
    return replace(known, blame=replace(known.blame, model=verdict, blamed=shares))


def found(query: str, notes: Mapping[str, str] | None = None) -> list[str]:
    return [NODES[node] for node in select(with_shares(findings()), query, notes)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", [*NODES]),
        ("conv", ["conv1", "conv2"]),
        ("mask", ["conv1"]),
        ("-conv", ["relu1", "quant", "softmax", "tail"]),
        ("type:Relu or type:Softmax", ["relu1", "softmax"]),
        ("(type:Relu or conv) -conv1", ["relu1", "conv2"]),
        ("attr:pads=[3]", ["conv2"]),
        ("cos<0.99", ["relu1", "quant", "conv2"]),
        ("cos>=0.95", ["conv1", "relu1"]),
        ("cos>0.95", ["conv1"]),
        ("relative_l2>=0.2", ["relu1", "quant", "conv2"]),
        ("sqnr<20", ["relu1", "quant", "conv2"]),
        ("cos:0.9..1", ["conv1", "relu1"]),
        ("introduced>0.1", ["relu1", "quant"]),
        ("share>50%", ["relu1"]),
        ("share>0.1", ["relu1", "softmax"]),
        ("introduced_share>50%", ["conv1", "relu1"]),
        ("own>50%", ["conv1", "relu1"]),
        ("gain>2", ["relu1", "quant"]),
        ("verdict:origin", ["relu1"]),
        ("verdict:origin,amplifier", ["relu1", "quant"]),
        ("verdict:not-measured", ["softmax", "tail"]),
        ("-verdict:clean", ["relu1", "quant", "conv2", "softmax", "tail"]),
        ("nan:yes", ["conv2"]),
        ("inf:yes", ["relu1"]),
        ("overflow:yes", []),
        ("saturated:yes", ["quant"]),
        ("flipped:yes", ["quant"]),
        ("missing:yes", ["tail"]),
        ("incomparable:yes", ["softmax"]),
        ("zero:no type:Relu", ["relu1"]),
        ("measured:no", ["softmax", "tail"]),
        ("unmatched:yes", ["softmax", "tail"]),
        ("quantized:yes", ["quant", "conv2"]),
        ("depth:1..3", ["relu1", "quant", "conv2"]),
        ("depth>3", ["softmax", "tail"]),
        ("dtype:float16", ["relu1"]),
        ("dtype:int8", ["quant"]),
        ("dtype:float", ["conv1", "relu1", "conv2", "softmax", "tail"]),
        ("rule:name", ["conv1", "relu1", "quant", "conv2"]),
        ("verdict:origin cos<0.99", ["relu1"]),
    ],
)
def test_nodes_are_found_by_what_was_found_out_about_them(query: str, names: list[str]) -> None:
    assert found(query) == names


def test_nodes_are_found_by_what_the_user_wrote_on_them() -> None:
    assert found("note:CHECK", {"relu1": "please check", "conv1": "fine", "gone": "check"}) == ["relu1"]


def test_what_needs_two_runs_says_so_without_them() -> None:
    known = NodeKnowledge(Texts(graph()))
    needy = [field for field in FIELDS if field.of_findings]
    assert len(needy) > 10
    for field in needy:
        lack = "in a simulation" if field.name in ("precision", "switched") else "once two runs are compared"
        with pytest.raises(QueryError, match=lack):
            matching(known, parse(field.example))


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("precision:float", ["relu1", "quant"]),
        ('precision:"float"', ["quant"]),
        ("precision:INT8", ["conv1", "relu1"]),
        ("switched:yes", ["relu1", "quant"]),
        ("switched:no -precision:float", [name for name in NODES if name not in ("relu1", "quant")]),
        ("switched:float", ["quant"]),
        ("switched:16,part", ["relu1"]),
    ],
)
def test_nodes_are_found_by_what_they_compute_in(query: str, names: list[str]) -> None:
    kept = dict.fromkeys(NODES, 0) | {"relu1": Kept.BITS_16, "quant": Kept.FLOAT}
    texts = dict.fromkeys(NODES, "") | {"conv1": "uint8", "relu1": "int8 → float", "quant": "float"}
    computed = Computed(tuple(texts.values()), np.array(list(kept.values()), np.uint8))
    known = NodeKnowledge(Texts(graph()), computed=computed)
    assert [NODES[node] for node in np.flatnonzero(matching(known, parse(query)))] == names


def test_where_nothing_computes_switches_are_found_and_precisions_asked_back() -> None:
    kept = np.array([Kept.FLOAT if name == "conv2" else 0 for name in NODES], np.uint8)
    known = NodeKnowledge(Texts(graph()), computed=Computed(("",) * len(NODES), kept))
    assert [NODES[node] for node in np.flatnonzero(matching(known, parse("switched:yes")))] == ["conv2"]
    with pytest.raises(QueryError, match="in a simulation"):
        matching(known, parse("precision:int8"))


def test_the_words_for_switches_are_theirs() -> None:
    assert SWITCHED[2:] == tuple(kept.word for kept in Kept)
    assert [kept.value for kept in Kept] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["verdict:origin", "introduced>1", "share>1", "gain>1"])
def test_what_needs_verdicts_says_so_without_them(name: str) -> None:
    with pytest.raises(QueryError, match="once verdicts are worked out"):
        select(findings(with_blame=False), name)


@pytest.mark.parametrize("scale", MEASURES, ids=lambda scale: scale.key)
def test_every_measure_can_be_asked_for_by_its_key(scale: Scale) -> None:
    assert select(findings(), f"{scale.key}>=0").dtype == np.int32


@pytest.mark.parametrize(
    ("query", "tensors"),
    [
        ("mask", ["mask"]),
        ("tensor:t1 or mask", ["mask", "t1"]),
        ("name:mask -x", ["mask"]),
        ("type:Conv", []),
        ("-type:Conv", []),
        ("cos<0.9 or mask", []),
        ("type:", []),
    ],
)
def test_tensors_are_found_by_their_names_alone(query: str, tensors: list[str]) -> None:
    texts = Texts(graph())
    hits = matching_tensors(texts, parse(query))
    assert {texts.graph.tensor_names[tensor] for tensor in np.flatnonzero(hits)} == set(tensors)


def test_a_fake_quantized_tensor_makes_its_node_quantized() -> None:
    mine = TensorInfo("t0", "float32", (1,), 4, qparams=QParams((0.1,)))
    found = Findings.of(graph(), Comparison((Row("t0", FLOAT, mine, {"cosine": 1.0}),)))
    assert [NODES[node] for node in select(found, "quantized:yes")] == ["conv1", "relu1", "quant", "conv2"]


def test_the_words_for_verdicts_are_theirs_the_worst_first() -> None:
    assert tuple(verdict.word for verdict in sorted(Verdict, reverse=True)) == VERDICTS
