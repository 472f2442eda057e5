"""The vendor's own layouts are recognised, and lead to the calls that were recorded for them."""

from pathlib import Path

import pytest

from errorflow.case.scenarios.call import asked_of
from errorflow.case.scenarios.discover import discover
from errorflow.case.scenarios.propose import only_complete, propose

DATA = Path(__file__).parents[3] / "shared" / "data"
ASCEND = DATA / "ascend"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")

CASES = {
    "s1": ("npu", "s1_npu", "s1_golden", {"fusion": "s1_fusion.json"}),
    "s2_fq": ("npu-fake-quantized", "s2_npu_quant", "s2_fakequant_npy", {"fusion": "s2_fusion.json"}),
    "s2_fqq": (
        "npu-quantized",
        "s2_npu_quant",
        "s2_original_npy",
        {"fusion": "s2_fusion.json", "quantization": "s2_quant.json"},
    ),
    "s2_q": ("quantized", "s2_fakequant_npy", "s2_original_npy", {"quantization": "s2_quant.json"}),
    "s8": ("npu", "s8_npu", "s8_golden", {"fusion": "s8_real_atc.json"}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_files_of_a_recorded_call_lead_to_it(name: str) -> None:
    key, candidate, reference, files = CASES[name]
    paths = [ASCEND / candidate, ASCEND / reference, *(ASCEND / file for file in files.values())]
    found = only_complete(propose(discover(paths)))
    assert found is not None and found.scenario.key == key
    asked = asked_of(found.setup)
    assert (asked.candidate.name, asked.reference.name) == (candidate, reference)
    assert {Path(text).name for text in (asked.fusion, asked.quantization) if text} == set(files.values())


def test_two_dumps_are_left_to_the_user() -> None:
    proposals = propose(discover([ASCEND / "s3_npu_a", ASCEND / "s3_npu_b"]))
    assert proposals[0].scenario.key == "npu-npu"
    assert len(proposals[0].choices["reference"]) == 2
    assert only_complete(proposals) is None


def test_a_vendors_snapshot_is_a_comparison_of_two_runs() -> None:
    found = only_complete(propose(discover(DATA / "vendors" / "rknn" / "own_snapshot_npy")))
    assert found is not None
    assert {need: filled.found.path.name for need, filled in found.filled.items()} == {
        "candidate": "simulator",
        "reference": "golden",
    }


def test_everything_at_once_is_listed_without_a_problem() -> None:
    found = discover(DATA)
    assert not found.problems
    assert {"npu", "npu-quantized", "npy", "npy-quantized", "atc-json", "quant-info", "onnx", "table", "arrays"} <= {
        each.kind for each in found.found
    }
