"""One operator value by value, against what msaccucmp 26.2.0 wrote from the same dumps: byte by byte."""

from pathlib import Path

import pytest

from errorflow.compare.match.plan import MatchRequest, plan
from errorflow.report.single import SingleOptions, run_single

DATA = Path(__file__).parents[3] / "shared" / "data" / "ascend"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")

S1 = MatchRequest(DATA / "s1_npu", DATA / "s1_golden", str(DATA / "s1_fusion.json"))
S2 = MatchRequest(DATA / "s2_npu_quant", DATA / "s2_fakequant_npy", str(DATA / "s2_fusion.json"))


@pytest.mark.parametrize(
    ("case", "asked", "operator", "top", "brief"),
    [
        ("d_conv1", S1, "conv1", 5, False),
        ("d_fc1", S1, "fc1", 20, False),
        ("d_bool", S1, "greater", 4, False),
        ("d_ign", S1, "pool1", 3, True),
        ("d_ovf", S1, "overflow_l", 2, False),
        ("d_small", S2, "fc", 20, False),
    ],
)
def test_the_files_are_those_of_the_tool(
    tmp_path: Path, case: str, asked: MatchRequest, operator: str, top: int, brief: bool
) -> None:
    pair = next(pair for pair in plan(asked).match.pairs if pair.tensor == f"{operator}:output:0")
    run_single(pair, SingleOptions(tmp_path, operator, top=top, brief=brief))
    expected = {file.name: file.read_bytes() for file in (DATA / "expected" / f"{case}_new").iterdir()}
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == expected
