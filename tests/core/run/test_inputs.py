"""The user's files become what a model is fed with."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto

from errorflow.base.errors import ErrorflowError, FileError, UsageError
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.run.inputs import find_inputs, same_inputs
from errorflow.run.model import Inputs
from onnx_models import Dims, graph, model, relu, value
from run_models import floats, savez


def wants(folder: Path, *inputs: tuple[str, Dims, int]) -> Graph:
    """The graph of a model with these inputs."""
    made = model(
        graph(
            relu(inputs[0][0], "y"),
            inputs=[value(name, dims, dtype) for name, dims, dtype in inputs],
            outputs=[value("y", None)],
        )
    )
    onnx.save(made, folder / "m.onnx")
    return read_model(folder / "m.onnx").graph


@pytest.fixture
def image(tmp_path: Path) -> Graph:
    return wants(tmp_path, ("image/0", ("N", 3), TensorProto.FLOAT))


def saved(folder: Path, kind: str, array: NDArray[np.generic]) -> Path:
    if kind == "npz":
        return savez(folder / "in.npz", {"image/0": array})
    if kind == "npy":
        np.save(folder / "whatever.npy", array)
        return folder / "whatever.npy"
    (folder / "in").mkdir()
    if kind == "folder":
        np.save(folder / "in" / "image_0.npy", array)
        return folder / "in"
    array.tofile(folder / "in" / "image_0.bin")
    return folder / "in" / "image_0.bin" if kind == "bin" else folder / "in"


@pytest.mark.parametrize("kind", ["npz", "npy", "folder", "bin", "folder of bin"])
def test_inputs_come_in_many_forms(kind: str, image: Graph, tmp_path: Path) -> None:
    array = floats(2, 3)
    found = find_inputs(image, [saved(tmp_path, kind, array)])
    assert np.array_equal(found.arrays["image/0"], array)
    assert found.notes == ()


def test_a_raw_file_needs_a_shape_where_the_model_leaves_it_open(tmp_path: Path) -> None:
    shape = wants(tmp_path, ("x", ("N", "M"), TensorProto.FLOAT))
    floats(2, 3).tofile(tmp_path / "x.bin")
    with pytest.raises(UsageError, match=r"x\.bin does not say what shape it has.*x float32 \[N, M\]"):
        find_inputs(shape, [tmp_path / "x.bin"])
    found = find_inputs(shape, [tmp_path / "x.bin"], ["x=2x?:float32"])
    assert np.array_equal(found.arrays["x"], floats(2, 3))


def test_what_is_missing_is_named_with_type_and_shape(tmp_path: Path) -> None:
    shape = wants(tmp_path, ("x", (1, 2), TensorProto.FLOAT), ("mask", ("N",), TensorProto.INT64))
    np.savez(tmp_path / "in.npz", x=floats(1, 2))
    with pytest.raises(UsageError, match=r"not given: mask int64 \[N\]\. Given were: x") as caught:
        find_inputs(shape, [tmp_path / "in.npz"])
    assert "--random" in caught.value.hint


def test_missing_inputs_are_made_up_only_when_asked_and_it_is_said(tmp_path: Path) -> None:
    shape = wants(tmp_path, ("x", ("N", 2), TensorProto.FLOAT), ("ids", ("N",), TensorProto.INT64))
    np.savez(tmp_path / "in.npz", x=floats(5, 2))
    first, again = (find_inputs(shape, [tmp_path / "in.npz"], seed=7) for _ in range(2))
    assert first.arrays["ids"].shape == (5,)  # N is known from x
    assert set(first.arrays["ids"].tolist()) <= {0, 1}
    assert np.array_equal(first.arrays["ids"], again.arrays["ids"])
    assert first.notes == ("ids: made up, random values of seed 7 in the shape [5].",)
    assert first.made_up == {"ids": (5,)} and first.guessed


@pytest.mark.parametrize(
    ("dtype", "array", "sentence"),
    [
        (TensorProto.FLOAT, np.zeros((2, 4), np.float32), r"has the shape \[2, 4\]"),
        (TensorProto.FLOAT, np.zeros((2, 3), np.complex64), "holds complex64"),
        (TensorProto.INT64, np.full((2, 3), 0.5, np.float32), "holds float32"),
        (TensorProto.UINT8, np.full((2, 3), -1, np.int64), "holds int64"),
    ],
)
def test_what_cannot_be_meant_is_refused(dtype: int, array: NDArray[np.generic], sentence: str, tmp_path: Path) -> None:
    shape = wants(tmp_path, ("x", ("N", 3), dtype))
    np.savez(tmp_path / "in.npz", x=array)
    with pytest.raises(UsageError, match=sentence):
        find_inputs(shape, [tmp_path / "in.npz"])


@pytest.mark.parametrize(
    ("dtype", "array", "name"),
    [
        (TensorProto.FLOAT, np.ones((2, 3)), "float64"),
        (TensorProto.FLOAT, np.ones((2, 3), np.float16), "float16"),
        (TensorProto.INT32, np.ones((2, 3), np.int64), "int64"),
    ],
)
def test_another_type_of_the_same_kind_is_converted_and_noted(
    dtype: int, array: NDArray[np.generic], name: str, tmp_path: Path
) -> None:
    shape = wants(tmp_path, ("x", ("N", 3), dtype))
    np.savez(tmp_path / "in.npz", x=array)
    found = find_inputs(shape, [tmp_path / "in.npz"])
    assert found.arrays["x"].dtype.name in found.notes[0] and name in found.notes[0]


@pytest.mark.parametrize("dtype", [TensorProto.STRING, TensorProto.FLOAT8E4M3FN])
def test_types_that_cannot_be_made_up_are_refused(dtype: int, tmp_path: Path) -> None:
    shape = wants(tmp_path, ("x", (2,), dtype))
    with pytest.raises(UsageError, match="No random values"):
        find_inputs(shape, [], seed=0)


def test_a_size_beyond_all_measure_is_not_made_up(tmp_path: Path) -> None:
    shape = wants(tmp_path, ("x", (1 << 40, 1 << 20), TensorProto.FLOAT))
    with pytest.raises(UsageError, match="No random values"):
        find_inputs(shape, [], seed=0)


def test_a_path_that_is_not_there_is_a_sentence(image: Graph, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no inputs at"):
        find_inputs(image, [tmp_path / "nowhere"])


@pytest.mark.parametrize("names", [("a", "b"), ("p", "q")])
def test_another_model_gets_the_same_inputs(names: Sequence[str], tmp_path: Path) -> None:
    """By names, or one after the other."""
    shape = wants(tmp_path, *((name, (2,), TensorProto.FLOAT) for name in names))
    a, b = floats(2), -floats(2)
    found = same_inputs(shape, Inputs({"a": a, "b": b}))
    assert np.array_equal(found.arrays[names[0]], a)
    assert np.array_equal(found.arrays[names[1]], b)


def test_inputs_that_are_made_up_keep_their_place_for_another_model(tmp_path: Path) -> None:
    first = wants(tmp_path, ("a", (2,), TensorProto.FLOAT), ("b", (2,), TensorProto.FLOAT))
    found = find_inputs(first, [savez(tmp_path / "b.npz", {"b": np.ones(2, np.float32)})], seed=1)
    other = wants(tmp_path, ("p", (2,), TensorProto.FLOAT), ("q", (2,), TensorProto.FLOAT))
    assert same_inputs(other, found).arrays["q"].tolist() == [1, 1]


def test_models_with_different_inputs_are_refused(tmp_path: Path) -> None:
    shape = wants(tmp_path, ("p", (2,), TensorProto.FLOAT))
    with pytest.raises(ErrorflowError, match="One model wants 2 inputs and the other 1"):
        same_inputs(shape, Inputs({"a": floats(2), "b": floats(2)}))
