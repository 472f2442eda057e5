"""What a box tells of all that it stands for."""

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare import Comparison, Row
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import badness, places
from errorflow.compare.placed import Placed
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind
from errorflow.layout.prepare import prepare
from errorflow.report.fold import BANDS, BAR_ORDER, UNMEASURED, BoxErrors, bar_widths, box_errors

RELATIVE = next(metric for metric in METRICS if metric.key == "relative_l2")
NUMBERS = st.floats(allow_nan=False) | st.floats(0, 2)


def comparison_of(values: Mapping[str, float], key: str = "relative_l2") -> Comparison:
    rows = []
    for tensor, value in values.items():
        info = TensorInfo(tensor, "float32", (1,), 4)
        rows.append(Row(tensor, info, info, {key: value}))
    return Comparison(tuple(rows))


def chain(nodes: int, scope: str = "layer") -> Graph:
    """x → t0 → t1 …, all in one scope but the last, which joins it in the layout."""
    builder = GraphBuilder("chain")
    builder.input("x")
    before = "x"
    for number in range(nodes):
        name = f"{scope}/relu_{number}" if number < nodes - 1 else "last"
        builder.node("Relu", [before], [f"t{number}"], name=name)
        before = f"t{number}"
    builder.output(before)
    return builder.build()


def folded(graph: Graph) -> tuple[Drawing, int]:
    """With its only group closed, and the box of that."""
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    [box] = np.flatnonzero(drawing.kinds == Kind.FOLD).tolist()
    return drawing, box


def errors_of(graph: Graph, drawing: Drawing, values: Mapping[str, float]) -> BoxErrors:
    return box_errors(graph, drawing, Placed.of(graph, comparison_of(values)).by(RELATIVE))


def test_a_fold_is_as_bad_as_its_worst_node_and_names_it() -> None:
    graph = chain(5)
    drawing, fold = folded(graph)

    errors = errors_of(graph, drawing, {"x": 0, "t0": 0.01, "t1": 0.3, "t2": 0.06, "t3": 0.02, "t4": 0.0})

    assert errors.badness[fold] == pytest.approx(badness(RELATIVE, 0.3))
    assert graph.tensor_names[errors.tensors[fold]] == "t1"
    assert graph.node_names[errors.nodes[fold]] == "layer/relu_1"


def test_beyond_the_limit_the_worst_is_still_the_worst() -> None:
    graph = chain(5)
    drawing, fold = folded(graph)

    errors = errors_of(graph, drawing, {"t0": 0.6, "t1": 40.0, "t2": 7.0})

    assert errors.badness[fold] == 1.0
    assert graph.tensor_names[errors.tensors[fold]] == "t1"


def test_of_equals_the_first_is_named() -> None:
    graph = chain(5)
    drawing, fold = folded(graph)

    errors = errors_of(graph, drawing, {"t1": 0.2, "t2": 0.2, "t3": 0.2})

    assert graph.tensor_names[errors.tensors[fold]] == "t1"


def test_nan_is_worse_than_all_else_and_marked() -> None:
    graph = chain(5)
    drawing, fold = folded(graph)

    errors = errors_of(graph, drawing, {"t0": math.inf, "t2": math.nan, "t4": 0.0})

    assert (errors.badness[fold], bool(errors.broken[fold])) == (1.0, True)
    assert graph.tensor_names[errors.tensors[fold]] == "t2"
    assert errors.broken.sum() == 1


def test_bands_count_every_node_once() -> None:
    graph = chain(8)
    drawing, fold = folded(graph)
    # 0.05 … 0.5 is one decade: the bands end at 10^0.2 and so on times 0.05.
    values = {"t0": 0.01, "t1": 0.06, "t2": 0.1, "t3": 0.15, "t4": 0.49, "t5": 12.0}

    errors = errors_of(graph, drawing, values)

    assert errors.folds.tolist() == [fold]
    assert errors.bands.tolist() == [[2, 1, 1, 0, 2, 2]]
    assert errors.bands[0, UNMEASURED] == 2  # t6 and t7
    assert errors.limits.tolist() == [[5, 1]]


def test_single_nodes_have_no_bands() -> None:
    graph = chain(3)
    drawing = prepare(graph).draw(frozenset([0]), "down", 1.0)

    errors = errors_of(graph, drawing, {"t0": 0.3})

    assert len(errors.folds) == len(errors.bands) == len(errors.limits) == 0


