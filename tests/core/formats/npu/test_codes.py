"""Small floats as msaccucmp 26.2.0 reads them: the same but for the codes that docs/formats/npu-dump.md lists."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.formats import read_tensors
from npu_writer import NpuArray, write_npu

RECORDED = Path(__file__).parents[3] / "data" / "npu" / "msaccucmp_codes.npz"
# Where its values contradict the definition of the type.
OTHERWISE = {
    "float8e5m2": {0xFC},
    "float8e4m3fn": {0x7F, 0xFF},
    "hifloat8": {*range(0x08, 0x20), *range(0x88, 0xA0), 0xEF},
}


@pytest.mark.parametrize("dtype", OTHERWISE)
def test_every_other_code_is_the_same(dtype: str, tmp_path: Path) -> None:
    tool = read_tensors(RECORDED).read(dtype)
    path = write_npu(tmp_path / "x", outputs=[NpuArray(np.arange(256), dtype=dtype)])
    values = read_tensors(path).read("output:0")

    same = (values == tool) | (np.isnan(values.astype(np.float32)) & np.isnan(tool.astype(np.float32)))
    assert set(np.flatnonzero(~same).tolist()) == OTHERWISE[dtype]
