"""Sizes of made-up inputs that the model leaves open."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from errorflow.graph.model import Dim, Shape
from errorflow.run.both import RunInputs, run_model
from errorflow.run.model import MadeUpShapes, ModelInput, RunError, shapes_text
from errorflow.run.open_sizes import filled, is_open
from onnx_models import graph, model, value, weight


@pytest.mark.parametrize(
    ("shape", "dtype", "found"),
    [
        (("N", 3, "H", "W"), "float32", (1, 3, 64, 64)),
        ((None, 3, None, None), "bfloat16", (1, 3, 64, 64)),
        (("N", "H", "W", 3), "float16", (1, 64, 64, 3)),
        ((None, None, None, None), "float32", (1, 3, 64, 64)),
        (("N", 3, 48, "W"), "float32", (1, 3, 48, 64)),
        (("N", 3, "H", "W"), "uint8", (1, 3, 16, 16)),
        (("batch", "length"), "int64", (1, 16)),
        (("length", "batch_size", 8), "float32", (1, 1, 8)),
        ((2, 3), "float32", (2, 3)),
        ((), "float32", ()),
    ],
)
def test_a_batch_is_one_and_an_image_is_small(shape: Shape, dtype: str, found: tuple[int, ...]) -> None:
    assert filled(ModelInput("x", dtype, shape), {}, 64) == found


def test_the_last_resort_is_one_everywhere() -> None:
    assert filled(ModelInput("x", "float32", ("N", None, "H", "W")), {}, 1) == (1, 1, 1, 1)


def test_what_is_called_alike_is_of_one_size() -> None:
    known: dict[Dim, int] = {"T": 5}
    assert filled(ModelInput("x", "float32", ("N", "S", "T", 4)), known, 64) == (1, 64, 5, 4)
    assert filled(ModelInput("mask", "int64", ("N", "S")), known, 64) == (1, 64)


@pytest.mark.parametrize(("shape", "opened"), [(None, True), (("N", 2), True), ((None,), True), ((1, 2), False)])
def test_a_shape_is_open_where_a_size_is(shape: Shape, opened: bool) -> None:
    assert is_open(ModelInput("x", "float32", shape)) is opened


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ({"x": (1, 3, 64, 64)}, "1×3×64×64"),
        ({"x": ()}, "scalar"),
        ({"ids": (1, 16), "mask": (1, 16)}, "ids 1×16, mask 1×16"),
        (dict.fromkeys("abcde", (1,)), "a 1, b 1, c 1 and 2 more"),
    ],
)
def test_shapes_are_named(shapes: MadeUpShapes, text: str) -> None:
    assert shapes_text(shapes) == text


def takes_only(side: int, path: Path) -> Path:
    """A model that leaves its sizes open and can use one only."""
    nodes = [helper.make_node("Reshape", ["x", "to"], ["y"])]
    to = weight("to", np.array([1, 3, side * side], np.int64))
    dims = ("N", 3, "H", "W")
    made = graph(*nodes, inputs=[value("x", dims, TensorProto.FLOAT)], outputs=[value("y", None)], weights=[to])
    onnx.save(model(made), path)
    return path


@pytest.mark.parametrize("side", [64, 224, 1])
def test_a_size_that_the_model_does_not_take_is_followed_by_another(side: int, tmp_path: Path) -> None:
    ran = run_model(takes_only(side, tmp_path / "m.onnx"), RunInputs(seed=1), tmp_path / "run.npz")
    assert ran.made_up == {"x": (1, 3, side, side)}
    assert f"in the shape [1, 3, {side}, {side}]" in ran.notes[0].text


def test_where_no_size_will_do_inputs_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot run") as caught:
        run_model(takes_only(7, tmp_path / "m.onnx"), RunInputs(seed=1), tmp_path / "run.npz")
    assert "made up, first in the shape 1×3×64×64: give real ones with --inputs" in caught.value.hint


def test_inputs_that_were_given_are_tried_once(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", x=np.zeros((1, 3, 5, 5), np.float32))
    with pytest.raises(RunError) as caught:
        run_model(takes_only(7, tmp_path / "m.onnx"), RunInputs((tmp_path / "x.npz",), seed=1), tmp_path / "run.npz")
    assert "made up" not in caught.value.hint
