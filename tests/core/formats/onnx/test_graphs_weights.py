"""Values of constants, in every way in which a file can hold them, compared with what onnx itself reads."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from errorflow.base.errors import FileError, FormatError
from errorflow.formats import read as read_file
from errorflow.formats.onnx import tensors
from errorflow.formats.onnx.dtypes import DTYPES
from errorflow.formats.wire import encode_bytes, encode_number, encode_varint, tag
from errorflow.graph.model import Graph, Model
from onnx_models import graph, large_weights, model, relu, value, weight, with_weight

Reads = Callable[..., Model]
NUMBERS = sorted(set(DTYPES) - {TensorProto.STRING})
SHAPES = [(), (0,), (1,), (3,), (2, 5), (7, 1, 3), (999,)]


def random_values(number: int, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Values that the type can hold, as an array of it."""
    dtype = helper.tensor_dtype_to_np_dtype(number)
    random = np.random.default_rng(seed)
    if dtype.kind == "c":
        return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)
    if dtype.kind in "iub":
        limits = (0, 2) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return random.integers(
            *limits, shape, endpoint=dtype.kind != "b", dtype=np.int64 if limits[0] else np.uint64
        ).astype(dtype)
    if dtype in (ml_dtypes.int4, ml_dtypes.int2):
        return random.integers(-2, 2, shape).astype(dtype)
    return np.abs(random.normal(size=shape)).astype(dtype)


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """Equal, where a type that numpy lacks was widened."""
    if hasattr(ml_dtypes, expected.dtype.name):
        expected = expected.astype(found.dtype)
    equal = np.array_equal(found, expected, equal_nan=found.dtype.kind in "fc")
    return equal and found.shape == expected.shape and found.dtype == expected.dtype


def name_of(number: int) -> str:
    return DTYPES[number].name


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("number", NUMBERS, ids=name_of)
def test_raw_values(number: int, shape: tuple[int, ...], reads: Reads) -> None:
    tensor = numpy_helper.from_array(random_values(number, shape), "w")
    found = reads(with_weight(tensor)).graph.weights

    assert tensor.HasField("raw_data")
    assert found.info("w").dtype == name_of(number)
    assert found.info("w").shape == shape
    assert found.info("w").nbytes == len(tensor.raw_data)
    assert same(found.read("w"), numpy_helper.to_array(tensor))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("number", NUMBERS, ids=name_of)
def test_values_in_typed_fields(number: int, shape: tuple[int, ...], reads: Reads) -> None:
    values = random_values(number, shape)
    tensor = helper.make_tensor("w", number, shape, values.ravel())
    found = reads(with_weight(tensor)).graph.weights

    assert not tensor.HasField("raw_data")
    assert same(found.read("w"), numpy_helper.to_array(tensor))


@pytest.mark.parametrize("number", NUMBERS, ids=name_of)
def test_every_code_of_a_small_type(number: int, reads: Reads) -> None:
    bits = DTYPES[number].bits
    if bits > 16:
        codes = np.random.default_rng(0).integers(0, 256, 4096, dtype=np.uint8)
    else:
        codes = np.arange(1 << 16, dtype=np.uint16).view(np.uint8)
    tensor = TensorProto(name="w", data_type=number, dims=[len(codes) * 8 // bits], raw_data=codes.tobytes())
    if number == TensorProto.BOOL:
        tensor.raw_data = bytes(code & 1 for code in codes)

    assert same(reads(with_weight(tensor)).graph.weights.read("w"), numpy_helper.to_array(tensor))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=300))
def test_whole_numbers_of_any_size(numbers: list[int]) -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.INT64, dims=[len(numbers)], int64_data=numbers)
    data = tensor.SerializeToString()
    head = tensors.tensor_head(tensors_fields(data), lambda start, stop: data[start:stop])

    assert tensors.values(head, lambda start, stop: data[start:stop]).tolist() == numbers


def tensors_fields(data: bytes) -> tensors.Walk:
    from errorflow.formats.wire import fields

    return fields(data, 0, len(data))


def test_texts(reads: Reads) -> None:
    tensor = TensorProto(name="w", data_type=8, dims=[2, 2], string_data=[b"caf\xc3\xa9", b"", b"\xff", b"last"])
    found = reads(with_weight(tensor)).graph.weights

    assert found.read("w").tolist() == [["café", ""], ["\\xff", "last"]]
    assert found.info("w").dtype == "string"


