"""The dumps and folders whose comparison by the vendor's tool is recorded, and the files that it has made of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from errorflow.formats import read
from errorflow.formats.folders.npu import NpuFolder
from errorflow.formats.folders.npy import NpyFolder
from errorflow.formats.npu.file import NpuFile
from errorflow.formats.npu.opdebug import parse_op_debug
from errorflow.formats.runs import read_run

DATA = Path(__file__).parents[3] / "shared" / "data"
ASCEND = DATA / "ascend"
EXPECTED = ASCEND / "expected"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")

DUMPS = {"s1_npu": 45, "s2_npu_quant": 4, "s3_npu_a": 11, "s3_npu_b": 11, "s6_overflow": 2, "s8_npu": 12}
ARRAYS = {"s1_golden": 46, "s2_fakequant_npy": 6, "s2_original_npy": 6, "s8_golden": 18}


@pytest.mark.parametrize("name", DUMPS)
def test_a_folder_of_dumps_is_read_whole(name: str) -> None:
    run = read_run(ASCEND / name)

    assert isinstance(run, NpuFolder)
    assert len(run.ops()) == DUMPS[name]
    assert run.problems == ()
    assert run.kind == ("npu-quantized" if name == "s2_npu_quant" else "npu")
    for tensor in run.names():
        values = run.read(tensor)
        assert values.shape == run.info(tensor).shape
        assert values.nbytes >= run.info(tensor).nbytes


@pytest.mark.parametrize("name", ARRAYS)
def test_a_folder_of_arrays_is_read_whole(name: str) -> None:
    run = read_run(ASCEND / name)

    assert isinstance(run, NpyFolder)
    assert len(run.names()) == ARRAYS[name]
    assert run.kind == ("npy-quantized" if name == "s2_fakequant_npy" else "npy")
    for tensor in run.names():
        assert run.read(tensor).shape == run.info(tensor).shape


def test_values_are_those_that_the_tool_reads() -> None:
    name = "Conv2D.conv1.3.7.1700000000003000"
    dump = read(ASCEND / "s1_npu" / name)
    assert isinstance(dump, NpuFile)

    for tensor in dump.names():
        wanted = np.load(EXPECTED / "s5_npy_new" / f"{name}.{tensor.replace(':', '.')}.npy")
        assert dump.read(tensor).dtype == wanted.dtype
        np.testing.assert_array_equal(dump.read(tensor), wanted)
    buffer = (EXPECTED / "s5_npy_new" / f"{name}.l1buffer.0.bin").read_bytes()
    assert [dump.blob(blob) for blob in dump.buffers] == [buffer]


def test_overflow_information_is_what_the_tool_reads() -> None:
    name = "Opdebug.Node_OpDebug.20.2.1700000000000050"
    dump = read_run(ASCEND / "s6_overflow" / name)
    wanted = json.loads((EXPECTED / "s6_ov_new" / f"{name}.output.0.json").read_text())

    assert parse_op_debug(dump.read("output:0").tobytes(), name) == wanted


@pytest.mark.parametrize("run", ["golden", "simulator"])
def test_a_snapshot_of_rknn_is_read(run: str) -> None:
    dump = read_run(DATA / "vendors" / "rknn" / "own_snapshot_npy" / run)

    assert dump.label == "RKNN snapshot"
    assert set(dump.names()) >= {"input", "c1_out", "output"}
    assert all(np.isfinite(dump.read(name)).all() for name in dump.names())
