"""What can be chosen, and over which codes it lays a range."""

import pytest
from onnxruntime.quantization.quant_utils import QuantType, get_qmin_qmax_for_qType

from errorflow.base.errors import UsageError
from errorflow.quant.precision import CHOICES, Precision


@pytest.mark.parametrize("dtype", CHOICES)
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("reduced", [False, True])
def test_a_range_is_laid_over_the_codes_that_onnx_runtime_takes(dtype: str, symmetric: bool, reduced: bool) -> None:
    theirs = get_qmin_qmax_for_qType(QuantType[f"Q{_camel(dtype)}"].tensor_type, reduced, symmetric)
    assert Precision(dtype, symmetric, reduced=reduced).span == tuple(int(end) for end in theirs)


def test_another_type_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="float8") as caught:
        Precision("float8")
    assert "int8" in caught.value.hint


@pytest.mark.parametrize(
    ("precision", "text"),
    [
        (Precision(), "uint8"),
        (Precision("int8", symmetric=True), "int8 symmetric"),
        (Precision("int8", symmetric=True, per_channel=True), "int8 symmetric, per channel"),
        (Precision("uint8", reduced=True), "uint8 7 bit"),
    ],
)
def test_a_table_shows_it_in_words(precision: Precision, text: str) -> None:
    assert precision.text == text


def _camel(dtype: str) -> str:
    return dtype.replace("uint", "UInt").replace("int", "Int") if dtype[0] != "u" else dtype.replace("uint", "UInt")
