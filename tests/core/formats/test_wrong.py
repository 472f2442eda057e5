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


# For each row of the table, in its order: bytes that such a file begins with.
SAMPLES: tuple[bytes, ...] = (
    b"",
    b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    bytes(4096),
    "name: x\n".encode("utf-16"),
    b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>",
    b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>',
    _zip("errorflow-bundle.txt", "README.txt", "manifest.json"),
    b'{"errorflow-session": 1, "written_by": "0.1.0"}',
    _zip("archive/data.pkl", "archive/byteorder", "archive/data/0"),
    _zip("metadata.json", "config.json", "model.weights.h5"),
    pickle.dumps({"a": 1}, protocol=2),
    b"\x89HDF\r\n\x1a\n" + bytes(64),
    (64).to_bytes(8, "little") + b'{"weight":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}' + bytes(64),
    b"GGUF\x03\0\0\0",
    b"\x1c\0\0\0TFL3" + bytes(32),
    b"\x08\0\0\0ORTM" + bytes(32),
    b"RKNN\0\0\0\0\1" + bytes(32),
    b"ftrt" + bytes(32),
    b"PICO" + bytes(64),
    b"7767517\n75 83\nInput data 0 1 data\n",
    b"\x7fELF\2\1\1" + bytes(64),
    b"\x89PNG\r\n\x1a\n" + bytes(64),
    b"%PDF-1.7\n",
    _tar(),
    b"SQLite format 3\0" + bytes(84),
    _message((1, 1), (2, _message((1, b"x")))),
    _message((1, 2), (1, 2), (2, 1), (8, b"w"), (9, bytes(16))),
    _message((1, _message((1, b"input"), (2, b"Placeholder"))), (1, _message((1, b"out"), (2, b"Identity")))),
    _message((1, b"LeNet"), (100, _message((1, b"conv1"), (2, b"Convolution")))),
    b'net: "train.prototxt"\nbase_lr: 0.01\nlr_policy: "inv"\n',
    b'record {\n  key: "conv1"\n  value {\n    scale_d: 0.1\n  }\n}\n',
    b'node {\n  name: "x"\n  op: "Placeholder"\n}\n',
    b"Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,TensorIndex,Shape\n",
    b'{"Switch":{"GraphFusion":{"ALL":"off"},"UBFusion":{"ALL":"off"}}}',
    b'{"session_and_graph_id_0_0":{"graph_fusion":{"P":{"match_times":"1"}}}}',
    b'{"dump":{"dump_list":[{"model_name":"m"}],"dump_path":"/d"}}',
    b'{"version":1,"conv1":{"quant_enable":true}}',
    b'{"quant":{"input_configs":[],"calibration_method":"MinMax"}}',
    b'{"task":"statistics","level":"L1","dump_data_dir":null,"data":{}}',
    b'{"meta":{"model":"m","metric":"MPEIR","colorscheme":[]},"error":[]}',
    b'{"graph": [{"o',
    b"# simulator_error: calculate the output error\n# entire  single\n",
    b"Building\n        Quant Precision Table [PerLayer Reference]\n",
    b"INFO The converted model node information:\n=====\nNode  ON  Subgraph\n",
    b"# op_name   quantize_mode\ninput3.1 F32\n",
    b"Layer     | NOISE:SIGNAL POWER RATIO \nConv_3:   | 2.03\n",
    b"import torch\n\nmodel = torch.nn.Linear(1, 1)\n",
    b"name,cosine,mse\nconv1,0.99,0.1\n",
    b"# settings\n[model]\nname = x\n",
    b"Some words that were\nwritten down.\n",
)


def _named(path: Path) -> WrongFileError:
    with Source(path) as source, pytest.raises(WrongFileError) as caught:
        identify(source)
    return caught.value


@pytest.mark.parametrize(
    ("row", "sample"), list(zip(WRONG_FILES, SAMPLES, strict=True)), ids=lambda v: getattr(v, "label", "")
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
