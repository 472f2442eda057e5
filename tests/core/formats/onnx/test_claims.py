"""What is an ONNX model, and what only looks like one."""

import random
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto

from errorflow.base.files import Source
from errorflow.formats.onnx.claims import is_onnx
from errorflow.formats.wire import encode_bytes, encode_number
from onnx_models import DATA, branching, graph, model, relu, small, value, weight, with_weight

TWO_TEXTS = encode_number(1, 8) + encode_bytes(2, b"pytorch") + encode_bytes(3, b"2.9")
GRAPH = encode_bytes(7, graph(relu()).SerializeToString())
OPSET = encode_bytes(8, encode_number(2, 17))


def claims(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    with Source(path) as source:
        return is_onnx(source)


MODELS = {
    "small": small().SerializeToString(),
    "with weights": with_weight(weight("w", [1.0, 2.0])).SerializeToString(),
    "branching": branching().SerializeToString(),
    "weights and no nodes": model(graph(weights=[weight("w", [1.0])])).SerializeToString(),
    "empty graph": model(onnx.GraphProto()).SerializeToString(),
    "graph before the version": GRAPH + encode_number(1, 8) + OPSET,
    "no version at all": GRAPH + OPSET,
    "a field from the future": encode_number(1, 8) + encode_bytes(40, b"new") + GRAPH,
    "many metadata entries first": encode_number(1, 8) + encode_bytes(14, b"") * 500 + GRAPH,
    "rubbish behind the graph": encode_number(1, 8) + GRAPH + bytes(100),
    "cut off within the graph": small().SerializeToString()[:30],
    "cut off at the graph": TWO_TEXTS + GRAPH[:1],
    "cut off behind the producer": TWO_TEXTS,
    "cut off within the producer": TWO_TEXTS[:6],
}
OTHERS = {
    "nothing": b"",
    "zeros": bytes(1000),
    "one byte": b"\x08",
    "a version only": encode_number(1, 8),
    "text that begins like a field": b':"R*bjr\nz',
    "a lone graph field": encode_bytes(7, b""),
    "a tensor": weight("w", [1.0, 2.0]).SerializeToString(),
    "a packed tensor": encode_bytes(1, b"\x02\x02") + encode_number(2, 1) + encode_bytes(9, bytes(16)),
    "a bare graph": graph(relu()).SerializeToString(),
    "a bare node": relu().SerializeToString(),
    # Caffe's NetParameter: a name, then layers.
    "a caffemodel": encode_bytes(1, b"net") + encode_bytes(100, encode_bytes(1, b"conv1")),
    "an old caffemodel": encode_bytes(1, b"net") + encode_bytes(2, encode_bytes(4, b"conv1")),
    # TensorFlow's GraphDef: nodes with name and op.
    "a TensorFlow graph": encode_bytes(1, encode_bytes(1, b"x") + encode_bytes(2, b"Placeholder")) * 3,
    # TensorFlow's SavedModel: a version, then graphs.
    "a SavedModel": encode_number(1, 1) + encode_bytes(2, encode_bytes(1, encode_bytes(4, b"serve"))),
    # CoreML's Model: a version, a description, and a network under a high number.
    "a CoreML model": encode_number(1, 4) + encode_bytes(2, encode_bytes(1, b"\x0a")) + encode_bytes(500, b"\x0a\x00"),
    # MindIR's ModelProto has texts where ONNX has numbers.
    "a MindIR model": encode_bytes(1, b"0.1.1") + encode_bytes(7, encode_bytes(1, b"")),
    "a version that is none": encode_number(1, 10**6) + GRAPH,
    "a negative version": encode_number(1, 2**64 - 3) + GRAPH,
    "a graph that is none": encode_number(1, 8) + encode_bytes(7, encode_number(1, 5)),
    "JSON": b'{"ir_version": 8}',
    "a table": b"Index,OpType,NPUDump\n1,Relu,relu\n",
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_claimed(name: str, tmp_path: Path) -> None:
    assert claims(tmp_path / "file", MODELS[name])


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_model_is_not_claimed(name: str, tmp_path: Path) -> None:
    assert not claims(tmp_path / "file", OTHERS[name])


def test_random_bytes_are_not_claimed(tmp_path: Path) -> None:
    noise = random.Random(0)

    assert not any(claims(tmp_path / "file", noise.randbytes(500)) for _ in range(200))


@pytest.mark.parametrize(
    "folder", [path for path in sorted(DATA.iterdir()) if not path.name.startswith("onnx")], ids=str
)
def test_samples_of_other_formats_are_not_claimed(folder: Path) -> None:
    for path in folder.iterdir():
        with Source(path) as source:
            assert not is_onnx(source)


def test_a_cut_off_model_is_claimed_from_its_producer_on(tmp_path: Path) -> None:
    data = model(graph(relu(), inputs=[value("x")]), producer_name="pytorch").SerializeToString()

    assert [end for end in range(5, len(data)) if not claims(tmp_path / "file", data[:end])] == []


def test_a_tensor_of_any_shape_is_not_claimed(tmp_path: Path) -> None:
    for shape in ([], [3], [1, 2, 3, 4]):
        tensor = TensorProto(dims=shape, data_type=1, name="w", raw_data=bytes(4 * 24))
        assert not claims(tmp_path / "file", tensor.SerializeToString())
