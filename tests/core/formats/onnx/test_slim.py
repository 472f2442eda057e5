"""The copy of a model that is kept: without large tensors, whole in everything else, and never larger than allowed."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from errorflow.base.errors import ErrorflowError, FormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Cancelled
from errorflow.formats.onnx import slim as slim_module
from errorflow.formats.onnx.read import ONNX
from errorflow.formats.onnx.slim import KEPT_BYTES, slim
from errorflow.formats.wire import WireError, encode_bytes, encode_number, encode_varint, tag
from errorflow.graph.model import Model
from onnx_models import (
    CountingSource,
    branching,
    cut_anywhere,
    graph,
    large_weights,
    model,
    relu,
    small,
    value,
    weight,
    with_weight,
)

Reads = Callable[..., Model]
LARGE = np.arange(5000, dtype=np.float32)
SMALL = np.arange(4, dtype=np.int64)


def slimmed(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    with Source(path) as source:
        return slim(source, SILENT)


@pytest.mark.parametrize(
    "proto", [small(), branching(), with_weight(weight("w", SMALL))], ids=["small", "if", "weight"]
)
def test_what_has_no_large_parts_is_kept_as_it_is(proto: onnx.ModelProto, tmp_path: Path) -> None:
    data = proto.SerializeToString()

    assert slimmed(tmp_path / "m", data) == data


def places() -> dict[str, onnx.ModelProto]:
    """A large tensor in every place where a tensor can stand."""
    tensor = weight("large", LARGE)
    constant = helper.make_node("Constant", [], ["c"], value=tensor)
    sparse = helper.make_sparse_tensor(tensor, weight("places", np.arange(5000)), [10_000])
    body = graph(constant, weights=[tensor], name="body")
    function = helper.make_function("f", "F", [], ["c"], [constant], [helper.make_opsetid("", 17)])
    sparse_model = model(graph(relu(), inputs=[value("x")]))
    sparse_model.graph.sparse_initializer.append(sparse)
    training = small()
    training.training_info.add().initialization.CopyFrom(body)
    return {
        "initializer": with_weight(tensor),
        "Constant": model(graph(constant)),
        "sparse Constant": model(graph(helper.make_node("Constant", [], ["c"], sparse_value=sparse))),
        "sparse initializer": sparse_model,
        "body": model(graph(helper.make_node("If", ["c"], ["y"], then_branch=body, else_branch=body))),
        "list of graphs": model(graph(helper.make_node("Mine", [], ["y"], bodies=[body, body]))),
        "list of tensors": model(graph(helper.make_node("Mine", [], ["y"], values=[tensor, tensor]))),
        "function": model(graph(), functions=[function]),
        "training": training,
    }


@pytest.mark.parametrize("place", places())
def test_large_tensors_are_left_out_wherever_they_stand(place: str, tmp_path: Path) -> None:
    kept = slimmed(tmp_path / "m", places()[place].SerializeToString())

    assert len(kept) < KEPT_BYTES
    assert LARGE.tobytes()[:64] not in kept


@pytest.mark.parametrize("place", places())
def test_what_is_left_is_a_model_that_onnx_can_read(place: str, tmp_path: Path) -> None:
    full = places()[place]
    kept = onnx.ModelProto.FromString(slimmed(tmp_path / "m", full.SerializeToString()))

    assert [node.op_type for node in kept.graph.node] == [node.op_type for node in full.graph.node]
    assert [tensor.name for tensor in kept.graph.initializer] == [tensor.name for tensor in full.graph.initializer]
    assert [list(t.dims) for t in kept.graph.initializer] == [list(t.dims) for t in full.graph.initializer]


def fill(tensor: TensorProto, kind: str) -> None:
    if kind == "raw_data":
        tensor.raw_data = bytes(9000)
    else:
        getattr(tensor, kind).extend([b"text" if kind == "string_data" else 1] * 3000)


@pytest.mark.parametrize("kind", ["raw_data", "float_data", "int32_data", "int64_data", "string_data", "double_data"])
def test_values_are_left_out_in_whatever_form(kind: str, tmp_path: Path) -> None:
    tensor = TensorProto(name="w", data_type=1, dims=[3000])
    fill(tensor, kind)

    assert len(slimmed(tmp_path / "m", with_weight(tensor).SerializeToString())) < 400


def test_values_beside_the_model_stay_where_they_are(tmp_path: Path) -> None:
    tensor = TensorProto(name="w", data_type=1, dims=[3000], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="w.bin")
    data = with_weight(tensor).SerializeToString()

    assert slimmed(tmp_path / "m", data) == data


def test_a_long_text_is_left_out_and_described(reads: Reads) -> None:
    engine = helper.make_node("EPContext", ["x"], ["y"], domain="com.microsoft", cache=b"\x00\xff" * 100_000)
    found = reads(model(graph(engine, inputs=[value("x")]))).graph

    assert str(found.node(0).attributes["cache"]) == "tensor uint8 200000"


def test_a_longer_text_than_a_small_message_is_kept(reads: Reads) -> None:
    node = helper.make_node("Mine", ["x"], ["y"], text="long " * 2000, other=3)

    assert reads(model(graph(node, inputs=[value("x")]))).graph.node(0).attributes == {
        "other": 3,
        "text": "long " * 2000,
    }


def test_gigabytes_of_weights_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.onnx"
    large_weights(path, count=100, nbytes=100 * 1024 * 1024)

    with CountingSource(path) as source:
        found = ONNX.read(source, SILENT)
        assert source.count < 2 * 1024 * 1024

    assert isinstance(found, Model)
    assert len(found.graph.weights.names()) == 100


def what_is_said(source: Source) -> str:
    """The error, or the problems of the model."""
    try:
        found = ONNX.read(source, SILENT)
    except FormatError as error:
        return error.message
    assert isinstance(found, Model)
    return " ".join(problem.text for problem in found.problems)


@pytest.mark.parametrize(
    "proto", [small(), branching(), with_weight(weight("w", LARGE))], ids=["small", "if", "weight"]
)
def test_a_cut_off_model_says_so_or_is_no_model_yet(proto: onnx.ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "cut.onnx"
    for data in cut_anywhere(proto.SerializeToString(), 200):
        path.write_bytes(data)
        with Source(path) as source:
            assert re.search("cut off|end of the file|before its graph", what_is_said(source))


@pytest.mark.parametrize("length", [2**31, 2**32, 2**62, 2**63 - 1, 2**64 - 1])
def test_a_lying_length_is_said_to_be_cut_off_and_takes_no_memory(length: int, tmp_path: Path) -> None:
    path = tmp_path / "lying.onnx"
    path.write_bytes(encode_number(1, 8) + encode_varint(tag(7)) + encode_varint(length) + b"\x0a\x00")

    with Source(path) as source, pytest.raises(FormatError, match="cut off"):
        ONNX.read(source, SILENT)


def test_a_length_that_reaches_into_the_next_message_is_said_to_be_broken(tmp_path: Path) -> None:
    inner = encode_bytes(1, b"\x0a\x7f")  # a node whose input claims to be longer than the node
    path = tmp_path / "lying.onnx"
    path.write_bytes(encode_number(1, 8) + encode_bytes(7, inner) + encode_bytes(14, bytes(200)))

    with Source(path) as source, pytest.raises(FormatError, match="beyond what holds it"):
        ONNX.read(source, SILENT)


def test_a_sparse_file_of_ten_gigabytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "sparse.onnx"
    path.write_bytes(small().SerializeToString())
    os.truncate(path, 10 * 1024**3)

    with CountingSource(path) as source, pytest.raises(FormatError, match="broken"):
        assert ONNX.claims(source)
        ONNX.read(source, SILENT)
    assert source.count < 1024 * 1024


@pytest.mark.parametrize(("limit", "most"), [("MAX_SLIM_BYTES", 100), ("MAX_FIELDS", 5)])
def test_a_model_larger_than_any_real_one_is_refused(
    limit: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slim_module, limit, most)

    with pytest.raises(FormatError, match=f"{most:,}"):
        slimmed(tmp_path / "m", places()["body"].SerializeToString())


class TestWhileItIsRead:
    """A file may change under the reader's hands."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = tmp_path / "model.onnx"
        nodes = [relu(f"t{i}", f"t{i + 1}", f"node {i}") for i in range(5000)]
        path.write_bytes(model(graph(*nodes, inputs=[value("t0")])).SerializeToString())
        return path

    def test_a_file_that_is_cut_is_a_sentence(self, path: Path) -> None:
        class Cuts:
            def step(self, done: int, total: int, text: str) -> None:
                os.truncate(path, 1000)

        with Source(path) as source, pytest.raises(ErrorflowError, match="ends before its byte"):
            ONNX.read(source, Cuts())

    def test_a_file_that_is_removed_is_read_to_its_end(self, path: Path) -> None:
        with Source(path) as source:
            path.unlink()
            found = ONNX.read(source, SILENT)

        assert isinstance(found, Model)
        assert len(found.graph) == 5000

    def test_a_cancel_strikes_wherever_it_comes(self, path: Path) -> None:
        class Counts:
            steps = 0

            def step(self, done: int, total: int, text: str) -> None:
                self.steps += 1

        class Cancels:
            def __init__(self, left: int) -> None:
                self.left = left

            def step(self, done: int, total: int, text: str) -> None:
                self.left -= 1
                if self.left < 0:
                    raise Cancelled

        counts = Counts()
        with Source(path) as source:
            ONNX.read(source, counts)
            assert counts.steps > 10
            for left in range(0, counts.steps, 3):
                with pytest.raises(Cancelled):
                    ONNX.read(source, Cancels(left))


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_spoiled_byte_is_a_sentence_or_another_model(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    proto = data.draw(st.sampled_from([small(), branching(), with_weight(weight("w", LARGE))]))
    written = bytearray(proto.SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        written[data.draw(st.integers(0, len(written) - 1))] = data.draw(st.integers(0, 255))

    try:
        kept = slimmed(tmp_path_factory.getbasetemp() / "spoiled", bytes(written))
    except (FormatError, WireError):
        return
    assert len(kept) <= len(written) + 100