def test_many_texts_are_read_from_the_file(reads: Reads) -> None:
    words = [f"word {index}".encode() for index in range(5000)]
    tensor = TensorProto(name="w", data_type=8, dims=[5000], string_data=words)
    found = reads(with_weight(tensor)).graph.weights

    assert found.read("w").tolist() == [word.decode() for word in words]


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]], ids=["positions", "coordinates"])
def test_sparse_values_are_filled_with_zeros(indices: list[object], reads: Reads) -> None:
    sparse = helper.make_sparse_tensor(
        weight("w", np.array([7.0, 9.0], np.float32)), weight("at", np.array(indices)), [2, 3]
    )
    proto = model(graph(relu(), inputs=[value("x")]))
    proto.graph.sparse_initializer.append(sparse)
    found = reads(proto).graph

    assert list(found.weights.names()) == ["w"]
    assert (found.weights.info("w").shape, found.weights.info("w").nbytes) == ((2, 3), 8)
    assert found.weights.read("w").tolist() == [[0, 7, 0], [0, 0, 9]]
    assert [found.tensor_names[i] for i in found.constants.tolist()] == ["w"]


@pytest.mark.parametrize(
    ("indices", "dims"),
    [([6], [2, 3]), ([-1], [2, 3]), ([0, 1], [2, 3]), ([[0, 3]], [2, 3]), ([[0]], [2, 3]), ([0], [2**40]), ([0], [-1])],
)
def test_sparse_values_that_do_not_fit_are_a_sentence(indices: list[object], dims: list[int], reads: Reads) -> None:
    proto = model(graph(relu(), inputs=[value("x")]))
    proto.graph.sparse_initializer.add(dims=dims)
    proto.graph.sparse_initializer[0].values.CopyFrom(weight("w", np.array([7.0])))
    proto.graph.sparse_initializer[0].indices.CopyFrom(weight("at", np.array(indices)))

    with pytest.raises(FormatError, match="sparse tensor w"):
        reads(proto).graph.weights.read("w")


@pytest.mark.parametrize(
    ("indices", "dims"),
    [
        (weight("at", np.array([0.0])), [2]),
        (TensorProto(name="at", data_type=8, dims=[1], string_data=[b"0"]), [2]),
        (weight("at", np.zeros((0, 3), np.int64)), [0, 2**62, 2**62]),
        (weight("at", np.array([0])), [1] * 65),
    ],
    ids=["floats", "texts", "strides beyond all measure", "too many dimensions"],
)
def test_sparse_indices_that_are_none_are_a_sentence(indices: TensorProto, dims: list[int], reads: Reads) -> None:
    proto = model(graph(relu(), inputs=[value("x")]))
    proto.graph.sparse_initializer.add(dims=dims)
    proto.graph.sparse_initializer[0].values.CopyFrom(weight("w", np.zeros(min(1, dims[0]))))
    proto.graph.sparse_initializer[0].indices.CopyFrom(indices)

    with pytest.raises(FormatError, match="sparse tensor w"):
        reads(proto).graph.weights.read("w")


def test_a_size_with_thousands_of_digits_is_described(reads: Reads) -> None:
    from errorflow.graph.describe import facts, summary

    found = reads(with_weight(TensorProto(name="w", data_type=1, dims=[2**62] * 1000)))

    assert any(fact.section == "Weights" for fact in facts(found))
    assert isinstance(summary(found)["weights"], dict)


def test_values_of_another_size_are_not_even_read(tmp_path: Path) -> None:
    """The file claims raw values of terabytes for a tensor of one; reading them would end in no memory."""
    head = TensorProto(name="w", data_type=1, dims=[1]).SerializeToString()
    size = 1 << 42
    path = tmp_path / "lies.onnx"
    with path.open("wb") as file:
        for inner in nested(head, size):
            file.write(inner)
        file.truncate(file.tell() + size)
    content = read_file(path)

    assert isinstance(content, Model)
    with pytest.raises(FormatError, match="should hold 4 bytes"):
        content.graph.weights.read("w")


