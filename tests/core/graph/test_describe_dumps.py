"""What `describe` says of tensors that an NPU left behind."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.cli.main import main
from errorflow.formats import read
from errorflow.graph.describe import facts, stored_text, summary
from errorflow.graph.dump import TensorInfo
from npu_writer import NpuArray, write_npu


@pytest.mark.parametrize(
    ("info", "text"),
    [
        (TensorInfo("t", "float32", (1, 2), 8), "float32 1×2"),
        (TensorInfo("t", "float32", (), 4), "float32 scalar"),
        (TensorInfo("t", "float16", (1, 2), 4, "NCHW", (1, 2)), "float16 1×2 NCHW"),
        (
            TensorInfo("t", "float16", (1, 1, 2, 16), 64, "NC1HWC0", (1, 5, 2)),
            "float16 1×1×2×16 NC1HWC0, originally 1×5×2",
        ),
    ],
)
def test_a_stored_tensor_says_its_layout(info: TensorInfo, text: str) -> None:
    assert stored_text(info) == text


def dumped(folder: Path) -> Path:
    tensor = NpuArray(np.zeros((1, 16), np.float16), "NC1HWC0", original_shape=(1, 5))
    return write_npu(folder / "Conv2D.conv.1.2.1700000000000001", outputs=[tensor])


def test_a_dump_is_told_in_words_and_for_programs(tmp_path: Path) -> None:
    dump = read(dumped(tmp_path))

    assert ("output:0", "float16 1×16 NC1HWC0, originally 1×5") in [(fact.label, fact.value) for fact in facts(dump)]
    assert summary(dump)["tensors"] == [
        {
            "name": "output:0",
            "dtype": "float16",
            "shape": [1, 16],
            "bytes": 32,
            "layout": "NC1HWC0",
            "original_shape": [1, 5],
        }
    ]


def test_a_folder_is_inspected_as_a_file_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dumped(tmp_path)

    assert main(["inspect", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "folder of NPU dumps" in said
    assert "conv:output:0" in said


def test_a_folder_of_nothing_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path)]) == 2
    assert "holds nothing that is known" in capsys.readouterr().err
