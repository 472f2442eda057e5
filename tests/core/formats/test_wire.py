import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import AttributeProto, TensorProto

from errorflow.formats.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    CutOffError,
    Message,
    WireError,
    encode_bytes,
    encode_number,
    encode_varint,
    fields,
    header,
    signed,
    tag,
    text,
    varint,
)


@given(st.integers(0, 2**64 - 1))
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    assert varint(b"x" + encode_varint(number), 1) == (number, 1 + len(encode_varint(number)))


@given(st.integers(-(2**63), 2**63 - 1))
def test_negative_numbers_are_written_as_protobuf_does(number: int) -> None:
    written = AttributeProto(i=number).SerializeToString()

    assert signed(varint(written, 1)[0]) == number


@pytest.mark.parametrize("length", range(10))
def test_a_number_that_is_cut_off_is_said_to_be(length: int) -> None:
    with pytest.raises(CutOffError):
        varint(b"\xff" * length, 0)


def test_a_number_of_more_than_ten_bytes_is_refused() -> None:
    with pytest.raises(WireError, match="ten bytes"):
        varint(b"\xff" * 11, 0)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x08\x05", (tag(1, VARINT), 1, 2)),
        (b"\x08\x80\x01", (tag(1, VARINT), 1, 3)),
        (b"\x0a\x02ab", (tag(1, BYTES), 2, 4)),
        (b"\x15abcd", (tag(2, FIXED32), 1, 5)),
        (b"\x11abcdefgh", (tag(2, FIXED64), 1, 9)),
        (b"\xa2\x01\x00", (tag(20, BYTES), 3, 3)),
        (b"\x0a\x80\x01", (tag(1, BYTES), 3, 131)),
    ],
)
def test_a_field_has_a_tag_and_a_place(data: bytes, expected: tuple[int, int, int]) -> None:
    assert header(data, 0) == expected


@pytest.mark.parametrize("wire", [3, 4, 6, 7])
def test_groups_and_unknown_wire_types_are_refused(wire: int) -> None:
    with pytest.raises(WireError, match="wire type"):
        header(bytes([8 | wire, 0]), 0)


@pytest.mark.parametrize("wire", [VARINT, BYTES])
def test_the_field_number_0_is_refused(wire: int) -> None:
    with pytest.raises(WireError, match="number 0"):
        header(bytes([wire, 0]), 0)


@pytest.mark.parametrize("data", [b"", b"\x80", b"\x0a", b"\x0a\x80"])
def test_a_field_head_that_is_cut_off_is_said_to_be(data: bytes) -> None:
    with pytest.raises(CutOffError):
        header(data, 0)


@pytest.mark.parametrize("data", [b"\x0a\x05ab", b"\x15ab", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"])
def test_a_field_that_reaches_beyond_its_message_is_refused(data: bytes) -> None:
    with pytest.raises(WireError, match="beyond"):
        list(fields(data + b"more that belongs to something else", 0, len(data)))


@given(st.binary(max_size=200))
def test_any_bytes_are_fields_or_a_wire_error(data: bytes) -> None:
    try:
        found = list(fields(data, 0, len(data)))
    except WireError:
        return
    assert [stop for _, _, stop in found][-1:] in ([len(data)], [])


@pytest.mark.parametrize(("data", "expected"), [(b"caf\xc3\xa9", "café"), (b"a\xffb", "a\\xffb"), (b"", "")])
def test_text_that_is_not_utf8_stays_readable(data: bytes, expected: str) -> None:
    assert text(data) == expected


class TestMessage:
    def test_the_last_of_a_field_that_is_given_twice_counts(self) -> None:
        message = Message.of(encode_bytes(1, b"first") + encode_bytes(1, b"second") + encode_number(2, 3))

        assert (message.text(tag(1)), message.texts(tag(1))) == ("second", ["first", "second"])

    def test_what_is_missing_is_empty(self) -> None:
        message = Message.of(b"")

        assert (message.text(tag(1)), message.number(tag(1, VARINT), 7)) == ("", 7)
        assert (message.message(tag(1)), message.messages(tag(1)), tag(1) in message) == (None, [], False)

    @pytest.mark.parametrize(
        "written",
        [TensorProto(dims=[3, 0, -1]).SerializeToString(), encode_bytes(1, b"\x03\x00" + b"\xff" * 9 + b"\x01")],
    )
    def test_a_list_of_numbers_may_be_packed_or_not(self, written: bytes) -> None:
        assert Message.of(written).numbers(1) == [3, 0, -1]

    def test_a_packed_list_that_ends_within_a_number_is_refused(self) -> None:
        message = Message.of(encode_bytes(1, b"\x03\x80") + encode_number(2, 1))

        with pytest.raises(WireError, match="beyond"):
            message.numbers(1)

    def test_a_message_of_a_million_fields_is_not_taken_apart(self) -> None:
        with pytest.raises(WireError, match="fields"):
            Message.of(b"\x0a\x00" * 1_100_000)
