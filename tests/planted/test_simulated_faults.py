"""Faults that are planted into nets, whose truth is known, are named by a simulation.

Each case is judged beside ONNX Runtime's own run of the quantized model; benchmarks/planted_table.py tries many more.
"""

from pathlib import Path

import pytest

from planted_faults import FAMILIES, planted
from planted_judging import judged

BY_KEY = {family.key: family for family in FAMILIES}
CASES = (
    ("loud weights", "repvgg", 1, "onnxruntime"),
    pytest.param("loud weights", "mobile", 1, "onnxruntime-x86", marks=pytest.mark.slow),
    ("loud weights", "transformer", 0, "amct"),
    ("drift", "repvgg", 0, "onnxruntime"),
    pytest.param("drift", "mobile", 1, "amct", marks=pytest.mark.slow),
    ("mixed", "repvgg", 1, "onnxruntime"),
    ("loud channel", "mobile", 0, "onnxruntime"),
    pytest.param("loud channel", "digits", 1, "amct", marks=pytest.mark.slow),
    ("loud norm", "transformer", 1, "horizon-int8"),
    ("boxes and classes", "detector", 0, "onnxruntime"),
    pytest.param("boxes and classes", "locator", 1, "onnxruntime-x86", marks=pytest.mark.slow),
    ("unharmed", "digits", 0, "onnxruntime"),
    ("log of nothing", "logarithm", 0, "onnxruntime"),
    ("unread output", "two outputs", 1, "onnxruntime"),
)


@pytest.mark.parametrize(("family", "net", "seed", "preset"), CASES)
def test_what_was_planted_is_told(family: str, net: str, seed: int, preset: str, tmp_path: Path) -> None:
    found = judged(planted(BY_KEY[family], net, seed, preset != "onnxruntime"), preset, tmp_path)

    assert not found.missed
    assert bool(found.unclear) == bool(found.case.broken), "else nothing of it was judged"


def test_of_two_outputs_the_one_that_is_unharmed_is_good(tmp_path: Path) -> None:
    found = judged(planted(BY_KEY["unread output"], "two outputs", 0, False), "onnxruntime", tmp_path)

    errors = {each["tensor"]: each["values"]["relative_l2"] for each in found.told["outputs"]}
    assert errors["scores"] < 0.05 < errors["auxiliary"]
    assert "1 of 2 outputs is bad" in found.told["text"]
    assert any(each["key"] == "other outputs" for each in found.told["advice"])
