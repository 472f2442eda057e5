"""What a comparison is called."""

from pathlib import Path

import pytest

from errorflow.case.scenarios.naming import place_of, title_of
from errorflow.case.scenarios.setup import Setup

R, C = "reference", "candidate"


@pytest.mark.parametrize(
    ("files", "title"),
    [
        ({R: "/a/cpu", C: "/a/npu", "model": "/m/resnet50.onnx"}, "resnet50.onnx · cpu ↔ npu"),
        ({R: "/a/cpu", C: "/a/npu"}, "cpu ↔ npu"),
        ({R: "/a/f.npz", "simulator": "/a/s.npz", C: "/a/b.npz"}, "f.npz ↔ s.npz ↔ b.npz"),
        ({"original": "/a/f.onnx", "quantized": "/a/q.onnx", "inputs": "/x.npz"}, "f.onnx ↔ q.onnx"),
        ({"table": "/a/result.csv", "model": "/a/m.onnx"}, "m.onnx · result.csv"),
        ({R: "/a/old/run.npz", C: "/a/new/run.npz"}, "old/run.npz ↔ new/run.npz"),
        ({R: "/d/npy", C: "/d/dump/20260101/0/net/1/0"}, "npy ↔ net"),
        ({R: "/v1/20260101/0/net/1/0", C: "/v2/20260101/0/net/1/0"}, "v1/20260101/0/net ↔ v2/20260101/0/net"),
        ({R: "/a/x", C: "/a/x"}, "/a/x ↔ /a/x"),
        ({"model": "/a/m.onnx"}, "m.onnx"),
        ({}, ""),
    ],
)
def test_its_title_tells_the_sides_apart(files: dict[str, str], title: str) -> None:
    setup = Setup("", {need: Path(path) for need, path in files.items()})
    assert title_of(setup).replace("//", "/") == title


def test_it_lies_where_all_of_its_files_lie() -> None:
    assert place_of(Setup("", {R: Path("/a/b/c/x"), C: Path("/a/b/y")})) == Path("/a/b")
    assert place_of(Setup("")) is None


def test_plain_values_make_the_same_again() -> None:
    setup = Setup("npu", {R: Path("/a"), C: Path("/b")}, ("x=1:float32",))
    assert Setup.of_plain(setup.plain) == setup


@pytest.mark.parametrize(
    "rubbish",
    [
        *(None, [], "x", {}, {"scenario": "a", "files": [], "shapes": []}),
        *({"scenario": 3, "files": {}, "shapes": []}, {"scenario": "a", "files": {"m": 3}, "shapes": []}),
        *({"scenario": "a", "files": {"m": "a\0b"}, "shapes": []}, {"scenario": "a", "files": {}, "shapes": "x"}),
        {"scenario": "a", "files": {}, "shapes": ["x"] * 1000},
    ],
)
def test_rubbish_makes_nothing(rubbish: object) -> None:
    assert Setup.of_plain(rubbish) is None
