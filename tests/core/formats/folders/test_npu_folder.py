"""Folders of NPU dumps: which files count, and what they are called."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import ErrorflowError, WrongFileError
from errorflow.formats.folders.npu import NpuFolder, open_npu_folder
from errorflow.formats.folders.scan import listing
from errorflow.formats.runs import read_run
from npu_writer import NpuArray, write_npu

TIME = 1_700_000_000_000_000


def opened(folder: Path) -> NpuFolder:
    run = read_run(folder)
    assert isinstance(run, NpuFolder)
    return run


def dumped(folder: Path, name: str, value: float = 1.0, **fields: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    array = NpuArray(np.full((2, 3), value, np.float32), "NCHW")
    return write_npu(folder / name, [array], [array], op_name=fields.get("op_name", ""))


def test_tensors_are_called_by_operator_and_place(tmp_path: Path) -> None:
    dumped(tmp_path, f"Conv2D.conv1.1.2.{TIME + 1}", 4.0, op_name="block/conv1")
    dumped(tmp_path, f"Relu.relu1.2.2.{TIME}", 5.0)

    run = opened(tmp_path)

    assert run.names() == ("relu1:input:0", "relu1:output:0", "conv1:input:0", "conv1:output:0")
    assert run.info("conv1:output:0").name == "conv1:output:0"
    assert run.read("relu1:output:0")[0, 0] == 5
    assert run.stored("conv1:input:0").read()[0, 0] == 4
    assert run.stored("conv1:input:0").path == str(tmp_path / f"Conv2D.conv1.1.2.{TIME + 1}")
    assert run.problems == ()


def test_an_operator_is_found_as_it_is_written(tmp_path: Path) -> None:
    dumped(tmp_path, f"Conv2D.block_1_conv.1.2.{TIME}", op_name="block.1/conv")

    op = opened(tmp_path).op("block.1/conv")

    assert op is not None
    assert (op.name, op.op_type, op.timestamp, op.mode) == ("block_1_conv", "Conv2D", TIME, "single")
    assert op.open().op_name == "block.1/conv"
    assert opened(tmp_path).op("other") is None


def test_listing_opens_no_file(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"Conv2D.c{number}.1.2.{TIME}").write_bytes(b"no dump at all")

    run = open_npu_folder(listing(tmp_path))

    assert [op.name for op in run.ops()] == ["c0", "c1", "c2"]
    assert run.listed == ()


@pytest.mark.parametrize("order", [(500, 900), (900, 500)])
def test_the_newest_of_several_files_counts(order: tuple[int, int], tmp_path: Path) -> None:
    for stamp in order:
        dumped(tmp_path, f"Add.twice.90.7.{stamp}", float(stamp))

    assert opened(tmp_path).read("twice:output:0")[0, 0] == 900


@pytest.mark.parametrize("below", ["", "20240101120000/0/resnet50/1/0"])
def test_the_folder_with_the_dumps_is_found(below: str, tmp_path: Path) -> None:
    dumped(tmp_path / below, f"Add.a.1.2.{TIME}")

    assert opened(tmp_path).folder == tmp_path / below


def test_of_several_runs_none_is_guessed(tmp_path: Path) -> None:
    dumped(tmp_path / "t" / "0", f"Add.a.1.2.{TIME}")
    dumped(tmp_path / "t" / "1", f"Add.a.1.2.{TIME}")

    with pytest.raises(WrongFileError, match=r"holds 2 runs: t/0, t/1\.") as caught:
        read_run(tmp_path)
    assert caught.value.hint


def test_hashed_names_are_looked_up(tmp_path: Path) -> None:
    dumped(tmp_path, "1234567890", 3.0)
    (tmp_path / "mapping.csv").write_text(f"1234567890,Mul.long_name.50.7.{TIME}\n")

    assert opened(tmp_path).read("long_name:output:0")[0, 0] == 3


def test_what_is_no_dump_is_named(tmp_path: Path) -> None:
    dumped(tmp_path, f"Add.a.1.2.{TIME}")
    (tmp_path / "notes.txt").touch()
    (tmp_path / "99").touch()

    [problem] = opened(tmp_path).listed
    assert problem.text == "Not named as dumps are, and left out: 99, notes.txt."


def test_a_broken_dump_does_not_hide_the_others(tmp_path: Path) -> None:
    dumped(tmp_path, f"Add.a.1.2.{TIME}")
    (tmp_path / f"Add.b.1.2.{TIME}").write_bytes(b"\xff" * 30)

    run = opened(tmp_path)

    assert run.names() == ("a:input:0", "a:output:0")
    [problem] = run.problems
    assert problem.where == "b"
    with pytest.raises(ErrorflowError):
        run.stored("b:output:0")


def test_one_bad_tensor_is_named_with_its_operator(tmp_path: Path) -> None:
    write_npu(tmp_path / f"Add.a.1.2.{TIME}", outputs=[NpuArray(np.ones(3), dtype=99)])

    [problem] = opened(tmp_path).problems
    assert problem.where == "a:output:0"


@pytest.mark.parametrize("name", ["b:output:0", "a:output:1", "a", "a:buffer:0", ""])
def test_a_tensor_that_is_not_there_is_a_key_error(name: str, tmp_path: Path) -> None:
    dumped(tmp_path, f"Add.a.1.2.{TIME}")

    with pytest.raises(KeyError):
        opened(tmp_path).stored(name)
    with pytest.raises(KeyError):
        opened(tmp_path).info(name)


def test_one_tensor_travels_without_the_others(tmp_path: Path) -> None:
    for number in range(50):
        dumped(tmp_path, f"Add.a{number}.1.2.{TIME}")

    assert len(pickle.dumps(opened(tmp_path).stored("a7:output:0"))) < 1500


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("conv1", "npu"),
        ("conv1_quant_layer", "npu-quantized"),
        ("AscendDequant_3", "npu-quantized"),
        ("post_quant_conv", "npu-quantized"),
    ],
)
def test_names_tell_a_quantized_run(name: str, kind: str, tmp_path: Path) -> None:
    dumped(tmp_path, f"Conv2D.{name}.1.2.{TIME}")

    run = opened(tmp_path)
    assert run.kind == kind
    assert run.quantized == ((name,) if kind == "npu-quantized" else ())


def test_a_folder_of_both_kinds_is_refused(tmp_path: Path) -> None:
    dumped(tmp_path, f"Add.a.1.2.{TIME}")
    np.save(tmp_path / f"a.0.{TIME}.npy", np.ones(2))

    with pytest.raises(WrongFileError, match="holds both dumps of an NPU"):
        read_run(tmp_path)


class TestLinks:
    def test_one_that_leads_out_is_not_followed(self, tmp_path: Path) -> None:
        outside = dumped(tmp_path / "outside", f"Add.secret.1.2.{TIME}")
        dumped(tmp_path / "run", f"Add.a.1.2.{TIME}")
        (tmp_path / "run" / f"Add.b.1.2.{TIME}").symlink_to(outside)

        run = opened(tmp_path / "run")

        assert [op.name for op in run.ops()] == ["a"]
        [problem] = run.problems
        assert "leads out of the folder" in problem.text

    def test_one_within_is(self, tmp_path: Path) -> None:
        target = dumped(tmp_path, f"Add.a.1.2.{TIME}")
        (tmp_path / f"Add.b.1.2.{TIME}").symlink_to(target.name)

        assert [op.name for op in opened(tmp_path).ops()] == ["a", "b"]

    def test_loops_end(self, tmp_path: Path) -> None:
        dumped(tmp_path / "inner", f"Add.a.1.2.{TIME}")
        (tmp_path / "inner" / "up").symlink_to(tmp_path)
        (tmp_path / "inner" / "self").symlink_to("self")

        assert [op.name for op in opened(tmp_path).ops()] == ["a"]

    def test_the_folder_itself_may_be_one(self, tmp_path: Path) -> None:
        dumped(tmp_path / "run", f"Add.a.1.2.{TIME}")
        (tmp_path / "link").symlink_to("run")

        assert [op.name for op in opened(tmp_path / "link").ops()] == ["a"]


def test_a_file_that_may_not_be_read_is_a_problem(as_nobody: Path) -> None:
    dumped(as_nobody, f"Add.a.1.2.{TIME}").chmod(0)
    dumped(as_nobody, f"Add.b.1.2.{TIME}")

    run = opened(as_nobody)

    assert run.names() == ("b:input:0", "b:output:0")
    assert [problem.where for problem in run.problems] == ["a"]


def test_digits_without_a_mapping_are_no_dump(tmp_path: Path) -> None:
    (tmp_path / "12345").touch()

    with pytest.raises(WrongFileError, match="holds no file that is named as dumps"):
        open_npu_folder(listing(tmp_path))
    with pytest.raises(ErrorflowError, match="holds nothing that is known"):
        read_run(tmp_path)


def test_a_mapping_without_names_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "12345").touch()
    (tmp_path / "mapping.csv").write_text("12345,../../etc/passwd\n")

    with pytest.raises(WrongFileError, match="holds no file that is named as dumps"):
        read_run(tmp_path)


def test_what_the_vendors_tool_made_of_dumps_is_no_dump(tmp_path: Path) -> None:
    dumped(tmp_path, f"Add.a.1.2.{TIME}")
    (tmp_path / f"Add.a.1.2.{TIME}.output.0.bin").touch()

    assert [len(op.files) for op in opened(tmp_path).ops()] == [1]


def test_an_empty_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ErrorflowError, match="holds nothing that is known") as caught:
        read_run(tmp_path)
    assert "folder of NPU dumps" in caught.value.hint


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ErrorflowError):
        read_run(tmp_path / "none")
    with pytest.raises(ErrorflowError, match="could not be read"):
        listing(tmp_path / "none")


def test_operators_that_share_a_name_on_the_disk_are_a_problem(tmp_path: Path) -> None:
    dumped(tmp_path, f"Add.a_b.1.2.{TIME}", op_name="a/b")
    dumped(tmp_path, f"Add.a_b.7.2.{TIME + 1}", op_name="a.b")

    [problem] = opened(tmp_path).listed
    assert (problem.where, problem.text) == ("a_b", "Its 2 files are of 2 tasks; only the newest one is used.")
