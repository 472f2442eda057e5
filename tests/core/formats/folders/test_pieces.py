"""Operators that several threads or slices have computed: their pieces are one tensor again."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errorflow.base.errors import FormatError
from errorflow.formats.folders.npu import NpuFolder, open_npu_folder
from errorflow.formats.folders.scan import listing
from errorflow.formats.npu.names import Naming
from npu_writer import NpuArray, write_npu

TIME = 1_700_000_000_000_000
Array = NDArray[Any]


def account(cuts: list[list[int]], count: int, mode: int, slices: object = None) -> dict[str, str]:
    fields = {"threadMode": mode, "slice_instance_num": count, "outputCutList": cuts, "output_tensor_slice": slices}
    return {"ffts": json.dumps(fields)}


def ranges(parts: list[Array], axis: int) -> list[list[list[dict[str, int]]]]:
    """For each thread its one output, by dimension."""
    found, start = [], 0
    for part in parts:
        whole = [{"lower": 0, "higher": size} for size in part.shape]
        whole[axis] = {"lower": start, "higher": start + part.shape[axis]}
        start += part.shape[axis]
        found.append([whole])
    return found


def by_thread(folder: Path, parts: list[Array], axis: int, name: str = "conv", order: list[int] | None = None) -> None:
    cuts = [1] * parts[0].ndim
    cuts[axis] = len(parts)
    attributes = account([cuts], len(parts), 1, ranges(parts, axis))
    for thread in range(len(parts)) if order is None else order:
        # A thread's file has the shape of the whole in its head, and only its own part behind it.
        tensor = NpuArray(parts[thread], "NCHW", shape=(parts[thread].size,), address=64, original_shape=(9, 9))
        file = folder / f"Conv2D.{name}.3.7.{TIME + 10 - thread}.4.20.{thread}.0"
        write_npu(file, [NpuArray(parts[thread] + 100)], [tensor], attributes=attributes)


def by_slice(folder: Path, parts: list[Array], axis: int, name: str = "conv") -> None:
    cuts = [1] * parts[0].ndim
    cuts[axis] = len(parts)
    for number, part in enumerate(parts):
        file = folder / f"Conv2D.{name}_lxslice{number}.3.7.{TIME}.4.20.0.0"
        write_npu(file, outputs=[NpuArray(part, "NCHW")], attributes=account([cuts], len(parts), 0))


def opened(folder: Path, naming: Naming = "plain") -> NpuFolder:
    return open_npu_folder(listing(folder), naming)


def whole(axis: int, pieces: int) -> tuple[Array, list[Array]]:
    shape = [2, 3, 4]
    shape[axis] = pieces * 2 + 1
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return array, np.array_split(array, pieces, axis)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_threads_are_joined_along_the_dimension_that_was_cut(axis: int, tmp_path: Path) -> None:
    array, parts = whole(axis, 3)
    by_thread(tmp_path, parts, axis, order=[2, 0, 1])

    run = opened(tmp_path)

    assert run.names() == ("conv:input:0", "conv:output:0")
    info = run.info("conv:output:0")
    assert (info.shape, info.nbytes, info.address) == (array.shape, array.nbytes, 64)
    assert (info.layout, info.original_shape) == ("NCHW", (9, 9))
    np.testing.assert_array_equal(run.read("conv:output:0"), array)
    np.testing.assert_array_equal(run.read("conv:input:0"), parts[0] + 100)
    assert run.problems == ()


@pytest.mark.parametrize("pieces", [2, 12])
def test_slices_are_joined_in_their_order(pieces: int, tmp_path: Path) -> None:
    array, parts = whole(0, pieces)
    by_slice(tmp_path, parts, 0, name="p0_sgt_graph_3_conv")

    run = opened(tmp_path)

    np.testing.assert_array_equal(run.read("conv:output:0"), array)


def test_pieces_of_different_ranks_do_not_go_together(tmp_path: Path) -> None:
    slices: list[Any] = [[[{"lower": 0, "higher": 3}]], [[]]]
    for thread in range(2):
        file = tmp_path / f"Conv2D.conv.3.7.{TIME}.4.20.{thread}.0"
        write_npu(file, [], [NpuArray(np.ones(3, np.float32))], attributes=account([[2]], 2, 1, slices))

    [problem] = opened(tmp_path).problems

    assert "do not go together" in problem.text


def test_the_operator_knows_its_pieces(tmp_path: Path) -> None:
    by_thread(tmp_path, whole(0, 2)[1], 0)

    op = opened(tmp_path).op("conv")

    assert op is not None
    assert (op.mode, len(op.files)) == ("threads", 2)
    assert op.path == str(tmp_path / "Conv2D.conv.3.7.*")
    tensors = op.open()
    assert (tensors.sliced, tensors.incomplete) == (True, False)


@pytest.mark.parametrize(
    ("naming", "names"),
    [
        ("plain", ["conv"]),
        ("model", ["p0_sgt_graph_3_conv"]),
        ("pieces", ["p0_sgt_graph_3_conv_lxslice0", "p0_sgt_graph_3_conv_lxslice1"]),
    ],
)
def test_how_pieces_find_together(naming: Naming, names: list[str], tmp_path: Path) -> None:
    by_slice(tmp_path, whole(0, 2)[1], 0, name="p0_sgt_graph_3_conv")

    assert [op.name for op in opened(tmp_path, naming).ops()] == names


def test_of_a_piece_that_is_there_twice_the_newer_counts(tmp_path: Path) -> None:
    array, parts = whole(0, 2)
    by_slice(tmp_path, parts, 0)
    old = tmp_path / f"Conv2D.conv_lxslice1.3.7.{TIME - 1}.4.20.0.0"
    write_npu(old, outputs=[NpuArray(parts[1] * 0)], attributes=account([[2, 1, 1]], 2, 0))

    np.testing.assert_array_equal(opened(tmp_path).read("conv:output:0"), array)


def test_a_piece_that_lacks_is_reported(tmp_path: Path) -> None:
    by_thread(tmp_path, whole(0, 3)[1], 0, order=[0, 1])

    run = opened(tmp_path)

    op = run.op("conv")
    assert op is not None
    assert op.open().incomplete
    assert [problem.text for problem in run.problems] == ["There are 2 pieces and should be 3."]


def test_one_piece_alone_is_taken_as_it_is(tmp_path: Path) -> None:
    _, parts = whole(0, 3)
    by_slice(tmp_path, parts[:1], 0)

    np.testing.assert_array_equal(opened(tmp_path).read("conv:output:0"), parts[0])


@pytest.mark.parametrize("attributes", [{}, {"ffts": "{"}, {"ffts": "[1]"}, account([], 2, 1), account([[1, 1]], 2, 1)])
def test_without_an_account_the_newest_piece_is_taken(attributes: dict[str, str], tmp_path: Path) -> None:
    for thread in range(2):
        file = tmp_path / f"Conv2D.conv.3.7.{TIME - thread}.4.20.{thread}.0"
        write_npu(file, outputs=[NpuArray(np.full(3, thread, np.float32))], attributes=attributes)

    run = opened(tmp_path)

    assert run.read("conv:output:0").tolist() == [0, 0, 0]
    assert "only the newest one is used" in run.problems[0].text


def test_an_output_that_was_not_cut_is_the_first_pieces(tmp_path: Path) -> None:
    for number in range(2):
        pair = [NpuArray(np.full((1, 2), number)), NpuArray(np.full(3, number))]
        file = tmp_path / f"Conv2D.conv_lxslice{number}.3.7.{TIME}.4.20.0.0"
        write_npu(file, outputs=pair, attributes=account([[2, 1], [1]], 2, 0))

    run = opened(tmp_path)

    assert run.read("conv:output:0").tolist() == [[0, 0], [1, 1]]
    assert run.read("conv:output:1").tolist() == [0, 0, 0]


def test_pieces_that_do_not_go_together_are_a_problem(tmp_path: Path) -> None:
    by_slice(tmp_path, [np.ones((2, 3), np.float32), np.ones((2, 4), np.float32)], 0)

    run = opened(tmp_path)

    assert run.names() == ()
    assert "do not go together" in run.problems[0].text


@pytest.mark.parametrize(
    "slices", [None, [], [[]], [[[{"lower": 0}]], 3], [[[{"lower": 5, "higher": 2}]]], [[None], [None]]]
)
def test_an_account_that_makes_no_sense_is_a_problem(slices: object, tmp_path: Path) -> None:
    for thread in range(2):
        file = tmp_path / f"Conv2D.conv.3.7.{TIME}.4.20.{thread}.0"
        write_npu(file, outputs=[NpuArray(np.ones(3))], attributes=account([[2]], 2, 1, slices))

    run = opened(tmp_path)

    assert run.names() == ()
    assert run.problems


def test_a_piece_of_the_wrong_size_is_a_sentence(tmp_path: Path) -> None:
    parts = whole(0, 2)[1]
    by_thread(tmp_path, parts, 0)
    file = tmp_path / f"Conv2D.conv.3.7.{TIME + 9}.4.20.1.0"
    own = account([[2, 1, 1]], 2, 1, ranges(parts, 0))
    write_npu(file, outputs=[NpuArray(np.ones(3, np.float32))], attributes=own)

    with pytest.raises(FormatError, match="is not the piece it should be"):
        opened(tmp_path).read("conv:output:0")


def test_a_joined_tensor_travels(tmp_path: Path) -> None:
    array, parts = whole(0, 2)
    by_thread(tmp_path, parts, 0)

    back = pickle.loads(pickle.dumps(opened(tmp_path).stored("conv:output:0")))

    np.testing.assert_array_equal(back.read(), array)
    assert not back.read().flags.writeable
