"""Every well-known wrong file is named, with what to open instead."""

import io
import pickle
import tarfile
import zipfile
from pathlib import Path

import pytest

from errorflow.base.errors import UnknownFormatError, WrongFileError
from errorflow.base.files import Source
from errorflow.formats import identify
from errorflow.formats.wrong import WRONG_FILES


def _zip(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, b"x")
    return buffer.getvalue()


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("model.onnx"))
    return buffer.getvalue()


def _message(*parts: tuple[int, int | bytes]) -> bytes:
    """A protobuf message of (field number, whole number or bytes); numbers and sizes below 128."""
    out = b""
    for number, value in parts:
        key = number << 3 | (2 if isinstance(value, bytes) else 0)
        head = bytes([key]) if key < 128 else bytes([key & 127 | 128, key >> 7])
        out += head + (bytes([len(value)]) + value if isinstance(value, bytes) else bytes([value]))
    return out


# For each row of the table, by its label: bytes that such a file begins with.
SAMPLES: dict[str, bytes] = {
    "an empty file": b"",
    "a Git LFS pointer, not the file itself": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n",
    "filled with zeros only": bytes(4096),
    "a text in UTF-16": "name: x\n".encode("utf-16"),
    "a web page": b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>",
    "an error answer of a web server": b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>',
    "a ticket bundle of Errorflow": _zip("errorflow-bundle.txt", "README.txt", "manifest.json"),
    "a session of Errorflow": b'{"errorflow-session": 1, "written_by": "0.1.0"}',
    "a PyTorch file (weights or a pickled module)": _zip("archive/data.pkl", "archive/byteorder", "archive/data/0"),
    "a Keras model": _zip("metadata.json", "config.json", "model.weights.h5"),
    "a pickle, as PyTorch and Python write it": pickle.dumps({"a": 1}, protocol=2),
    "an HDF5 file (Keras weights or a PyTorch dump)": b"\x89HDF\r\n\x1a\n" + bytes(64),
    "a safetensors file": (64).to_bytes(8, "little")
    + b'{"weight":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}'
    + bytes(64),
    "a GGUF file (llama.cpp weights)": b"GGUF\x03\0\0\0",
    "a TensorFlow Lite model": b"\x1c\0\0\0TFL3" + bytes(32),
    "an ORT-format model of ONNX Runtime": b"\x08\0\0\0ORTM" + bytes(32),
    "an RKNN model": b"RKNN\0\0\0\0\1" + bytes(32),
    "a TensorRT engine": b"ftrt" + bytes(32),
    "an SVP/PICO offline model": b"PICO" + bytes(64),
    "an MNN, ncnn or OpenVINO network": b"7767517\n75 83\nInput data 0 1 data\n",
    "a program or shared library": b"\x7fELF\2\1\1" + bytes(64),
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(64),
    "a PDF document": b"%PDF-1.7\n",
    "a packed archive": _tar(),
    "an SQLite database": b"SQLite format 3\0" + bytes(84),
    "a TensorFlow SavedModel": _message((1, 1), (2, _message((1, b"x")))),
    "an ONNX tensor, not a model": _message((1, 2), (1, 2), (2, 1), (8, b"w"), (9, bytes(16))),
    "a TensorFlow graph": _message(
        (1, _message((1, b"input"), (2, b"Placeholder"))), (1, _message((1, b"out"), (2, b"Identity")))
    ),
    "a caffemodel, which holds Caffe's weights": _message(
        (1, b"LeNet"), (100, _message((1, b"conv1"), (2, b"Convolution")))
    ),
    "a Caffe solver": b'net: "train.prototxt"\nbase_lr: 0.01\nlr_policy: "inv"\n',
    "an AMCT scale and offset record": b'record {\n  key: "conv1"\n  value {\n    scale_d: 0.1\n  }\n}\n',
    "a TensorFlow graph in text form": b'node {\n  name: "x"\n  op: "Placeholder"\n}\n',
    "a result table of msaccucmp": b"Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,TensorIndex,Shape\n",
    "a fusion switch file for ATC": b'{"Switch":{"GraphFusion":{"ALL":"off"},"UBFusion":{"ALL":"off"}}}',
    "a fusion report of ATC": b'{"session_and_graph_id_0_0":{"graph_fusion":{"P":{"match_times":"1"}}}}',
    "a dump setting (acl.json)": b'{"dump":{"dump_list":[{"model_name":"m"}],"dump_path":"/d"}}',
    "an AMCT quantization setting": b'{"version":1,"conv1":{"quant_enable":true}}',
    "a Pulsar2 build setting": b'{"quant":{"input_configs":[],"calibration_method":"MinMax"}}',
    "an msprobe dump or construct file": b'{"task":"statistics","level":"L1","dump_data_dir":null,"data":{}}',
    "a visq result": b'{"meta":{"model":"m","metric":"MPEIR","colorscheme":[]},"error":[]}',
    "a JSON file, but no model that is known here, or one that was cut off": b'{"graph": [{"o',
    "a result of RKNN's accuracy analysis": b"# simulator_error: calculate the output error\n# entire  single\n",
    "a table of Pulsar2": b"Building\n        Quant Precision Table [PerLayer Reference]\n",
    "a log or table of Horizon's tools": b"INFO The converted model node information:\n=====\nNode  ON  Subgraph\n",
    "a log or table of tpu-mlir": b"# op_name   quantize_mode\ninput3.1 F32\n",
    "a table of PPQ": b"Layer     | NOISE:SIGNAL POWER RATIO \nConv_3:   | 2.03\n",
    "a Python program": b"import torch\n\nmodel = torch.nn.Linear(1, 1)\n",
    "a table of comma-separated values": b"name,cosine,mse\nconv1,0.99,0.1\n",
    "a settings file": b"# settings\n[model]\nname = x\n",
    "a text file": b"Some words that were\nwritten down.\n",
}


def _named(path: Path) -> WrongFileError:
    with Source(path) as source, pytest.raises(WrongFileError) as caught:
        identify(source)
    return caught.value


@pytest.mark.parametrize(
    ("row", "sample"), [(row, SAMPLES[row.label]) for row in WRONG_FILES], ids=lambda v: getattr(v, "label", "")
)
def test_a_wrong_file_is_named_with_a_way_out(row: object, sample: bytes, tmp_path: Path) -> None:
    path = tmp_path / "picked.bin"
    path.write_bytes(sample)

    error = _named(path)

    assert error.message == f"picked.bin is {row.label}."  # type: ignore[attr-defined]  # rows of WRONG_FILES
    assert error.hint == row.hint  # type: ignore[attr-defined]  # rows of WRONG_FILES


def test_a_file_that_nothing_knows_lists_what_a_model_can_be(tmp_path: Path) -> None:
    path = tmp_path / "noise.bin"
    path.write_bytes(b"\xfe\xfd\xfc\x00" * 100)

    error = _named(path)

    assert isinstance(error, UnknownFormatError)
    assert "A model can be" in error.hint


def test_no_hint_is_empty() -> None:
    assert all(row.hint.endswith(".") or row.hint.endswith(").") for row in WRONG_FILES)
