"""Pairs of tensors by name: measured, or with a note; one bad tensor never hides the others."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from errorflow.base.errors import FormatError
from errorflow.base.progress import Cancelled
from errorflow.base.sample import SAMPLES, Sample
from errorflow.compare import Comparison, Row, compare
from errorflow.compare.metrics import METRICS
from errorflow.formats import read
from errorflow.formats.arrays.npy import StoredArray
from errorflow.formats.arrays.npz import NpzDump
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Problem


@dataclass
class MemoryDump:
    """Tensors held in memory; reading a tensor that is None fails as a damaged file does."""

    tensors: Mapping[str, NDArray[np.generic] | None]
    label: str = "memory"
    problems: Sequence[Problem] = ()

    def names(self) -> Sequence[str]:
        return tuple(self.tensors)

    def info(self, name: str) -> TensorInfo:
        array = self.tensors[name]
        return TensorInfo(name, "float32", (2,), 8) if array is None else _info(name, array)

    def read(self, name: str) -> NDArray[np.generic]:
        array = self.tensors[name]
        if array is None:
            raise FormatError(f"{name} is damaged.", "Copy it again.")
        return array

    def stored(self, name: str) -> StoredArray:
        return StoredArray("memory", self.info(name), self)


def _info(name: str, array: NDArray[np.generic]) -> TensorInfo:
    return TensorInfo(name, array.dtype.name, array.shape, array.nbytes)


def one(reference: NDArray[np.generic] | None, candidate: NDArray[np.generic] | None) -> Row:
    return compare(MemoryDump({"t": reference}), MemoryDump({"t": candidate})).rows[0]


def test_every_metric_is_measured_for_a_pair() -> None:
    row = one(np.array([3, 4], np.float32), np.array([3, 5], np.float32))

    assert {metric.key: row.values[metric.key] for metric in METRICS} == {
        metric.key: metric([3, 4], [3, 5]) for metric in METRICS
    }
    assert (row.tensor, row.shape, row.dtype, row.note, row.states) == ("t", (2,), "float32", "", ())


def test_rows_come_in_the_order_of_the_reference_then_of_the_candidate() -> None:
    value = np.zeros(1)
    reference = MemoryDump(dict.fromkeys(("c", "a", "b"), value))
    candidate = MemoryDump(dict.fromkeys(("z", "b", "y", "c"), value))

    rows = compare(reference, candidate).rows

    assert [row.tensor for row in rows] == ["c", "a", "b", "z", "y"]
    assert [row.note for row in rows] == ["", "only in the reference", "", *["only in the candidate"] * 2]


def test_a_tensor_of_one_run_alone_is_described_by_that_run() -> None:
    row = compare(MemoryDump({}), MemoryDump({"t": np.zeros((2, 3), np.int8)})).rows[0]

    assert (row.shape, row.dtype) == ((2, 3), "int8")
    assert math.isnan(row.value("cosine"))


@pytest.mark.parametrize(
    ("reference", "candidate", "note"),
    [
        (np.zeros((1, 2)), np.zeros((2, 1)), "The shapes differ: (2, 1) and (1, 2)."),
        (np.array(["a"]), np.zeros(1), "no real numbers: str32"),
        (np.zeros(1), np.array([1j]), "no real numbers: complex128"),
        (np.zeros(1), np.array([b"ab"], "V2"), "no real numbers: void16"),
        (None, np.zeros(2), "t is damaged."),
    ],
)
def test_what_cannot_be_compared_is_a_note(
    reference: NDArray[np.generic] | None, candidate: NDArray[np.generic], note: str
) -> None:
    row = one(reference, candidate)

    assert row.note == note
    assert not row.values


def test_a_bad_tensor_does_not_hide_the_next_one() -> None:
    good = np.ones(2, np.float32)

    rows = compare(MemoryDump({"bad": None, "good": good}), MemoryDump({"bad": good, "good": good})).rows

    assert [bool(row.values) for row in rows] == [False, True]


@pytest.mark.parametrize(
    ("reference", "candidate", "states"),
    [
        ([1.0, math.nan], [1.0, 2.0], ("1 NaN in the reference",)),
        ([1.0, 2.0], [math.inf, -math.inf], ("2 infinite in the candidate",)),
        ([0.0, 0.0], [1.0, 1.0], ("the reference is all zero", "the candidate is constant")),
    ],
)
def test_states_are_told_beside_the_numbers(
    reference: list[float], candidate: list[float], states: tuple[str, ...]
) -> None:
    row = one(np.array(reference), np.array(candidate))

    assert row.states == states
    assert set(row.values) >= {metric.key for metric in METRICS}


def test_comparing_can_be_cancelled_between_tensors() -> None:
    seen = []

    class Cancel:
        def step(self, done: int, total: int, text: str) -> None:
            seen.append(text)
            if done == 1:
                raise Cancelled

    dump = MemoryDump(dict.fromkeys("abc", np.zeros(1)))
    with pytest.raises(Cancelled):
        compare(dump, dump, Cancel())
    assert seen == ["a", "b"]


def of_sample(sample: Sample) -> Comparison:
    reference, candidate = read(sample.reference_run), read(sample.candidate_run)
    assert isinstance(reference, NpzDump) and isinstance(candidate, NpzDump)
    return compare(reference, candidate)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_every_tensor_of_the_sample_is_measured(sample: Sample) -> None:
    comparison = of_sample(sample)

    assert len(comparison.rows) > 15
    assert not [row for row in comparison.rows if row.note]


def cosines(key: str) -> dict[str, float]:
    sample = next(sample for sample in SAMPLES if sample.key == key)
    return {row.tensor: row.value("cosine") for row in of_sample(sample).rows}


def test_a_node_fault_is_a_front() -> None:
    found = cosines("node_fault")
    culprit = list(found).index("/block2/project/conv/Conv_output_0")

    assert min(list(found.values())[:culprit]) > 0.999
    assert max(list(found.values())[culprit:]) < 0.8


def test_drift_grows_with_the_depth() -> None:
    *layers, _ = cosines("drift").values()
    third = len(layers) // 3
    first, second, last = (float(np.median(layers[at * third : (at + 1) * third])) for at in range(3))

    assert first > 0.97 > second > last > layers[-1]
    assert layers[-1] < 0.85
    assert max(a - b for a, b in pairwise(layers)) < 0.2


def test_the_healthy_twin_stays_calm() -> None:
    assert min(cosines("clean").values()) > 0.998


def test_a_loud_channel_looks_perfect_and_its_reader_broken() -> None:
    found = cosines("loud_channel")

    assert found["/block2/depthwise/act/Relu_output_0"] > 0.9999
    assert found["/block2/project/conv/Conv_output_0"] < 0.7


def test_the_output_whose_cosine_lies_looks_perfect() -> None:
    assert cosines("cosine_lies")["detections"] > 0.9999
