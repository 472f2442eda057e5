"""Overflow information in its old and its new form."""

import struct

import pytest

from errorflow.base.errors import FormatError
from errorflow.formats.npu.opdebug import parse_op_debug


def new(unit: int, words: list[int], version: int = 0) -> bytes:
    return struct.pack("<6I", 0x5A5A5A5A, version, 1, unit, 0, 8 * len(words)) + struct.pack(f"<{len(words)}Q", *words)


CORE = "model_id stream_id task_id task_type context_id thread_id pc_start para_base core_id block_id status"


@pytest.mark.parametrize(
    ("unit", "name", "fields"),
    [
        (0, "AIC", CORE),
        (1, "AIV", CORE),
        (2, "AICPU", "model_id stream_id task_id task_type context_id cpu_id thread_id status"),
        (3, "SDMA", "model_id stream_id task_id task_type context_id thread_id src_addr dst_addr channel_id status"),
    ],
)
def test_each_unit_has_its_fields(unit: int, name: str, fields: str) -> None:
    keys = fields.split()
    found = parse_op_debug(new(unit, list(range(1, len(keys) + 1))), "x")

    addresses = {"pc_start", "para_base", "src_addr", "dst_addr"}
    assert found == {
        "magic": "0x5a5a5a5a",
        "version": 0,
        "acc_list": {
            "valid": 1,
            "acc_type": name,
            "rsv": 0,
            "data_len": 8 * len(keys),
            "data": {key: hex(at) if key in addresses else at for at, key in enumerate(keys, 1)},
        },
    }
    assert list(found["acc_list"]["data"]) == keys  # type: ignore[index]  # plain data as of JSON


def test_a_newer_core_has_a_status_of_four_numbers() -> None:
    found = parse_op_debug(new(0, list(range(14)), version=1), "x")

    assert found["acc_list"]["data"]["status"] == [10, 11, 12, 13]  # type: ignore[index]  # plain data


def test_the_old_form() -> None:
    data = bytearray(2048)
    struct.pack_into("<6Q", data, 256, 1, 2, 3, 4, 0x10, 0x20)
    struct.pack_into("<3Q", data, 1024, 0x30, 5, 6)
    struct.pack_into("<Q", data, 512, 7)
    struct.pack_into("<Q", data, 768, 8)
    none = {"model_id": 0, "stream_id": 0, "task_id": 0, "task_type": 0, "pc_start": "0x0", "para_base": "0x0"}

    assert parse_op_debug(bytes(data), "x") == {
        "DHA Atomic Add": none | {"status": 7},
        "L2 Atomic Add": none | {"status": 8},
        "AI Core": {
            "model_id": 1,
            "stream_id": 2,
            "task_id": 3,
            "task_type": 4,
            "pc_start": "0x10",
            "para_base": "0x20",
            "kernel_code": "0x30",
            "block_idx": 5,
            "status": 6,
        },
    }


@pytest.mark.parametrize("data", [b"", b"abc", bytes(100), new(4, [0] * 11), new(0, [0] * 10), bytes(2047)])
def test_what_is_neither_is_a_sentence(data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        parse_op_debug(data, "x")
    assert caught.value.hint
