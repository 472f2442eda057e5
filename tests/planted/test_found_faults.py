"""The way out of planted faults, by the commands alone: verdict, culprits and smallest set.

What is written is held against ONNX Runtime's own run of the quantized models; benchmarks/found_table.py tries many
more.
"""

from pathlib import Path

import pytest

from planted_faults import FAMILIES, planted
from planted_found import found

BY_KEY = {family.key: family for family in FAMILIES}
CASES = (
    ("loud weights", "repvgg", 1, "onnxruntime"),
    pytest.param("loud weights", "transformer", 0, "amct", marks=pytest.mark.slow),
    ("drift", "repvgg", 1, "onnxruntime"),
    pytest.param("drift", "mobile", 0, "amct", marks=pytest.mark.slow),
    pytest.param("mixed", "mobile", 1, "onnxruntime", marks=pytest.mark.slow),
    ("loud channel", "mobile", 1, "onnxruntime"),
    ("loud channel", "digits", 0, "amct"),
    pytest.param("loud norm", "encoder", 0, "onnxruntime", marks=pytest.mark.slow),
    # The measure looks at what brings next to no noise.
    ("boxes and classes", "detector", 0, "onnxruntime-x86"),
    ("log of nothing", "logarithm", 1, "onnxruntime"),
    ("unread output", "two outputs", 1, "onnxruntime"),
    ("unharmed", "mobile", 1, "onnxruntime"),
)


@pytest.mark.parametrize(("family", "net", "seed", "preset"), CASES)
def test_the_commands_find_the_way_out(family: str, net: str, seed: int, preset: str, tmp_path: Path) -> None:
    result = found(planted(BY_KEY[family], net, seed, preset != "onnxruntime"), preset, tmp_path)

    assert not result.missed
    assert not result.unclear, "else nothing was found"
