"""One tensor for a look at every value, and what is refused with msaccucmp's exit codes."""

from pathlib import Path

import pytest

from ascend_writer import desc, op
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError
from errorflow.compare.match.fusion.table import FusionTable
from errorflow.compare.match.one_tensor import Which, tensor_by_fusion, tensor_of_npu_runs
from match_runs import NpuRun, NpyRun, operation, table

RUN = NpuRun.of(operation("f", inputs=1), operation("m"), operation("q"), operation("odd", dtype="int4"))


@pytest.fixture
def made(tmp_path: Path) -> FusionTable:
    return table(
        tmp_path,
        op("f", "Conv2D", ["x:0"], [desc(_datadump_origin_name="r")], _datadump_original_op_names=("c", "r")),
        op("m", "Mul", _datadump_original_op_names=(), _datadump_is_multiop=True),
        op("s_quant_layer", "AscendQuant", outputs=[desc("DT_INT8")]) | {"id": 1},
        op("q", "Conv2D", ["s_quant_layer:0"]) | {"id": 2},
        op("gone", "Relu") | {"id": 3},
        op("odd", "Relu") | {"id": 4},
    )


def test_it_comes_with_the_names_of_its_group(made: FusionTable) -> None:
    pair = tensor_by_fusion(made, RUN, NpyRun(["r.0"]), Which("f"))

    assert pair.reference is not None
    assert pair.listed is not None
    assert (pair.listed.candidates, pair.listed.references, pair.reference.info.name) == ("f", "c,r", "r.0")


@pytest.mark.parametrize(
    ("which", "code"),
    [
        (Which("nobody"), codes.WRONG_OPTIONS),
        (Which("f", "output", 1), codes.OUT_OF_RANGE),
        (Which("f", "input", 0), codes.NO_DUMP),
        (Which("m"), codes.UNSUPPORTED),
        (Which("q"), codes.UNSUPPORTED),
        (Which("gone"), codes.NO_DUMP),
        (Which("odd"), codes.UNKNOWN_TYPE),
    ],
)
def test_what_is_not_there_is_refused(made: FusionTable, which: Which, code: int) -> None:
    with pytest.raises(RefusedError) as caught:
        tensor_by_fusion(made, RUN, NpyRun(["r.0"]), which)

    assert caught.value.code == code


def test_of_two_npus_it_is_found_by_name() -> None:
    pair = tensor_of_npu_runs(RUN, RUN, Which("f", "input", 0))

    assert pair.tensor == "f:input:0"
    assert pair.candidate is not None


@pytest.mark.parametrize(
    ("which", "code"), [(Which("nobody"), codes.NO_DUMP), (Which("f", "input", 3), codes.OUT_OF_RANGE)]
)
def test_of_two_npus_both_must_have_it(which: Which, code: int) -> None:
    with pytest.raises(RefusedError) as caught:
        tensor_of_npu_runs(RUN, RUN, which)

    assert caught.value.code == code
