"""Which operators overflowed."""

import struct
from pathlib import Path

import numpy as np
import pytest

from errorflow.compare.match import codes
from errorflow.report.overflow_text import analyse
from npu_writer import NpuArray, write_npu

NONE = 65535


def core(task: int, stream: int, status: int = 32, context: int = NONE, thread: int = NONE) -> NpuArray:
    words = (1, stream, task, 0, context, thread, 4096, 8192, 3, 4, status)
    data = struct.pack("<6I", 0x5A5A5A5A, 0, 1, 0, 0, 8 * len(words)) + struct.pack("<11Q", *words)
    return NpuArray(np.frombuffer(data, np.int8))


def debug(folder: Path, at: int, told: NpuArray, tail: str = "") -> None:
    write_npu(folder / f"Opdebug.Node_OpDebug.9.0.17000000000000{at:02d}{tail}", [], [told])


def dump(folder: Path, name: str, value: float = 2.0, op_name: str = "a/b") -> None:
    write_npu(folder / name, [], [NpuArray(np.full((2, 2), value, np.float16), "NCHW")], op_name=op_name)


def test_the_first_dump_of_the_task_is_named(tmp_path: Path) -> None:
    debug(tmp_path, 50, core(3, 1))
    dump(tmp_path, "Mul.late.3.1.1700000000000020", 9.0)
    dump(tmp_path, "Mul.first.3.1.1700000000000010", 65504.0, op_name="scope/first")
    dump(tmp_path, "Mul.other.4.1.1700000000000001")
    made = analyse(tmp_path, tmp_path / "out", 1)
    assert made.text.splitlines()[1:] == [
        "[Mul] scope/first",
        " [AIC][TaskId:3][StreamId:1][Status:32]",
        " [timestamp:1700000000000050]",
        " Mul.first.3.1.1700000000000010.output.0.npy",
        " -[Format: NCHW] [Shape: (2, 2)] [Dtype: float16] [Max: 6.55e+04] [Min: 6.55e+04] [Mean: 6.55e+04]",
    ]
    assert made.code == codes.OK


def test_a_thread_is_told_from_its_neighbour(tmp_path: Path) -> None:
    debug(tmp_path, 50, core(3, 1, context=7, thread=2), ".4.7.2.0")
    dump(tmp_path, "Mul.wrong.3.1.1700000000000010.4.7.1.0", op_name="wrong")
    dump(tmp_path, "Mul.right.3.1.1700000000000011.4.7.2.0", op_name="right")
    assert "[Mul] right" in analyse(tmp_path, tmp_path / "out", 1).text


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    debug(tmp_path / "other", 50, core(3, 1))
    (dump,) = (tmp_path / "other").iterdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / dump.name).symlink_to(dump)

    assert analyse(tmp_path / "in", tmp_path / "out", 1).found == 0


@pytest.mark.parametrize("name", [f"Mul.b.{'1' * 5000}.1.1", f"Mul.b.{'1' * 100_000}", "Mul.b." + "1" * 10_000_000])
def test_names_of_endless_digits_are_no_names(tmp_path: Path, name: str) -> None:
    debug(tmp_path, 50, core(3, 1))
    dump(tmp_path, "123456")
    (tmp_path / "mapping.csv").write_text(f"123456,{name}\n")

    assert analyse(tmp_path, tmp_path / "out", 1).found == 1


def test_without_a_dump_the_task_is_all_there_is_to_say(tmp_path: Path) -> None:
    debug(tmp_path, 50, core(3, 1))
    assert analyse(tmp_path, tmp_path / "out", 1).text.splitlines()[1:] == [
        " [AIC][TaskId:3][StreamId:1][Status:32]",
        " [timestamp:1700000000000050]",
    ]


def test_as_many_as_wished_for_in_the_order_of_time(tmp_path: Path) -> None:
    for at in (53, 51, 52):
        debug(tmp_path, at, core(at, 0))
    made = analyse(tmp_path, tmp_path / "out", 2)
    assert made.found == 3
    assert [line for line in made.text.splitlines() if "Task" in line] == [
        " [AIC][TaskId:51][StreamId:0][Status:32]",
        " [AIC][TaskId:52][StreamId:0][Status:32]",
    ]


def test_one_that_is_broken_does_not_hide_the_others(tmp_path: Path) -> None:
    debug(tmp_path, 51, core(3, 1, status=0))
    debug(tmp_path, 52, NpuArray(np.zeros(10, np.int8)))
    debug(tmp_path, 53, core(4, 1))
    made = analyse(tmp_path, tmp_path / "out", 5)
    assert "[TaskId:4]" in made.text
    assert len(made.failures) == 2
    assert made.code == codes.NO_OVERFLOW_STATUS


def test_the_old_form_names_its_unit(tmp_path: Path) -> None:
    data = bytearray(2048)
    struct.pack_into("<6Q", data, 128, 1, 5, 6, 0, 16, 32)
    struct.pack_into("<Q", data, 768, 9)
    debug(tmp_path, 51, NpuArray(np.frombuffer(bytes(data), np.int8)))
    assert " [L2 Atomic Add][TaskId:6][StreamId:5][Status:9]" in analyse(tmp_path, tmp_path / "out", 1).text


def test_a_folder_without_any_has_no_summary(tmp_path: Path) -> None:
    made = analyse(tmp_path, tmp_path / "out", 1)
    assert (made.found, made.text, made.code) == (0, "", codes.OK)
