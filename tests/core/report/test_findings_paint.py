"""What the findings on a graph look like, whoever paints them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from errorflow.case.session.model import Painting
from errorflow.compare import Comparison, Row
from errorflow.compare.metrics.metric import badness
from errorflow.compare.metrics.sums import Side
from errorflow.explain.blame.model import Blame, ModelVerdict, Verdict
from errorflow.explain.findings.model import Findings, State
from errorflow.explain.findings.parse import parse
from errorflow.explain.findings.query import WordChoice
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import prepare
from errorflow.report.box_signs import TOLD
from errorflow.report.findings_paint import FindingsPaint, share_scale
from errorflow.report.legend import Entry, entries
from errorflow.report.paint import Paint

NAMES = ("a", "b", "c", "d")
INFO = TensorInfo("t", "float32", (1,), 4)
NONE = float("nan")


def chain_of(*makers: str) -> Graph:
    """x → a → b → …; every node is called after what it makes, within the scope that stands before a slash."""
    builder = GraphBuilder("chain")
    builder.input("x")
    last = "x"
    for name in makers:
        builder.node("Relu", [last], [name.rpartition("/")[2]], name=name)
        last = name.rpartition("/")[2]
    builder.output(last)
    return builder.build()


def blamed(
    graph: Graph,
    verdicts: Sequence[Verdict],
    introduced: Sequence[float],
    front: Sequence[int] = (),
    notes: Mapping[int, str] | None = None,
) -> Blame:
    """A made-up verdict per node."""
    size = len(graph)
    some = np.array(introduced, np.float64)
    inside = np.zeros(size, np.bool_)
    inside[list(front)] = True
    return Blame(
        graph,
        np.array(verdicts, np.int8),
        some,
        some,
        some,
        np.full(size, 0.83),
        np.ones(size),
        np.zeros(size, np.bool_),
        {} if notes is None else notes,
        ModelVerdict("node error", "One node."),
        inside,
    )


def row(tensor: str, relative: float | None, candidate: Side | None = None) -> Row:
    values = {} if relative is None else {"relative_l2": relative, "cosine": 1 - relative**2 / 2}
    sides = (None, None) if candidate is None else (Side(low=0.0, high=1.0), candidate)
    return Row(tensor, INFO, INFO, values, "", *sides)


def measured(graph: Graph, rows: Sequence[Row], blame: Blame | None = None) -> Findings:
    return Findings.of(graph, Comparison(tuple(rows)), blame)


def painted(findings: Findings, painting: Painting | None = None, drawing: Drawing | None = None) -> Paint:
    drawing = prepare(findings.graph).draw(frozenset(), "down", 1.0) if drawing is None else drawing
    paint = FindingsPaint(drawing, findings, drawing.node_boxes).by(Painting() if painting is None else painting)
    assert paint is not None
    return paint


@pytest.fixture
def graph() -> Graph:
    return chain_of(*NAMES)


@pytest.fixture
def found(graph: Graph) -> Findings:
    """A node that begins it, one that carries it on, one that takes more of it away, and one that nobody judged."""
    verdicts = (Verdict.ORIGIN, Verdict.CARRIER, Verdict.HEALER, Verdict.NOT_MEASURED)
    blame = blamed(graph, verdicts, (0.5, 0.001, 0.05, NONE), front=(0, 1, 2))
    rows = [row("a", 0.5), row("b", 0.5), row("c", 0.1), row("d", None)]
    return measured(graph, rows, blame)


def column(findings: Findings, values: "np.typing.NDArray[Any]") -> list[float]:
    """Of the boxes of the nodes, in order."""
    drawing = prepare(findings.graph).draw(frozenset(), "down", 1.0)
    return [float(value) for value in values[drawing.node_boxes]]


def test_the_fill_is_accumulated_and_the_bar_introduced(found: Findings) -> None:
    paint = painted(found)
    assert paint.signs is not None
    assert column(found, paint.errors.badness) == pytest.approx([1.0, 1.0, 0.301, NONE], abs=1e-3, nan_ok=True)
    assert column(found, paint.signs.bars) == pytest.approx([1.0, 0.0, 0.0, NONE], nan_ok=True)
    assert (paint.measure, paint.bar) == ("accumulated · Relative error", "introduced · Relative error")


def test_swapped_the_fill_is_introduced_and_the_bar_accumulated(found: Findings) -> None:
    plain, swapped = painted(found), painted(found, Painting(swapped=True))
    assert plain.signs is not None and swapped.signs is not None
    assert column(found, swapped.errors.badness) == pytest.approx(column(found, plain.signs.bars), nan_ok=True)
    assert column(found, swapped.signs.bars) == pytest.approx(column(found, plain.errors.badness), nan_ok=True)
    assert (swapped.measure, swapped.bar) == (plain.bar, plain.measure)


def shared(graph: Graph, shares: Sequence[float]) -> Findings:
    """All of them are measured and equally bad."""
    count = len(graph)
    blame = blamed(graph, [Verdict.CARRIER] * count, [0.1] * count)
    verdict = replace(blame.model, output=int(graph.outputs[0]), inputs=((graph.tensor_index("x") or 0, 0.25),))
    rows = [row(name, 0.5) for name in graph.tensor_names if name != "x"]
    return measured(graph, rows, replace(blame, model=verdict, blamed=np.array(shares)))


def test_the_fill_is_the_share_of_blame_and_the_bar_what_it_is_part_of(graph: Graph) -> None:
    found = shared(graph, [0.75, 0.0, NONE, 0.05])
    paint = painted(found, Painting(blamed=True))
    assert paint.signs is not None and paint.metric is not None
    assert column(found, paint.errors.badness) == [1.0, 0.0, pytest.approx(NONE, nan_ok=True), 0.0]
    assert column(found, paint.signs.bars) == [1.0] * 4
    assert (paint.measure, paint.bar) == ("error at d · Share of blame", "accumulated · Relative error")
    assert paint.note(int(prepare(graph).draw(frozenset(), "down", 1.0).node_boxes[0])).startswith(
        "error at d · Share of blame 75.0 % – a"
    )
    assert paint.errors.badness[paint.errors.tensors == graph.tensor_index("x")].tolist() == pytest.approx(
        [0.569], abs=0.01
    )


@pytest.mark.parametrize(
    ("count", "times", "low", "high"),
    [
        (300, 2, 0, 0.05),
        (300, 10, 0.3, 0.6),
        (300, 100, 0.99, 1),
        (300, 150, 1, 1),
        (30, 1, 0, 0.05),
        (30, 3, 0.1, 0.3),
        (30, 15, 0.99, 1),
        (2, 1, 1, 1),
    ],
)
def test_how_hot_a_share_is_goes_by_the_even_share(count: int, times: float, low: float, high: float) -> None:
    graph = chain_of(*(f"n{number}" for number in range(count)))
    found = shared(graph, [times / count, *[0.0] * (count - 1)])
    assert found.blame is not None
    assert low <= badness(share_scale(found.blame), 100 * times / count) <= high


def test_the_limits_of_the_share_are_moved_as_all_are(graph: Graph) -> None:
    found = shared(graph, [0.75, 0.1, 0.1, 0.05])
    paint = painted(found, Painting(blamed=True, limits={"share": (10.0, 90.0)}))
    assert (paint.good, paint.bad) == ("10 %", "90 %")


def test_where_no_output_is_bad_it_is_painted_by_the_error(found: Findings) -> None:
    assert painted(found, Painting(blamed=True)).measure == "accumulated · Relative error"


def test_introduced_is_told_on_the_relative_error_whatever_fills(found: Findings) -> None:
    paint = painted(found, Painting(metric="cosine", limits={"relative_l2": (0.001, 0.01)}))
    assert paint.signs is not None and paint.metric is not None
    assert paint.metric.key == "cosine" and paint.bar == "introduced · Relative error"
    assert column(found, paint.signs.bars)[:3] == pytest.approx([1.0, 0.0, 1.0])


def test_without_blame_there_is_one_mark(graph: Graph) -> None:
    paint = painted(measured(graph, [row("a", 0.2)]), Painting(swapped=True))
    assert paint.bar == "" and paint.measure.startswith("accumulated")
    assert paint.signs is not None and np.isnan(paint.signs.bars).all()


def test_only_what_is_worth_a_look_has_a_glyph(found: Findings) -> None:
    paint = painted(found)
    assert paint.signs is not None
    assert column(found, paint.signs.verdicts) == [Verdict.ORIGIN, 0, Verdict.HEALER, 0]


def test_a_fold_shows_its_worst_child() -> None:
    graph = chain_of("layer/a", "layer/b", "layer/c", "end")
    verdicts = (Verdict.HEALER, Verdict.ORIGIN, Verdict.AMPLIFIER, Verdict.CARRIER)
    blame = blamed(graph, verdicts, (0.0, 0.5, 0.1, 0.0), front=(1, 2, 3))
    rows = [row(name, value) for name, value in zip(("a", "b", "c", "end"), (0.0, 0.5, 0.5, 0.5), strict=True)]
    found = measured(graph, rows, blame)
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    paint, [fold] = painted(found), np.flatnonzero(drawing.folds >= 0).tolist()
    assert paint.signs is not None
    assert paint.signs.verdicts[fold] == Verdict.ORIGIN and paint.signs.bars[fold] == 1.0
    assert paint.signs.front[fold] and paint.signs.ends[fold]
    assert "origin: layer/b\namplifier: layer/c\nhealer: layer/a" in paint.note(fold)


def test_the_front_begins_where_nothing_before_is_in_it(found: Findings) -> None:
    paint, without = painted(found), painted(found, Painting(front=False))
    assert paint.signs is not None and without.signs is not None
    assert column(found, paint.signs.front) == [1, 1, 1, 0]
    assert column(found, paint.signs.ends) == [1, 0, 0, 0]
    assert not without.signs.front.any() and not without.signs.ends.any()


def test_edges_are_tinted_by_what_flows(found: Findings) -> None:
    paint = painted(found)
    assert paint.tints is not None
    tints = [float(paint.tints[found.graph.tensor_names.index(name)]) for name in ("x", *NAMES)]
    assert tints == pytest.approx([NONE, 1.0, 1.0, 0.301, NONE], abs=1e-3, nan_ok=True)
    assert painted(found, Painting(edges=False)).tints is None


def test_no_edge_is_tinted_where_nobody_knows_what_flows(found: Findings) -> None:
    assert found.blame is not None
    unknown = replace(found, blame=replace(found.blame, leads_on=False))

    assert painted(unknown, Painting(edges=True)).tints is None


def test_why_something_has_no_number_is_told_only_where_there_is_none(graph: Graph) -> None:
    rows = [row("a", 0.2), Row("b", INFO, INFO, note="shapes differ"), Row("c", INFO, None, note="no dump")]
    found = measured(graph, rows)
    signs = painted(found).signs
    assert signs is not None
    assert column(found, signs.states)[:3] == [0, State.INCOMPARABLE, State.MISSING]


def test_states_of_all_that_a_fold_hides_come_together() -> None:
    graph = chain_of("layer/a", "layer/b", "end")
    broken = Side(nan=3, low=0.0, high=1.0)
    rows = [row("a", 0.2), row("b", NONE, broken), Row("end", INFO, None, note="no dump")]
    found = measured(graph, rows)
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    [fold] = np.flatnonzero(drawing.folds >= 0).tolist()
    paint = painted(found)
    assert paint.signs is not None and paint.signs.states[fold] == State.NAN
    assert "NaN: 1" in paint.note(fold).splitlines()


def note_of(findings: Findings, name: str, painting: Painting | None = None) -> list[str]:
    drawing = prepare(findings.graph).draw(frozenset(), "down", 1.0)
    node = findings.graph.node_index(name)
    box = None if node is None else drawing.box_of_node(node)
    assert box is not None
    return painted(findings, painting).note(box).splitlines()


def test_a_note_says_measure_value_verdict_and_shares(found: Findings) -> None:
    assert note_of(found, "a") == [
        "accumulated · Relative error 0.5000 – a",
        "origin – 83 % introduced here, 17 % inherited (estimated)",
        "introduced · Relative error 0.5000",
    ]


def test_a_note_says_the_share_of_blame_once(graph: Graph) -> None:
    found = shared(graph, [0.75, 0.0, NONE, 0.05])
    assert note_of(found, "a")[1] == "share: likely"
    assert not any("share:" in line for line in note_of(found, "a", Painting(blamed=True)))
    assert not any("share:" in line for line in note_of(found, "c"))


@pytest.mark.parametrize("blamed", [False, True])
def test_a_fold_says_whose_share_it_shows(blamed: bool) -> None:
    builder = GraphBuilder("g")
    builder.input("x")
    for maker, made in (("x", "a"), ("a", "b"), ("b", "c")):
        builder.node("Conv", [maker], [made], name=f"layer/{made}")
    builder.node("Neg", ["c"], ["d"], name="end")
    builder.output("d")
    graph = builder.build()
    found = shared(graph, [0.3, 0.4, 0.1, 0.0])
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    note = painted(found, Painting(blamed=blamed)).note(int((drawing.folds >= 0).argmax()))
    wanted = "error at d · Share of blame 40.0 % – b" if blamed else "layer/b, share: possible"
    assert f"worst inside: {wanted}" in note.splitlines()


def test_a_note_says_why_there_is_no_verdict(found: Findings) -> None:
    assert found.blame is not None
    blame = replace(found.blame, notes={3: "there is no dump of what it reads"})
    assert note_of(replace(found, blame=blame), "d")[-1] == "no verdict: there is no dump of what it reads"


def test_a_note_says_states_in_words(graph: Graph) -> None:
    side = Side(low=0.0, high=0.0)
    assert note_of(measured(graph, [row("a", 1.0, side)]), "a")[-1] == "all zero"


def test_an_exact_verdict_says_so(found: Findings) -> None:
    assert found.blame is not None
    exact = replace(found.blame, exact=np.ones(4, np.bool_))
    assert note_of(replace(found, blame=exact), "a")[1].endswith("(exact)")


def test_the_legend_explains_what_is_there_and_no_more(found: Findings) -> None:
    assert [entry.text for entry in entries(painted(found))] == [
        "bar: introduced · Relative error",
        "not measured",
        "origin",
        "healer",
        "what the first fault explains",
        "not comparable",
    ]


def test_a_palette_goes_with_the_paint(found: Findings) -> None:
    assert painted(found, Painting(palette="single")).palette == "single"


def test_of_an_empty_comparison_nothing_is_painted(graph: Graph) -> None:
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    assert FindingsPaint(drawing, measured(graph, []), drawing.node_boxes).by(Painting()) is None


def test_no_number_is_worst_of_all(graph: Graph) -> None:
    found = measured(graph, [row("a", math.nan)])
    paint = painted(found)
    assert column(found, paint.errors.badness)[0] == 1.0


@pytest.mark.parametrize("sign", [*TOLD, *State], ids=lambda sign: sign.name)
def test_every_sign_of_the_legend_can_be_searched_for(sign: Verdict | State) -> None:
    assert isinstance(parse(Entry("state", "", sign).query), WordChoice)


def test_what_was_measured_behind_a_conversion_is_filled_and_says_so() -> None:
    """The origin keeps its own note, and what it was measured behind is said once."""
    builder = GraphBuilder("qdq")
    builder.input("x")
    steps = (("Conv", "x", "a"), ("QuantizeLinear", "a", "b"), ("DequantizeLinear", "b", "c"), ("Relu", "c", "d"))
    for op_type, read, made in steps:
        builder.node(op_type, [read], [made], name=made)
    builder.output("d")
    graph = builder.build()
    told = "measured behind its DequantizeLinear c"
    verdicts = (Verdict.ORIGIN, *[Verdict.NOT_MEASURED] * 3)
    blame = blamed(graph, verdicts, (0.5, NONE, NONE, NONE), notes={0: f"{told}; the sign is flipped"})
    found = measured(graph, [row("c", 0.5)], blame)
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    paint = painted(found, drawing=drawing)

    assert column(found, paint.errors.badness) == pytest.approx([1.0, 1.0, 1.0, NONE], nan_ok=True)
    notes = [paint.note(int(box)).splitlines() for box in drawing.node_boxes]
    assert notes[0].count(told) == 1 and "the sign is flipped" in notes[0]
    assert told in notes[1] and told not in notes[2] and notes[3][0] == "not measured"
