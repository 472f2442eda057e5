"""Spoiled records and settings of AMCT: read, or answered with a sentence; never anything else."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from errorflow.base.errors import ErrorflowError
from errorflow.formats.amct.record import read_record
from errorflow.vendors.ascend.amct.simple import read_simple_config
from errorflow.vendors.ascend.toolchains.config import read_config
from fuzz.mutate import mutants, time_left

RECORD = b'record { key: "a:1" value { scale_d: 0.5 offset_d: -3 scale_w: 1 scale_w: 2 dst_type: "INT8" } }\n'
LAYER = {"quant_enable": True, "activation_quant_params": {"num_bits": 8, "search_range": [0.7, 1.3]}}
SIMPLE = b'batch_num: 2 skip_layers: "a" common_config { act_quant { ifmr_quantize { search_step: 0.1 } } }\n'


@pytest.mark.parametrize(
    ("reader", "sample"),
    [
        (read_record, RECORD),
        (read_config, json.dumps({"version": 1, "skip_fusion_layers": ["a"], "conv": LAYER}).encode()),
        (read_simple_config, SIMPLE),
    ],
)
def test_spoiled_files_are_read_or_answered(reader: Callable[[Path], object], sample: bytes, tmp_path: Path) -> None:
    left, path = time_left(1), tmp_path / "x"
    for seed, data in mutants([sample]):
        path.write_bytes(data)
        try:
            reader(path)
        except ErrorflowError as error:
            assert error.hint, f"seed {seed}"
        if not left():
            break
