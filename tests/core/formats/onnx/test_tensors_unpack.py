import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.formats.minifloat import LAYOUTS, POWERS, table
from errorflow.formats.onnx import tensors
from errorflow.formats.onnx.tensors import varints
from errorflow.formats.wire import WireError, encode_varint

PEERS = {
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
    "float6e2m3": ml_dtypes.float6_e2m3fn,
    "float6e3m2": ml_dtypes.float6_e3m2fn,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
}


@pytest.mark.parametrize("name", [*LAYOUTS, POWERS])
def test_every_code_of_a_small_float_means_what_it_means_elsewhere(name: str) -> None:
    values = table(name)
    codes = np.arange(len(values), dtype=np.uint8)

    expected = codes.view(PEERS[name]).astype(np.float32)
    assert np.array_equal(values, expected, equal_nan=True)
    assert np.array_equal(np.signbit(values), np.signbit(expected)) or np.isnan(values).any()


@given(st.lists(st.integers(0, 2**64 - 1), max_size=200))
def test_numbers_are_read_as_they_were_written(numbers: list[int]) -> None:
    found = varints(b"".join(map(encode_varint, numbers)))

    assert found.view(np.uint64).tolist() == numbers


def test_numbers_across_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "PIECE_BYTES", 16)
    numbers = [2**63, 1, 300, 2**40, 0] * 50

    assert varints(b"".join(map(encode_varint, numbers))).view(np.uint64).tolist() == numbers


@pytest.mark.parametrize("data", [b"\x80", b"\x01\x80", b"\xff" * 11, b"\xff" * 10 + b"\x01" + b"\x00"])
def test_numbers_that_are_none_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        varints(data)
