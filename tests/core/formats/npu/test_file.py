"""A dump file of the NPU: every type, and both of its forms."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError, FormatError
from errorflow.base.files import Source
from errorflow.formats import identify, read
from errorflow.formats.ge_names import layout_text
from errorflow.formats.npu.file import NPU, NpuFile
from errorflow.formats.wire import encode_bytes, encode_number
from npu_writer import CODE_BITS, NpuArray, nano_bytes, npu_bytes, write_npu

PLAIN = [
    *("float32", "float16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("bool", "complex64", "complex128"),
]


def opened(path: Path) -> NpuFile:
    content = read(path)
    assert isinstance(content, NpuFile)
    return content


def of_bytes(path: Path, data: bytes) -> NpuFile:
    path.write_bytes(data)
    return opened(path)


def alone(path: Path, tensor: NpuArray) -> NpuFile:
    return opened(write_npu(path, outputs=[tensor]))


@pytest.mark.parametrize("dtype", PLAIN)
def test_plain_types_come_back(dtype: str, tmp_path: Path) -> None:
    array = np.array([[0, 1, 2], [3, 100, 7]]).astype(dtype)

    dump = alone(tmp_path / "x", NpuArray(array))

    assert dump.info("output:0").dtype == dtype
    assert dump.read("output:0").dtype == array.dtype
    np.testing.assert_array_equal(dump.read("output:0"), array)


@pytest.mark.parametrize(
    ("dtype", "stored"), [("qint8", "i1"), ("qint16", "<i2"), ("qint32", "<i4"), ("quint8", "u1"), ("quint16", "<u2")]
)
def test_quantized_types_are_codes(dtype: str, stored: str, tmp_path: Path) -> None:
    array = np.array([1, 2, 3], stored)

    dump = alone(tmp_path / "x", NpuArray(array, dtype=dtype))

    assert dump.info("output:0").dtype == dtype
    np.testing.assert_array_equal(dump.read("output:0"), array)


def test_bfloat16_becomes_float32(tmp_path: Path) -> None:
    dump = alone(
        tmp_path / "x",
        NpuArray(np.array([1.0, -2.5, 1.5 * 2.0**120, np.inf, 1 + 2.0**-9], np.float32), dtype="bfloat16"),
    )

    values = dump.read("output:0")

    assert values.dtype == np.float32
    np.testing.assert_array_equal(values, [1.0, -2.5, 1.5 * 2.0**120, np.inf, 1.0])


def test_half_complex_becomes_complex(tmp_path: Path) -> None:
    values = np.array([1 + 2j, -0.5j], np.complex64)

    np.testing.assert_array_equal(alone(tmp_path / "x", NpuArray(values, dtype="complex32")).read("output:0"), values)


@pytest.mark.parametrize("padding", [0, 30])
def test_single_bits_begin_with_the_highest(padding: int, tmp_path: Path) -> None:
    bits = np.array([1, 0, 1, 1, 0, 0, 0, 1, 1, 0])
    dump = alone(tmp_path / "x", NpuArray(bits, dtype="uint1", padding=padding))

    np.testing.assert_array_equal(dump.read("output:0"), bits)


@pytest.mark.parametrize(
    ("dtype", "codes", "values"),
    [
        ("int4", [0, 7, 8, 15, 1], [0, 7, -8, -1, 1]),
        ("int2", [0, 1, 2, 3, 1], [0, 1, -2, -1, 1]),
        ("uint2", [0, 1, 2, 3, 1], [0, 1, 2, 3, 1]),
        ("float8e5m2", [0x3C, 0xBE, 0x7B, 0x7C, 0xFC, 0x7E, 0x01], [1, -1.5, 57344, np.inf, -np.inf, np.nan, 2**-16]),
        ("float8e4m3fn", [0x38, 0xBC, 0x7E, 0x7F, 0x01], [1, -1.5, 448, np.nan, 2**-9]),
        ("float8e8m0", [127, 128, 0, 255], [1, 2, 2.0**-127, np.nan]),
        ("float6e3m2", [0, 0x0C, 0x2C, 0x1F, 0x01], [0, 1, -1, 28, 0.0625]),
        ("float6e2m3", [0, 0x08, 0x28, 0x1F, 0x01], [0, 1, -1, 7.5, 0.125]),
        ("float4e2m1", [0, 2, 3, 7, 10], [0, 1, 1.5, 6, -1]),
        ("float4e1m2", [0, 1, 4, 7, 12], [0, 0.25, 1, 1.75, -1]),
        ("hifloat8", [0x08, 0x0C, 0x88, 0x10, 0x18, 0x20, 0x01, 0x6E], [1, 1.5, -1, 2, 0.5, 4, 2**-22, 2**15]),
        ("hifloat8", [0, 0x6F, 0xEF, 0x80], [0, np.inf, -np.inf, np.nan]),
    ],
)
def test_small_types_follow_their_definition(dtype: str, codes: list[int], values: list[float], tmp_path: Path) -> None:
    dump = alone(tmp_path / "x", NpuArray(np.array(codes), dtype=dtype))

    np.testing.assert_array_equal(dump.read("output:0").astype(np.float64), values)


def test_every_finite_hifloat8_is_another_number(tmp_path: Path) -> None:
    values = alone(tmp_path / "x", NpuArray(np.arange(256), dtype="hifloat8")).read("output:0").astype(np.float64)

    finite = values[np.isfinite(values)]
    assert len(finite) == 253
    assert len(np.unique(finite)) == 253


def test_a_tensor_without_type_is_bytes(tmp_path: Path) -> None:
    dump = alone(tmp_path / "x", NpuArray(np.arange(3, dtype=np.int16), dtype=""))

    assert (dump.info("output:0").dtype, dump.info("output:0").shape) == ("int8", (6,))
    assert dump.read("output:0").tolist() == [0, 0, 1, 0, 2, 0]


@pytest.mark.parametrize("padding", [0, 28, 60, 508])
def test_a_scalar_may_be_padded(padding: int, tmp_path: Path) -> None:
    dump = alone(tmp_path / "x", NpuArray(np.array(3.5, np.float32), padding=padding))

    assert dump.info("output:0").shape == ()
    assert dump.read("output:0") == 3.5


def test_a_shape_left_out_is_one_dimension(tmp_path: Path) -> None:
    dump = alone(tmp_path / "x", NpuArray(np.arange(6, dtype=np.float32), shape=()))

    assert dump.read("output:0").tolist() == [0, 1, 2, 3, 4, 5]


def test_an_empty_tensor_is_read(tmp_path: Path) -> None:
    values = alone(tmp_path / "x", NpuArray(np.zeros((2, 0, 3), np.float16))).read("output:0")

    assert values.shape == (2, 0, 3)
    assert values.dtype == np.float16


def test_padding_behind_the_values_is_left_out(tmp_path: Path) -> None:
    dump = alone(tmp_path / "x", NpuArray(np.arange(6, dtype=np.int32).reshape(2, 3), padding=1000))

    assert dump.info("output:0").nbytes == 24
    np.testing.assert_array_equal(dump.read("output:0"), [[0, 1, 2], [3, 4, 5]])


def test_what_is_known_without_reading(tmp_path: Path) -> None:
    image = NpuArray(
        np.zeros((1, 1, 4, 4, 16), np.float16), "NC1HWC0", original_shape=(1, 5, 4, 4), address=4096, groups=2
    )
    dump = opened(
        write_npu(
            tmp_path / "x",
            [NpuArray(np.ones(3, np.float32))],
            [image],
            op_name="block/a.b",
            buffers=[b"one", b"three"],
            spaces=[b"log"],
            attributes={"threadMode": "1"},
        )
    )

    info = dump.info("output:0")
    assert (info.layout, info.shape, info.original_shape) == ("NC1HWC0", (1, 1, 4, 4, 16), (1, 5, 4, 4))
    assert (info.groups, info.address, info.nbytes) == (2, 4096, 512)
    assert dump.names() == ("input:0", "output:0")
    assert (dump.op_name, dump.version, dump.dump_time) == ("block/a.b", "2.0", 1_700_000_000_000_000)
    assert [dump.blob(buffer) for buffer in dump.buffers] == [b"one", b"three"]
    assert [dump.blob(space) for space in dump.spaces] == [b"log"]
    assert dump.attributes == {"threadMode": "1"}


def test_values_cannot_be_written_to(tmp_path: Path) -> None:
    for name, tensor in {"a": NpuArray(np.ones(3)), "b": NpuArray(np.ones(3), dtype="bfloat16")}.items():
        assert not alone(tmp_path / name, tensor).read("output:0").flags.writeable


def test_bytes_behind_the_last_tensor_are_tolerated(tmp_path: Path) -> None:
    path = write_npu(tmp_path / "x", outputs=[NpuArray(np.arange(3.0))], trailing=b"tail")

    assert opened(path).read("output:0").tolist() == [0, 1, 2]


def test_one_tensor_travels_alone(tmp_path: Path) -> None:
    tensors = [NpuArray(np.full(4, number, np.float32)) for number in range(200)]
    stored = opened(write_npu(tmp_path / "x", outputs=tensors)).stored("output:123")

    sent = pickle.dumps(stored)

    assert len(sent) < 1500
    back = pickle.loads(sent)
    assert (back.path, back.info.name) == (str(tmp_path / "x"), "output:123")
    assert back.read().tolist() == [123] * 4


def test_the_whole_dump_travels_too(tmp_path: Path) -> None:
    dump = alone(tmp_path / "x", NpuArray(np.arange(3.0)))

    assert pickle.loads(pickle.dumps(dump)) == dump


@pytest.mark.parametrize("name", ["output:1", "input:0", "output", "output:-1", "output:00", "other:0", "", "output:²"])
def test_a_name_that_is_not_there_is_a_key_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        alone(tmp_path / "x", NpuArray(np.arange(3.0))).info(name)


def test_a_file_that_changed_is_not_read(tmp_path: Path) -> None:
    dump = alone(tmp_path / "x", NpuArray(np.arange(3.0)))
    (tmp_path / "x").write_bytes(b"x" * 1000)

    with pytest.raises(ErrorflowError, match="has changed"):
        dump.read("output:0")


def test_a_file_of_2022_lacks_addresses_and_attributes(tmp_path: Path) -> None:
    output = encode_number(1, 2) + encode_bytes(3, encode_bytes(1, b"\x02\x03")) + encode_number(6, 12)
    head = encode_bytes(1, b"1.0") + encode_number(2, 5) + encode_bytes(3, output)
    data = np.arange(6, dtype=np.float16)

    dump = of_bytes(tmp_path / "x", len(head).to_bytes(8, "little") + head + data.tobytes())

    assert dump.read("output:0").tolist() == [[0, 1, 2], [3, 4, 5]]
    info = dump.info("output:0")
    assert (info.layout, info.original_shape, info.groups, info.address) == ("NCHW", None, 1, 0)
    assert (dump.op_name, dump.attributes, dump.buffers, dump.spaces) == ("", {}, (), ())


class TestNano:
    def test_its_tensors_are_read(self, tmp_path: Path) -> None:
        image = np.arange(12, dtype=np.float16).reshape(3, 4)
        data = nano_bytes(
            [NpuArray(image, "NCHW", address=64)],
            [NpuArray(image * 2, "NC1HWC0", original_shape=(12,), origin="conv"), NpuArray(np.array([5]))],
        )

        dump = of_bytes(tmp_path / "x", data)

        assert dump.names() == ("input:0", "output:0", "output:1")
        np.testing.assert_array_equal(dump.read("output:0"), image * 2)
        assert dump.read("output:1").tolist() == [5]
        assert (dump.info("output:0").layout, dump.info("output:0").original_shape) == ("NC1HWC0", (12,))
        assert dump.info("input:0").address == 64
        assert dump.outputs[0].origin_name == "conv"

    @pytest.mark.parametrize("dtype", [*PLAIN, "bfloat16"])
    def test_its_types_have_their_own_numbers(self, dtype: str, tmp_path: Path) -> None:
        array = np.ones(3, np.float32 if dtype == "bfloat16" else dtype)

        assert of_bytes(tmp_path / "x", nano_bytes([NpuArray(array, dtype=dtype)])).info("input:0").dtype == dtype

    @pytest.mark.parametrize("change", [b"x", -1])
    def test_its_size_must_be_exact(self, change: bytes | int, tmp_path: Path) -> None:
        data = nano_bytes([NpuArray(np.ones(3))])

        with pytest.raises(FormatError, match="its head speaks of"):
            of_bytes(tmp_path / "x", data + change if isinstance(change, bytes) else data[:change])

    def test_a_list_that_ends_within_a_field(self, tmp_path: Path) -> None:
        whole = nano_bytes([NpuArray(np.ones(3))])
        length = int.from_bytes(whole[:8], "little")
        data = (length - 5).to_bytes(8, "little") + whole[8 : 8 + length - 5]

        with pytest.raises(FormatError, match="ends within a field"):
            of_bytes(tmp_path / "x", data)

    def test_without_tensors_it_is_empty(self, tmp_path: Path) -> None:
        assert of_bytes(tmp_path / "x", nano_bytes()).names() == ()


@pytest.mark.parametrize("number", [*range(50), 255])
def test_every_layout_has_a_name(number: int) -> None:
    assert layout_text(number)
    assert not layout_text(number).startswith("format")


@pytest.mark.parametrize("dtype", sorted(CODE_BITS))
def test_types_that_numpy_lacks_keep_their_name(dtype: str, tmp_path: Path) -> None:
    assert alone(tmp_path / "x", NpuArray(np.zeros(5, np.int8), dtype=dtype)).info("output:0").dtype == dtype


def test_its_file_is_told_from_others(tmp_path: Path) -> None:
    with Source(write_npu(tmp_path / "x.npy", outputs=[NpuArray(np.ones(3))])) as source:
        assert identify(source) is NPU


arrays = st.builds(
    lambda shape, dtype, padding, address, groups: NpuArray(
        np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape).astype(dtype),
        layout="NCHW",
        padding=padding,
        address=address,
        groups=groups,
    ),
    st.lists(st.integers(0, 5), min_size=1, max_size=5).map(tuple),
    st.sampled_from([name for name in PLAIN if name != "bool"]),
    st.integers(0, 64),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**31 - 1),
)


@given(st.lists(arrays, max_size=4), st.lists(arrays, min_size=1, max_size=4), st.text(max_size=20))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, inputs: list[NpuArray], outputs: list[NpuArray], op_name: str
) -> None:
    path = tmp_path_factory.mktemp("npu") / "x"
    dump = opened(write_npu(path, inputs, outputs, op_name=op_name))

    assert dump.op_name == op_name
    tensors: dict[str, Any] = {f"input:{at}": tensor for at, tensor in enumerate(inputs)}
    tensors |= {f"output:{at}": tensor for at, tensor in enumerate(outputs)}
    assert list(dump.names()) == list(tensors)
    for name, tensor in tensors.items():
        info = dump.info(name)
        assert (info.shape, info.address) == (tensor.array.shape, tensor.address)
        assert info.groups == max(1, tensor.groups)
        np.testing.assert_array_equal(dump.read(name), tensor.array)


@given(st.lists(arrays, min_size=1, max_size=3), st.data())
def test_a_shorter_file_is_refused_or_whole(
    tmp_path_factory: pytest.TempPathFactory, outputs: list[NpuArray], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("npu") / "x"
    whole = npu_bytes(outputs=[replace(tensor, padding=0) for tensor in outputs])
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])

    with pytest.raises(ErrorflowError):
        opened(path)