def nested(head: bytes, size: int) -> list[bytes]:
    """The bytes of a model up to the values of its one tensor, which are the rest of the file."""
    tensor = head + encode_varint(tag(9)) + encode_varint(size)
    outer = encode_bytes(1, relu().SerializeToString()) + encode_varint(tag(5)) + encode_varint(len(tensor) + size)
    length = len(outer) + len(tensor) + size
    return [encode_number(1, 8), encode_varint(tag(7)), encode_varint(length), outer, tensor]


CONSTANTS: dict[str, tuple[Any, Any]] = {
    "value": (weight("", np.array([[1.5, 2.5]], np.float32)), [[1.5, 2.5]]),
    "value_float": (0.5, 0.5),
    "value_floats": ([0.5, 1.5], [0.5, 1.5]),
    "value_int": (-3, -3),
    "value_ints": ([-3, 4], [-3, 4]),
    "value_string": ("text", "text"),
    "value_strings": (["a", "b"], ["a", "b"]),
    "sparse_value": (helper.make_sparse_tensor(weight("", np.array([7.0])), weight("", np.array([1])), [3]), [0, 7, 0]),
}


@pytest.mark.parametrize("attribute", CONSTANTS)
def test_what_constant_nodes_make_can_be_read_too(attribute: str, reads: Reads) -> None:
    given_value, expected = CONSTANTS[attribute]
    node = helper.make_node("Constant", [], ["c"])
    node.attribute.append(helper.make_attribute(attribute, given_value))
    found = reads(model(graph(node))).graph.weights

    assert list(found.names()) == []
    assert found.read("c").tolist() == expected
    assert found.info("c").shape == np.shape(expected)


def test_a_large_constant_is_described_without_being_read(reads: Reads) -> None:
    node = helper.make_node("Constant", [], ["c"], value=weight("", np.zeros((40, 50), np.float32)))
    found = reads(model(graph(node))).graph.weights

    assert (found.info("c").dtype, found.info("c").shape, found.info("c").nbytes) == ("float32", (40, 50), 8000)
    assert found.read("c").shape == (40, 50)


def test_a_constant_without_a_value_is_a_sentence(reads: Reads) -> None:
    with pytest.raises(FormatError, match="holds no value"):
        reads(model(graph(helper.make_node("Constant", [], ["c"])))).graph.weights.read("c")


@pytest.mark.parametrize("name", ["w", "c"])
def test_values_cannot_be_written_to(name: str, reads: Reads) -> None:
    proto = with_weight(weight("w", [1.0, 2.0]))
    proto.graph.node.append(helper.make_node("Constant", [], ["c"], value_floats=[1.0, 2.0]))
    found = reads(proto).graph.weights.read(name)

    with pytest.raises(ValueError, match="read-only"):
        found[0] = 3


def test_a_name_that_is_unknown_is_a_key_error(reads: Reads) -> None:
    with pytest.raises(KeyError):
        reads(with_weight(weight("w", [1.0]))).graph.weights.info("other")


