"""Losses of readers that are taken back to the tensor that they read."""

import pytest

from blame_cases import Line, channels, compared, graph_of, holding, row
from errorflow.compare.model import Comparison
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.model import Verdict

LOUD: list[Line] = [
    ("conv", "Conv", ["x", "w0"], ["a"]),
    ("relu", "Relu", ["a"], ["b"]),
    ("next", "Conv", ["b", "w1"], ["c"]),
]


@pytest.mark.parametrize(
    ("median", "error", "reader", "expected"),
    [
        (0.2, 0.003, 1.0, ["clean", "origin", "carrier"]),
        (15.0, 0.003, 1.0, ["clean", "clean", "origin"]),  # does not explain so much
        (3.0, 0.06, 0.6, ["clean", "origin", "carrier"]),  # the tensor itself is bad
        (0.2, 0.003, 0.02, ["clean", "clean", "clean"]),  # and its reader does not care
    ],
)
def test_one_scale_for_loud_and_quiet_channels(median: float, error: float, reader: float, expected: list[str]) -> None:
    rows = (row("x", 0), row("a", 0.001), row("b", error, channels=channels(median)), row("c", reader))
    found = blame(graph_of(LOUD, outputs=["c"]), Comparison(rows))

    assert [found.verdict(node).word for node in range(3)] == expected


def test_the_culprit_and_the_victim_are_told_why() -> None:
    rows = (row("x", 0), row("a", 0.001), row("b", 0.003, channels=channels(0.2)), row("c", 1.0))
    found = blame(graph_of(LOUD, outputs=["c"]), Comparison(rows))

    assert "8 of 16 channels have 0.2 dB or less" in found.notes[1]
    assert "was lost there already" in found.notes[2]
    assert "loud channel" in [advice.key for advice in found.model.advice]


def test_the_loss_is_followed_up_to_where_channels_are_still_good() -> None:
    quiet = channels(0.3)
    rows = (row("x", 0), row("a", 0.002, channels=quiet), row("b", 0.002, channels=quiet), row("c", 1.0))
    found = blame(graph_of(LOUD, outputs=["c"]), Comparison(rows))

    assert found.verdict(0) is Verdict.ORIGIN
    assert found.verdict(1) is Verdict.CARRIER


HEADS: list[Line] = [
    ("norm", "LayerNormalization", ["x", "w0"], ["a"]),
    ("q", "MatMul", ["a", "w1"], ["b"]),
    ("k", "MatMul", ["a", "w2"], ["c"]),
    ("sum", "Add", ["b", "c"], ["d"]),
    ("other", "Conv", ["x", "w3"], ["e"]),
]


@pytest.mark.parametrize(
    ("q", "k", "other", "norm"),
    [
        (0.3, 0.35, 0.01, Verdict.ORIGIN),
        (0.3, 0.9, 0.01, Verdict.CLEAN),  # not alike
        (0.3, 0.02, 0.01, Verdict.CLEAN),  # one reader does not mind
        (0.3, 0.35, 0.3, Verdict.CLEAN),  # others lose as well: weights are bad everywhere
    ],
)
def test_readers_that_lose_alike(q: float, k: float, other: float, norm: Verdict) -> None:
    errors = {"x": 0, "a": 0.02, "b": q, "c": k, "d": 0.3, "e": other}

    assert blame(graph_of(HEADS, outputs=["d"]), compared(errors)).verdict(0) is norm


MERGED: list[Line] = [
    ("box", "Mul", ["x", "w0"], ["a"]),
    ("class", "Softmax", ["x"], ["b"]),
    ("cat", "Concat", ["a", "b"], ["c"]),
]


@pytest.mark.parametrize(
    ("box", "left", "expected"),
    [
        ((300.0, 640.0), 5, "node error"),
        ((300.0, 640.0), 6, "good"),  # all values are still there
        ((0.0, 640.0), 5, "good"),  # the same value may stand on both sides
    ],
)
def test_values_that_became_one(box: tuple[float, float], left: int, expected: str) -> None:
    rows = (
        row("x", 0),
        row("a", 0.005, **holding(*box, 4)),
        row("b", 0.0, **holding(0.0, 1.0, 2)),
        row("c", 0.005, **holding(0.0, 640.0, left)),
    )
    found = blame(graph_of(MERGED, outputs=["c"]), Comparison(rows))

    assert found.model.kind == expected
    assert (found.verdict(2) is Verdict.ORIGIN) == (expected == "node error")


def test_values_that_became_one_are_lost_there_also_where_they_were_bad_before() -> None:
    rows = (
        row("x", 0),
        row("a", 0.005, **holding(300.0, 640.0, 4)),
        row("b", 0.2, **holding(0.0, 1.0, 2)),
        row("c", 0.005, **holding(0.0, 640.0, 5)),
    )
    found = blame(graph_of(MERGED, outputs=["c"]), Comparison(rows))

    assert found.model.kind == "node error"
    assert found.model.top[0].node == 2
