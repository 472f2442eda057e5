"""The front: where a comparison turns bad, and how far that reaches."""

import math

import pytest

from blame_cases import Line, chain, compared, graph_of
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.front import ends, explained
from errorflow.explain.blame.model import Blame

NAN = math.nan


def front(found: Blame) -> list[int]:
    return [node for node in range(len(found.graph)) if found.front[node]]


@pytest.mark.parametrize(
    ("errors", "expected", "first"),
    [
        ((0, 0.01, 0.02), [], []),
        ((0, 0.01, 0.6, 0.6, 0.7), [1, 2, 3], [1]),
        ((0, 0.6, 0.01, 0.02), [0], [0]),
        ((0, 0.6, 0.01, 0.6), [0, 2], [0, 2]),
        ((0, 0.6, NAN, 0.6, NAN), [0, 1, 2], [0]),
        ((0, 0.02, 0.027, 0.036, 0.048, 0.06), [], []),
        ((0, 0.06, 0.07, 0.9), [0, 1, 2], [0]),
    ],
    ids=str,
)
def test_it_reaches_as_far_as_one_error_explains(
    errors: tuple[float, ...], expected: list[int], first: list[int]
) -> None:
    found = blame(*chain(*errors))

    assert front(found) == expected
    assert ends(found).tolist() == first


DIAMOND: list[Line] = [
    ("stem", "Conv", ["x", "w0"], ["a"]),
    ("left", "Conv", ["a", "w1"], ["b"]),
    ("right", "Conv", ["a", "w2"], ["c"]),
    ("join", "Add", ["b", "c"], ["d"]),
    ("tail", "Relu", ["d"], ["e"]),
]


def test_of_two_branches_only_the_bad_one_belongs_to_it() -> None:
    found = blame(graph_of(DIAMOND), compared({"x": 0, "a": 0.01, "b": 0.01, "c": 0.7, "d": 0.5, "e": 0.5}))

    assert front(found) == [2, 3, 4]
    assert ends(found).tolist() == [2]


def test_what_a_node_explains_is_it_and_what_follows() -> None:
    found = blame(graph_of(DIAMOND), compared({"x": 0, "a": 0.01, "b": 0.4, "c": 0.7, "d": 0.6, "e": 0.01}))

    assert explained(found, 1).nonzero()[0].tolist() == [1, 3]
    assert explained(found, 4).nonzero()[0].tolist() == [4]


def test_a_circle_has_a_front() -> None:
    lines: list[Line] = [("a", "Conv", ["x", "q", "w0"], ["p"]), ("b", "Conv", ["p", "w1"], ["q"])]

    assert front(blame(graph_of(lines), compared({"x": 0, "p": 0.7, "q": 0.7})))
