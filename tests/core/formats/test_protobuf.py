from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.files import Source
from errorflow.formats.protobuf import ProtobufField, fields
from errorflow.formats.wire import BYTES, FIXED32, FIXED64, VARINT


def _fields(path: Path, data: bytes, limit: int = 64) -> list[ProtobufField] | None:
    path.write_bytes(data)
    with Source(path) as source:
        return fields(source, limit=limit)


def test_every_wire_type_is_walked(tmp_path: Path) -> None:
    data = b"\x08\x96\x01" + b"\x12\x03abc" + b"\x19" + bytes(8) + b"\x25" + bytes(4)

    found = _fields(tmp_path / "m", data)

    assert found == [
        ProtobufField(1, VARINT, 1, 2),
        ProtobufField(2, BYTES, 5, 3),
        ProtobufField(3, FIXED64, 9, 8),
        ProtobufField(4, FIXED32, 18, 4),
    ]


@pytest.mark.parametrize(
    "data",
    [b"\x03", b"\x0b\x0c", b"\x00\x01", b"\x08" + b"\xff" * 11, b"\xff" * 20],
    ids=["end of group", "group", "field 0", "endless number", "endless key"],
)
def test_other_bytes_are_no_message(tmp_path: Path, data: bytes) -> None:
    assert _fields(tmp_path / "m", data) is None


def test_a_message_that_was_cut_off_keeps_its_last_field(tmp_path: Path) -> None:
    assert _fields(tmp_path / "m", b"\x3a\xff\x7f" + b"x" * 10) == [ProtobufField(7, BYTES, 3, 16383)]


def test_no_more_than_the_limit_is_read(tmp_path: Path) -> None:
    found = _fields(tmp_path / "m", b"\x08\x01" * 1000, limit=5)

    assert found is not None
    assert len(found) == 5


@given(data=st.binary(max_size=300))
def test_any_bytes_are_answered(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = _fields(tmp_path_factory.getbasetemp() / "any", data)

    assert found is None or all(field.number > 0 for field in found)
