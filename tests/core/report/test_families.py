import pytest

from errorflow.report.families import FAMILIES, family_of


@pytest.mark.parametrize(
    ("op_type", "family"),
    [
        ("Conv", "compute"),
        ("SliceD", "move"),
        ("ReduceMaxD", "reduce"),
        ("ArgMaxD", "reduce"),
        ("ArgMaxV2", "reduce"),
        ("SplitVD", "move"),
        ("GatherND", "move"),
        ("Requant", "quantize"),
        ("BatchMatMulV3", "compute"),
    ],
)
def test_variants_do_what_the_first_one_does(op_type: str, family: str) -> None:
    assert family_of(op_type) == family


@pytest.mark.parametrize("op_type", ["", "D", "V2", "Nonsense", "NonsenseD"])
def test_what_nobody_knows_is_other(op_type: str) -> None:
    assert family_of(op_type) == "other"
    assert "other" in FAMILIES
