"""Drawings that no layout made: chains and grids, of any size, in no time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind
from errorflow.report.box_signs import BoxSigns
from errorflow.report.fold import BANDS, BoxErrors
from errorflow.report.paint import Paint

TYPES = ("Conv", "BatchNormalization", "Relu", "Add", "MaxPool", "Reshape", "QuantizeLinear", "If", "Whatever")
WIDTH, HEIGHT, GAP = 120.0, 24.0, 20.0


NO_FOLDS: Mapping[int, Sequence[int]] = {}
NOTHING: Mapping[int, float] = {}


def painted(
    badness: "Sequence[float] | np.typing.NDArray[np.float64]",
    folds: Mapping[int, Sequence[int]] = NO_FOLDS,
    broken: Sequence[int] = (),
    signs: BoxSigns | None = None,
) -> Paint:
    """Boxes as bad as that (NaN: not measured), and for some of them how many nodes lie in each band."""
    bad = np.array(badness, np.float64)
    known = np.where(np.isnan(bad), -1, np.arange(len(bad))).astype(np.int32)
    bands = np.array([folds[box] for box in sorted(folds)], np.int64).reshape(-1, BANDS + 1)
    marks = np.zeros(len(bad), np.bool_)
    marks[list(broken)] = True
    limits = np.zeros((len(bands), 2), np.int64)
    errors = BoxErrors(bad, known, known, marks, np.array(sorted(folds), np.int32), bands, limits)
    words = "accumulated · Relative error", "√Σ (c − r)² / √Σ r²", "0.05", "0.5"
    return Paint(errors, *words, "the error of box {}".format, signs=signs)


def beside(
    size: int,
    *,
    bars: Mapping[int, float] = NOTHING,
    states: Mapping[int, float] = NOTHING,
    verdicts: Mapping[int, float] = NOTHING,
    front: Sequence[int] = (),
    ends: Sequence[int] = (),
) -> BoxSigns:
    """What is told of some boxes."""

    def column(values: Mapping[int, float], rest: float, dtype: type) -> "np.typing.NDArray[Any]":
        found: np.typing.NDArray[Any] = np.full(size, rest, dtype)
        found[list(values)] = list(values.values())
        return found

    return BoxSigns(
        column(bars, np.nan, np.float64),
        column(states, 0, np.uint16),
        column(verdicts, 0, np.int8),
        column(dict.fromkeys(front, 1), 0, np.bool_),
        column(dict.fromkeys(ends, 1), 0, np.bool_),
    )


def chain_graph(nodes: int) -> Graph:
    """Nodes one after the other, of types that come round again."""
    builder = GraphBuilder("chain")
    builder.input("x")
    builder.tensor("x", dtype="float32", shape=(1, 3, 32, 32))
    before = "x"
    for number in range(nodes):
        after = f"t{number}"
        builder.node(TYPES[number % len(TYPES)], [before], [after], name=f"/block.{number // 10}/node_{number}")
        builder.tensor(after, dtype="float32", shape=(1, 8, 32, 32))
        before = after
    builder.output(before)
    return builder.build()


def grid(nodes: int, columns: int = 1) -> tuple[Drawing, Graph]:
    """An input, the nodes of a chain and an output, laid in columns read downwards, each with a group round it."""
    graph = chain_graph(nodes)
    total = nodes + 2
    rows = -(-total // columns)
    index = np.arange(total)
    column, row = index // rows, index % rows
    step = HEIGHT + GAP
    x, y = 40.0 + column * (WIDTH + 80.0), 40.0 + row * step
    boxes = np.column_stack([x, y, np.full(total, WIDTH), np.full(total, HEIGHT)])
    kinds = np.full(total, Kind.OPERATOR, np.uint8)
    kinds[0], kinds[-1] = Kind.INPUT, Kind.OUTPUT
    made = np.arange(-1, nodes + 1, dtype=np.int32)
    made[-1] = -1
    tensors = np.full(total, -1, np.int32)
    tensors[0], tensors[-1] = graph.inputs[0], graph.outputs[0]
    middle = x + WIDTH / 2
    lines = np.column_stack([middle[:-1], y[:-1] + HEIGHT, middle[1:], y[1:]])
    groups = np.array([[20 + c * (WIDTH + 80), 12, WIDTH + 40, rows * step + 24] for c in range(columns)])
    labels = ["x", *graph.op_types, graph.tensor_names[int(graph.outputs[0])]]
    drawing = Drawing(
        boxes=boxes,
        kinds=kinds,
        nodes=made,
        tensors=tensors,
        groups=column.astype(np.int32),
        folds=np.full(total, -1, np.int32),
        labels=tuple(labels),
        lines=lines,
        line_tensors=np.arange(total - 1, dtype=np.int32),
        group_boxes=groups,
        group_depths=np.zeros(columns, np.uint8),
        group_ids=np.arange(columns, dtype=np.int32),
        group_labels=tuple(f"block.{c}" for c in range(columns)),
        size=(columns * (WIDTH + 80.0), rows * step + 48),
        node_boxes=np.arange(1, nodes + 1, dtype=np.int32),
    )
    return drawing, graph


def diamond() -> tuple[Drawing, Graph]:
    """x → Conv → Relu → Add, with a skip from Conv to Add at the right, and Sigmoid aside; all outputs of Add go out.

    Boxes: 0 Conv, 1 Relu, 2 Sigmoid, 3 Add, 4 the input x, 5 the output y.
    """
    builder = GraphBuilder("diamond")
    builder.input("x")
    builder.node("Conv", ["x", "w"], ["c"], name="/stem/Conv")
    builder.node("Relu", ["c"], ["r"], name="/stem/Relu")
    builder.node("Sigmoid", ["c"], ["s"], name="/stem/Sigmoid")
    builder.node("Add", ["r", "c"], ["y"], name="/stem/Add_1")
    builder.constant("w")
    builder.output("y")
    builder.output("s")
    for tensor in "xcrsy":
        builder.tensor(tensor, dtype="float32", shape=(1, 8))
    graph = builder.build()
    x, c, r, y = (graph.tensor_names.index(name) for name in "xcry")
    rows = [
        (x, (60, 24, 60, 60)),
        (c, (60, 84, 60, 120)),  # to Relu
        (c, (90, 84, 200, 100)),  # the trunk of the skip, to the right,
        (c, (200, 100, 200, 200)),  # down, past the branch to Sigmoid,
        (c, (200, 150, 260, 170)),
        (c, (200, 200, 90, 240)),  # and to Add
        (r, (60, 144, 60, 240)),
        (y, (60, 264, 60, 300)),
    ]
    none = np.full(6, -1, np.int32)
    tensors = none.copy()
    tensors[4:] = x, y
    drawing = Drawing(
        boxes=np.array(
            [
                (0, 60, 120, 24),
                (0, 120, 120, 24),
                (230, 170, 80, 24),
                (0, 240, 120, 24),
                (0, 0, 120, 24),
                (0, 300, 120, 24),
            ],
            np.float64,
        ),
        kinds=np.array([0, 0, 0, 0, Kind.INPUT, Kind.OUTPUT], np.uint8),
        nodes=np.array([0, 1, 2, 3, -1, -1], np.int32),
        tensors=tensors,
        groups=none,
        folds=none,
        labels=("Conv", "Relu", "Sigmoid", "Add", "x", "y"),
        lines=np.array([row[1] for row in rows], np.float64),
        line_tensors=np.array([row[0] for row in rows], np.int32),
        group_boxes=np.zeros((0, 4)),
        group_depths=np.zeros(0, np.uint8),
        group_ids=np.zeros(0, np.int32),
        group_labels=(),
        size=(320.0, 330.0),
        node_boxes=np.arange(4, dtype=np.int32),
    )
    return drawing, graph


def empty() -> tuple[Drawing, Graph]:
    """A graph without anything."""
    nothing = np.zeros(0, np.int32)
    rows = np.zeros((0, 4))
    codes = np.zeros(0, np.uint8)
    drawing = Drawing(
        rows, codes, nothing, nothing, nothing, nothing, (), rows, nothing, rows, codes, nothing, (), (0.0, 0.0)
    )
    return drawing, GraphBuilder("empty").build()