def test_inputs_and_outputs_show_their_own_tensor() -> None:
    graph = chain(3)
    drawing, _ = folded(graph)

    errors = errors_of(graph, drawing, {"x": 0.5, "t2": 0.05})

    by_kind = {kind: errors.badness[drawing.kinds == kind].tolist() for kind in (Kind.INPUT, Kind.OUTPUT)}
    assert by_kind == {Kind.INPUT: [1.0], Kind.OUTPUT: [0.0]}
    assert set(errors.nodes[drawing.tensors >= 0].tolist()) == {-1}


def test_what_nobody_measured_stays_open() -> None:
    graph = chain(4)
    drawing, fold = folded(graph)

    errors = errors_of(graph, drawing, {"of another graph": 0.3})

    assert np.isnan(errors.badness).all() and not errors.measured.any()
    assert set(errors.tensors.tolist()) == set(errors.nodes.tolist()) == {-1}
    assert errors.bands[0].tolist() == [0, 0, 0, 0, 0, len(drawing.nodes_of_box(fold))]


def test_a_stack_of_like_siblings_counts_as_a_fold() -> None:
    builder = GraphBuilder("experts")
    builder.input("x")
    for number in range(40):
        builder.node("MatMul", ["x"], [f"up{number}"], name=f"experts.{number}/up")
        builder.node("Relu", [f"up{number}"], [f"out{number}"], name=f"experts.{number}/act")
    builder.node("Concat", [f"out{number}" for number in range(40)], ["y"], name="join")
    builder.output("y")
    graph = builder.build()
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    stacks = np.flatnonzero(drawing.kinds == Kind.STACK)
    assert len(stacks)

    errors = errors_of(graph, drawing, {f"out{number}": 0.3 if number == 17 else 0.0 for number in range(40)})

    row = errors.folds.tolist().index(stacks[0])
    assert graph.tensor_names[errors.tensors[stacks[0]]] == "out17"
    assert errors.bands[row].tolist() == [39, 0, 0, 1, 0, 40]


def test_nodes_of_another_form_of_the_graph_are_counted_where_they_are_shown() -> None:
    graph = chain(4)
    drawing, fold = folded(graph)
    boxes = np.full(len(graph), fold, np.int32)
    boxes[0] = -1

    errors = box_errors(graph, drawing, Placed.of(graph, comparison_of({"t3": 0.5, "t0": 9.0})).by(RELATIVE), boxes)

    assert graph.tensor_names[errors.tensors[fold]] == "t3"
    assert errors.bands[0].tolist() == [0, 0, 0, 0, 1, 2]


def test_a_metric_that_a_row_lacks_was_not_measured_there() -> None:
    graph = chain(3)
    rows = (*comparison_of({"t0": 0.3}).rows, *comparison_of({"t1": 0.5}, "cosine").rows)

    measured = Placed.of(graph, Comparison(rows)).by(RELATIVE)

    assert np.flatnonzero(measured.places > -np.inf).tolist() == [graph.tensor_index("t0")]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
@given(values=st.lists(NUMBERS, min_size=1))
def test_places_within_the_limits_are_the_badness(metric: object, values: list[float]) -> None:
    found = np.clip(places(metric, np.array(values)), 0.0, 1.0)  # type: ignore[arg-type]  # a row of METRICS

    assert found.tolist() == pytest.approx([badness(metric, value) for value in values])  # type: ignore[arg-type]  # same


@given(
    counts=st.lists(st.lists(st.integers(0, 10_000), min_size=BANDS + 1, max_size=BANDS + 1), min_size=1, max_size=20),
    room=st.floats(20, 500),
)
def test_a_bar_fills_its_room_and_hides_no_part(counts: list[list[int]], room: float) -> None:
    bands = np.array(counts)
    bands[bands.sum(axis=1) == 0, 0] = 1

    widths = bar_widths(bands, np.full(len(bands), room), 2.0)

    assert widths.sum(axis=1).tolist() == pytest.approx([room] * len(bands))
    assert ((widths >= 2.0 - 1e-9) == (bands[:, BAR_ORDER] > 0)).all()


def test_no_box_and_no_node_are_no_trouble() -> None:
    graph = GraphBuilder("empty").build()
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)

    errors = errors_of(graph, drawing, {"x": 1.0})

    assert len(errors.badness) == len(drawing) == 0
