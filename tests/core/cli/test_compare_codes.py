"""Folders whose codes have their scale beside them: `errorflow compare` measures real values, and says so."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from errorflow.cli.main import main

CODES = np.random.default_rng(3).integers(0, 256, (1, 4, 3, 3)).astype(np.uint8)


def test_codes_of_pulsar2_are_compared_as_real_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    real = (CODES.astype(np.float32) - 10) * np.float32(0.5)
    for run, values in (("float", real + np.float32(0.5)), ("xrun", CODES)):
        folder = Path("quant/debug/numpy") / run
        folder.mkdir(parents=True)
        np.save(folder / "_block_conv.npy", values)
    config = {"bit_width": 8, "quant_min": 0, "quant_max": 255, "hash": 1, "dominator": 1}
    model = {"tensor_configs": {"Conv_0": {"/block/conv": config}}, "values": {"1": {"scale": 0.5, "zero_point": 10}}}
    Path("quant/quant_axmodel.json").write_text(json.dumps(model))

    assert main(["compare", "-m", "quant/debug/numpy/xrun", "-g", "quant/debug/numpy/float", "-out", "out"]) == 0

    with Path("out/tensors.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["done"] == "candidate dequantized with scale 0.5 and zero point 10"
    assert (row["tensor"], row["max_absolute_error"], row["max_steps"]) == ("/block/conv", "0.5", "1")
