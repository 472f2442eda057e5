"""Two models run as one, with nodes of the original in the candidate's place."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from errorflow.base.errors import ErrorflowError
from errorflow.run.spliced import FedFolder, SplicedModels, SpliceSpec

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(1, 6)
WEIGHT = np.eye(6, dtype=np.float32) * 3


def model(path: Path, weight: NDArray[np.float32], opset: int = 17, kind: int = TensorProto.FLOAT) -> Path:
    """y = x · weight, z = relu(y), out = z + 1."""
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["y"], "product"),
        helper.make_node("Relu", ["y"], ["z"], "relu"),
        helper.make_node("Add", ["z", "one"], ["out"], "add"),
    ]
    values = {"w": weight.astype(dtype), "one": np.ones(1, dtype)}
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", kind, [1, 6])],
        [helper.make_tensor_value_info("out", kind, [1, 6])],
        [numpy_helper.from_array(value, name) for name, value in values.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
    return path


CARRIERS = {"x": ("x",), "y": ("y",), "z": ("z",), "out": ("out",)}
NODES = {0: ("y",), 1: ("z",), 2: ("out",)}


@contextmanager
def spliced(folder: Path, x: NDArray[np.floating], **candidate: int) -> Iterator[SplicedModels]:
    original = model(folder / "original.onnx", WEIGHT)
    wrong = model(folder / "candidate.onnx", WEIGHT * 2, **candidate)
    is_half = candidate.get("kind") == TensorProto.FLOAT16
    types = dict.fromkeys(CARRIERS, ("float16", "float32")) if is_half else {}
    spec = SpliceSpec(NODES, CARRIERS, types=types, outputs=("z", "out"))
    with FedFolder.of({"x": x}) as fed, SplicedModels([original, wrong], spec, fed) as models:
        yield models


@pytest.fixture
def models(tmp_path: Path) -> Iterator[SplicedModels]:
    with spliced(tmp_path, X) as found:
        yield found


def right(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = np.maximum(X @ weight, 0) + 1
    return made


def test_with_no_switch_on_it_is_the_candidate(models: SplicedModels) -> None:
    (out,) = models.run((), ["out"])

    np.testing.assert_array_equal(out, right(WEIGHT * 2))


@pytest.mark.parametrize(("switches", "factor"), [((0,), 1), ((0, 1, 2), 1), ((1,), 2), ((2,), 2)])
def test_a_node_that_is_put_right_computes_as_the_original(
    models: SplicedModels, switches: tuple[int, ...], factor: int
) -> None:
    (out,) = models.run(switches, ["out"])

    np.testing.assert_array_equal(out, right(WEIGHT * factor))


def test_several_tensors_come_in_their_order(models: SplicedModels) -> None:
    z, out = models.run((0,), ["z", "out"])

    np.testing.assert_array_equal(z, np.maximum(X @ WEIGHT, 0))
    np.testing.assert_array_equal(out, z + 1)


def test_a_candidate_in_half_precision_is_met_in_its_type(tmp_path: Path) -> None:
    with spliced(tmp_path, X.astype(np.float16), kind=TensorProto.FLOAT16) as models:
        (out,) = models.run((0,), ["out"])

    assert out.dtype == np.float16
    assert np.abs(out.astype(np.float32) - right(WEIGHT)).max() < 5e-3


def test_another_version_of_the_operators_is_brought_together(tmp_path: Path) -> None:
    with spliced(tmp_path, X, opset=13) as models:
        (out,) = models.run((0,), ["out"])

    np.testing.assert_array_equal(out, right(WEIGHT))


def test_what_the_candidate_has_nothing_for_is_a_sentence(tmp_path: Path) -> None:
    original = model(tmp_path / "original.onnx", WEIGHT)
    wrong = model(tmp_path / "candidate.onnx", WEIGHT * 2)
    spec = SpliceSpec({0: ("y",)}, {"y": ("y",)}, outputs=("out",))
    refused = pytest.raises(ErrorflowError, match="nothing for x")
    with FedFolder.of({"x": X}) as fed, SplicedModels([original, wrong], spec, fed) as models, refused:
        models.run((0,), ["out"])