BROKEN: dict[str, tuple[TensorProto, str]] = {
    "too few bytes": (TensorProto(name="w", data_type=1, dims=[3], raw_data=bytes(8)), "12 bytes, and 8 are there"),
    "too many bytes": (TensorProto(name="w", data_type=1, dims=[3], raw_data=bytes(16)), "12 bytes, and 16 are there"),
    "too few values": (TensorProto(name="w", data_type=1, dims=[3], float_data=[1.0]), "12 bytes, and 4 are there"),
    "too few texts": (TensorProto(name="w", data_type=8, dims=[3], string_data=[b"a"]), "3 values, and 1 are there"),
    "no values": (TensorProto(name="w", data_type=1, dims=[3]), "not in the file"),
    "values of another type": (TensorProto(name="w", data_type=1, dims=[1], int64_data=[1]), "not in the file"),
    "no type": (TensorProto(name="w", dims=[1], raw_data=bytes(4)), "no element type"),
    "a type from the future": (TensorProto(name="w", data_type=99, dims=[1]), "unknown element type 99"),
    "a negative size": (TensorProto(name="w", data_type=1, dims=[-1]), "negative size"),
    "a size beyond all memory": (TensorProto(name="w", data_type=1, dims=[2**40, 2**40]), "more than are read"),
    "sizes that multiply to nothing": (
        TensorProto(name="w", data_type=1, dims=[2**40, 0], raw_data=b"1234"),
        "0 bytes",
    ),
    "more dimensions than an array has": (TensorProto(name="w", data_type=1, dims=[1] * 65), "no array can have"),
    "sizes beyond all measure beside a zero": (
        TensorProto(name="w", data_type=1, dims=[0, 2**62, 2**62]),
        "no array can have",
    ),
    "a count with thousands of digits": (TensorProto(name="w", data_type=1, dims=[2**62] * 1000), "more than are read"),
    "numbers that are too many": (
        TensorProto(name="w", data_type=2, dims=[tensors.MAX_VARINTS + 1], int32_data=[1]),
        "more than are read",
    ),
    "numbers beyond those that fit": (TensorProto(name="w", data_type=2, dims=[1], int32_data=[1] * 50), "and 50 are"),
    "segments": (TensorProto(name="w", data_type=1, segment=TensorProto.Segment(begin=0, end=1)), "segments"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("padding", [0, 5000], ids=["kept", "left out"])
def test_broken_values_are_a_sentence(name: str, padding: int, reads: Reads) -> None:
    tensor, reason = BROKEN[name]
    padded = TensorProto(doc_string=" " * padding)
    padded.MergeFrom(tensor)

    with pytest.raises(FormatError, match=reason) as caught:
        reads(with_weight(padded)).graph.weights.read("w")
    assert caught.value.hint


def test_a_varint_that_is_cut_off_is_a_sentence(reads: Reads) -> None:
    data = with_weight(TensorProto(name="w", data_type=7, dims=[2], int64_data=[300, 1])).SerializeToString()
    spoiled = data.replace(b"\xac\x02\x01", b"\xac\x82\x81")

    with pytest.raises(FormatError, match="cut off"):
        reads(spoiled).graph.weights.read("w")


class TestTheFileSinceThen:
    """Values are read long after the model was opened."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = tmp_path / "model.onnx"
        path.write_bytes(with_weight(weight("w", np.arange(5000, dtype=np.float32))).SerializeToString())
        return path

    @pytest.fixture
    def opened(self, path: Path) -> Graph:
        from errorflow.formats import read

        content = read(path)
        assert isinstance(content, Model)
        return content.graph

    def test_values_come_from_the_file(self, opened: Graph) -> None:
        assert opened.weights.read("w").tolist() == list(range(5000))

    def test_a_file_that_was_removed_is_a_sentence(self, path: Path, opened: Graph) -> None:
        path.unlink()

        with pytest.raises(FileError, match="There is no file"):
            opened.weights.read("w")

    def test_a_file_that_was_written_again_is_a_sentence(self, path: Path, opened: Graph) -> None:
        os.utime(path, ns=(1, 1))

        with pytest.raises(FileError, match="has changed since it was opened"):
            opened.weights.read("w")

    def test_what_was_kept_can_be_read_all_the_same(self, path: Path, opened: Graph) -> None:
        path.unlink()

        assert opened.weights.info("w").shape == (5000,)
        assert len(opened.node(0).inputs) == 2


def test_one_tensor_among_gigabytes_is_read_alone(tmp_path: Path) -> None:
    from errorflow.formats import read

    path = tmp_path / "large.onnx"
    large_weights(path, count=64, nbytes=64 * 1024 * 1024)
    with path.open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(np.float32(3.5).tobytes())
    content = read(path)

    assert isinstance(content, Model)
    assert content.graph.weights.read("w63")[-2:].tolist() == [0.0, 3.5]


def test_a_tensor_that_is_larger_than_allowed_is_a_sentence(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "MAX_TENSOR_BYTES", 1000)

    with pytest.raises(FormatError, match="more than are read into memory at once"):
        reads(with_weight(weight("w", np.zeros(5000)))).graph.weights.read("w")


def test_a_tensor_in_too_many_pieces_is_a_sentence(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "MAX_PIECES", 10)
    tensor = TensorProto(name="w", data_type=8, dims=[50], string_data=[b"a"] * 50)

    with pytest.raises(FormatError, match="pieces"):
        reads(with_weight(tensor)).graph.weights.read("w")


def test_the_onnx_package_knows_no_type_that_is_missing_here() -> None:
    assert set(DTYPES) == set(onnx.TensorProto.DataType.values()) - {TensorProto.UNDEFINED}
