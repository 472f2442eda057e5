"""Bare values, with a shape from elsewhere."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.formats import read_model
from errorflow.formats.folders.raw import declared_by, parse_shapes
from errorflow.formats.folders.scan import Declared
from errorflow.formats.runs import read_run


def test_a_model_says_what_they_are(tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["/in:0"], ["/out.1"])
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node],
        "g",
        [value("/in:0", onnx.TensorProto.FLOAT, ["N", 3])],
        [value("/out.1", onnx.TensorProto.FLOAT16, [2, 3])],
    )
    onnx.save(helper.make_model(graph), str(tmp_path / "m.onnx"))
    run = tmp_path / "run"
    run.mkdir()
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    values.tofile(run / "_in_0.bin")
    (values * 2).astype(np.float16).tofile(run / "_out_1.bin")

    dump = read_run(run, declared=declared_by(read_model(tmp_path / "m.onnx").graph))

    np.testing.assert_array_equal(dump.read("/in:0"), values)
    np.testing.assert_array_equal(dump.read("/out.1"), values * 2)
    assert dump.problems == ()


@pytest.mark.parametrize(
    ("text", "name", "declared"),
    [
        ("a/b:0=1x3x8x8:float16", "a/b:0", Declared("float16", (1, 3, 8, 8))),
        ("x=3", "x", Declared("float32", (3,))),
        ("x=?x3:int8", "x", Declared("int8", (None, 3))),
        ("x=:int64", "x", Declared("int64", ())),
        ("a=b=2", "a=b", Declared("float32", (2,))),
    ],
)
def test_shapes_as_they_are_typed(text: str, name: str, declared: Declared) -> None:
    assert parse_shapes([text]) == {name: declared}


@pytest.mark.parametrize("text", ["", "x", "x=1x", "x=a", "=3", "x=?x?", "x=1,2", "x=-1", f"x={'1x' * 100}1"])
def test_what_is_no_shape_is_a_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_shapes([text])
    assert caught.value.hint


def test_without_shapes_the_way_out_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(bytes(12))

    with pytest.raises(UsageError) as caught:
        read_run(tmp_path)
    assert "--shapes" in caught.value.hint


def test_a_file_without_shape_is_a_problem(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / f"{name}.bin").write_bytes(bytes(12))

    dump = read_run(tmp_path, declared=parse_shapes(["x=3"]))

    assert dump.names() == ("x",)
    assert [problem.text for problem in dump.problems] == ["No shape is known for 1 files, such as y.bin."]


def test_names_that_share_a_file_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a_b.bin").write_bytes(bytes(12))

    dump = read_run(tmp_path, declared=parse_shapes(["a/b=3", "a.b=3"]))

    assert dump.names() == ("a/b",)
    assert "have the same file name" in dump.problems[0].text


@pytest.mark.parametrize(
    "shape", ["x=4", "x=2", "x=?x5", "x=3:object", "x=3:nothing", "x=0", "x=9999999999x9999999999"]
)
def test_a_shape_that_does_not_fit_is_a_sentence(shape: str, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(bytes(12))

    dump = read_run(tmp_path, declared=parse_shapes([shape]))

    assert dump.names() == ()
    assert len(dump.problems) == 1
    with pytest.raises(ErrorflowError):
        dump.stored("x")


def test_values_cannot_be_written_to(tmp_path: Path) -> None:
    np.arange(3, dtype=np.float32).tofile(tmp_path / "x.bin")

    assert not read_run(tmp_path, declared=parse_shapes(["x=3"])).read("x").flags.writeable


def test_files_of_one_tensor_are_a_problem(tmp_path: Path) -> None:
    for name in ("a.b", "a_b"):
        (tmp_path / f"{name}.bin").write_bytes(bytes(12))

    dump = read_run(tmp_path, declared=parse_shapes(["a/b=3"]))

    assert dump.names() == ("a/b",)
    assert [problem.text for problem in dump.problems] == ["Several files are of one tensor; the last of them is used."]
