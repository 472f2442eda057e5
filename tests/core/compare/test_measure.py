"""A pair brought together and measured: layouts, codes, overflow, and the line of msaccucmp."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errorflow.base.errors import FormatError
from errorflow.compare.comparer import Printed
from errorflow.compare.match.model import BOTH_NPU, BY_ORIGIN, Listed, Pair
from errorflow.compare.measure import measure_pair
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Options, Row
from errorflow.formats import read_tensors
from errorflow.graph.dump import Stored, TensorInfo
from errorflow.graph.qparams import QParams
from errorflow.vendors.ascend.comparers.columns import COLUMNS as COLUMN_ROWS
from errorflow.vendors.ascend.comparers.printing import MsaccucmpPrinter
from npu_writer import NpuArray, write_npu

PRINTER = MsaccucmpPrinter(tuple(range(10)))
COLUMNS = Options(PRINTER)


@dataclass(frozen=True)
class Held:
    """A tensor in memory; reading None fails as a damaged file does."""

    array: NDArray[Any] | None
    qparams: QParams | None = None
    path: str = "held.npy"
    info: TensorInfo = field(init=False)

    def __post_init__(self) -> None:
        array = np.zeros(1) if self.array is None else self.array
        info = TensorInfo("t", array.dtype.name, array.shape, array.nbytes, qparams=self.qparams)
        object.__setattr__(self, "info", info)

    def read(self) -> NDArray[Any]:
        if self.array is None:
            raise FormatError("held.npy is damaged.", "Copy it again.")
        return self.array


def line_of(row: Row) -> Printed:
    assert row.printed is not None
    return row.printed


def listed(**others: Any) -> Listed:
    return Listed(0, "Relu", "op", "op", "op:output:0", **others)


def pair(candidate: Stored | None, reference: Stored | None, **others: Any) -> Pair:
    return Pair("op:output:0", candidate, reference, rule="origin", node="op", **others)


def blocked(tmp_path: Path, values: NDArray[np.float32], dtype: type[np.generic] = np.float16) -> Stored:
    """The values as an NPU keeps them: channels in blocks of 16, the rest padded with garbage."""
    n, c, h, w = values.shape
    padded = np.full((n, -(-c // 16) * 16, h, w), 7, dtype)
    padded[:, :c] = values
    stored = np.ascontiguousarray(padded.reshape(n, -1, 16, h, w).transpose(0, 1, 3, 4, 2))
    path = write_npu(
        tmp_path / f"Relu.op.1.2.17000000000000{len(list(tmp_path.iterdir())):02}",
        outputs=[NpuArray(stored, layout="NC1HWC0", original_shape=values.shape)],
    )
    return read_tensors(path).stored("output:0")


VALUES = np.random.default_rng(0).standard_normal((1, 5, 4, 4)).astype(np.float32)


def test_a_tensor_of_an_npu_is_measured_in_the_models_layout(tmp_path: Path) -> None:
    row = measure_pair(pair(blocked(tmp_path, VALUES), Held(VALUES), way=BY_ORIGIN, layout="NCHW"))

    assert row.note == ""
    assert row.measured_shape == (1, 5, 4, 4)
    assert row.done[0].startswith("NC1HWC0 → NCHW")
    assert {key: row.values[key] for key in ("cosine", "relative_l2")} == {
        metric.key: metric(VALUES, VALUES.astype(np.float16))
        for metric in METRICS
        if metric.key in ("cosine", "relative_l2")
    }
    assert row.channels is not None
    assert row.channels.count == 5


@pytest.mark.parametrize(("layout", "axis"), [("NHWC", 3), ("NCHW", 1), ("", 1)])
def test_channels_are_where_the_layout_has_its_c(layout: str, axis: int) -> None:
    row = measure_pair(pair(Held(VALUES + 1), Held(VALUES), layout=layout))

    assert row.channels is not None
    assert row.channels.axis == axis


def test_two_dumps_of_npus_are_measured_without_their_padding(tmp_path: Path) -> None:
    both = blocked(tmp_path, VALUES), blocked(tmp_path, VALUES * 2)

    row = measure_pair(pair(*both, way=BOTH_NPU, listed=listed()), COLUMNS)

    assert line_of(row).cells["CosineSimilarity"] == "1.000000"
    assert row.values["relative_l2"] == pytest.approx(0.5, rel=1e-3)


def test_shapes_that_differ_are_a_note_and_the_reason_of_the_tool() -> None:
    row = measure_pair(pair(Held(np.ones((2, 3))), Held(np.ones((3, 2))), listed=listed()), COLUMNS)

    assert row.note == "The shapes differ: (2, 3) and (3, 2)."
    assert line_of(row).reason.startswith("[op] Due to the different shapes on the left and right")
    assert set(line_of(row).cells.values()) == {"NaN"}


@pytest.mark.parametrize("sides", [(None, VALUES), (VALUES, None)], ids=["candidate", "reference"])
def test_a_tensor_that_cannot_be_read_is_a_note(sides: tuple[Any, Any]) -> None:
    row = measure_pair(pair(Held(sides[0]), Held(sides[1])))

    assert row.note == "held.npy is damaged."
    assert row.values == {}


@pytest.mark.parametrize("dtype", ["complex64", "U3"])
def test_what_is_no_real_number_is_a_note(dtype: str) -> None:
    strange = np.zeros(3, dtype)

    assert measure_pair(pair(Held(strange), Held(strange))).note == f"no real numbers: {strange.dtype.name}"


CODES = np.array([[-128, 0], [1, 127]], np.int8)


def test_different_values_of_the_candidate_are_counted() -> None:
    row = measure_pair(pair(Held(np.array([1, 2, 2, 1], np.float32)), Held(np.arange(4, dtype=np.float32))))

    assert str(row.unique) == "2"


def test_codes_are_measured_as_the_values_that_they_stand_for() -> None:
    reference = (CODES.astype(np.float32) - 3) * np.float32(0.5)

    row = measure_pair(pair(Held(CODES, QParams((0.5,), (3,))), Held(reference)))

    assert row.values["max_absolute_error"] == 0
    assert row.done == ("candidate dequantized with scale 0.5 and zero point 3",)


def test_each_channel_has_its_own_scale() -> None:
    qparams = QParams((0.5, 2.0), (0, 1), axis=1)
    reference = (CODES.astype(np.float32) - [0, 1]) * np.array([0.5, 2.0], np.float32)

    row = measure_pair(pair(Held(CODES, qparams), Held(reference.astype(np.float32))))

    assert row.values["max_absolute_error"] == 0
    assert row.done == ("candidate dequantized with 2 scales along axis 1",)


@pytest.mark.parametrize(
    ("qparams", "scales"),
    [
        pytest.param(QParams((0.5, 2.0), axis=5), "2 scales along axis 5", id="no such axis"),
        pytest.param(QParams((0.5, 2.0, 3.0), axis=0), "3 scales along axis 0", id="another number of slices"),
        pytest.param(QParams((0.5,), (1 << 60,)), "scale 0.5 and zero point 1152921504606846976", id="zero point"),
        pytest.param(QParams((1e-60,)), "scale 1e-60 and zero point 0", id="no float32"),
    ],
)
def test_a_scale_that_does_not_go_with_the_tensor_leaves_it_in_codes(qparams: QParams, scales: str) -> None:
    row = measure_pair(pair(Held(CODES, qparams), Held(CODES)))

    assert row.done == (f"candidate left in codes: {scales} do not go with its shape",)
    assert row.values["cosine"] == 1


@pytest.mark.parametrize(
    ("codes", "real"),
    [
        pytest.param(np.array([0, 2**32 - 1], np.uint32), [-64.0, 2.0**31 - 64], id="uint32"),
        pytest.param(np.array([-(2**31), 2**31 - 1], np.int32), [-(2.0**30) - 64, 2.0**30 - 64], id="int32"),
        pytest.param(np.array([2**63, 2**64 - 1], np.uint64), [2.0**62, 2.0**63], id="uint64"),
    ],
)
def test_large_codes_do_not_wrap(codes: NDArray[Any], real: list[float]) -> None:
    row = measure_pair(pair(Held(codes, QParams((0.5,), (128,))), Held(np.array(real))))

    assert row.values["relative_l2"] < 1e-6


def test_the_axis_of_the_scales_moves_along_when_the_layout_changes() -> None:
    codes = np.arange(24, dtype=np.int8).reshape(1, 2, 3, 4)
    scales = (0.5, 2.0, 4.0, 8.0)
    mine = Held(codes, QParams(scales, axis=3))
    object.__setattr__(mine, "info", replace(mine.info, layout="NHWC"))
    golden = Held((codes * np.array(scales)).astype(np.float32).transpose(0, 3, 1, 2))

    row = measure_pair(pair(mine, golden, way=BY_ORIGIN, layout="NCHW", shape=(1, 4, 2, 3)))

    assert row.values["relative_l2"] == 0
    assert "candidate dequantized with 4 scales along axis 3" in row.done


@pytest.mark.parametrize("dtype", ["<U3", "S2", "M8[D]"])
def test_what_holds_no_numbers_is_a_note(dtype: str) -> None:
    row = measure_pair(pair(Held(np.zeros(4, dtype)), Held(np.zeros(4)), listed=listed(), way=BY_ORIGIN), COLUMNS)

    assert row.note == f"no real numbers: {np.dtype(dtype).name}"


def test_of_complex_numbers_the_tool_compares_the_real_parts_without_a_warning() -> None:
    mine, golden = np.array([1 + 2j, 3]), np.array([1 - 2j, 3])

    row = measure_pair(pair(Held(mine), Held(golden), listed=listed(), way=BOTH_NPU), COLUMNS)

    assert line_of(row).cells["MaxAbsoluteError"] == "0.000000"
    assert line_of(row).reason == ""


def test_channels_of_two_npu_runs_are_those_of_the_model(tmp_path: Path) -> None:
    values = np.random.default_rng(1).standard_normal((1, 32, 2, 2)).astype(np.float32)
    sides = [blocked(tmp_path, values), blocked(tmp_path, values)]

    row = measure_pair(pair(sides[0], sides[1], way=BOTH_NPU))

    assert row.channels is not None
    assert row.channels.count == 32


def test_the_tools_columns_never_see_dequantized_values() -> None:
    reference = CODES.astype(np.float32) * np.float32(0.5)

    row = measure_pair(pair(Held(CODES, QParams((0.5,))), Held(reference), listed=listed()), COLUMNS)

    assert line_of(row).cells["MaxAbsoluteError"] == "64.000000"
    assert row.values["max_absolute_error"] == 0


def test_dequantizing_can_be_left_out() -> None:
    row = measure_pair(pair(Held(CODES, QParams((0.5,))), Held(CODES * 0.5)), Options(dequantize=False))

    assert row.values["max_absolute_error"] == 64
    assert row.done == ()


@pytest.mark.parametrize(
    ("values", "cell"),
    [
        (np.array([1, 65504], np.float16), "YES"),
        (np.array([1, -np.inf], np.float16), "YES"),
        (np.array([1, 65472], np.float16), "NO"),
        (np.array([np.nan, np.inf], np.float16), "NO"),
        (np.array([1e30], np.float32), "NaN"),
        (np.array([], np.float16), "NaN"),
    ],
    ids=["end", "infinite", "below", "a NaN hides it", "float32", "empty"],
)
def test_overflow_is_told_as_the_tool_tells_it(values: NDArray[Any], cell: str) -> None:
    options = Options(replace(PRINTER, overflow=True))

    with_partner = measure_pair(pair(Held(values), Held(values), listed=listed()), options)
    alone = measure_pair(pair(Held(values), None, listed=listed(reason="no ground truth")), options)

    assert line_of(with_partner).cells["OverFlow"] == line_of(alone).cells["OverFlow"] == cell
    assert line_of(alone).reason == "no ground truth"


def test_a_pair_that_the_tool_would_not_find_is_measured_beside_its_empty_line() -> None:
    row = measure_pair(
        pair(Held(VALUES), Held(VALUES), listed=listed(measured=False, reason="no ground truth")), COLUMNS
    )

    assert set(line_of(row).cells.values()) == {"NaN"}
    assert line_of(row).reason == "no ground truth"
    assert row.values["cosine"] == 1


def test_a_file_of_ours_alone_has_no_columns() -> None:
    assert measure_pair(pair(Held(VALUES), Held(VALUES)), COLUMNS).printed is None


def test_only_the_columns_that_were_asked_for_are_there() -> None:
    row = measure_pair(pair(Held(VALUES), Held(VALUES), listed=listed()), Options(MsaccucmpPrinter((3, 0))))

    assert [column.name for column in COLUMN_ROWS if column.name in line_of(row).cells] == [
        *("CosineSimilarity", "RelativeEuclideanDistance")
    ]


def test_what_only_we_have_paired_leaves_the_reason_of_the_tool_alone() -> None:
    line = listed(reason="no ground truth", measured=False)

    rows = [
        measure_pair(pair(Held(np.ones(3)), Held(golden), listed=line), COLUMNS) for golden in (np.ones((2, 5)), None)
    ]

    assert [line_of(row).reason for row in rows] == ["no ground truth"] * 2
    assert all(row.note for row in rows)


@pytest.mark.parametrize(
    ("shape", "layout", "axis"),
    [((2, 3, 3, 3), "NCHW", 1), ((2, 3, 3, 3), "NHWC", 3), ((3, 3), "", 1), ((3, 3), "NCHW", 1), ((3,), "", 0)],
)
def test_scales_told_by_others_belong_to_the_channels(shape: tuple[int, ...], layout: str, axis: int) -> None:
    codes = np.arange(np.prod(shape), dtype=np.int8).reshape(shape)
    scales = np.array([1, 2, 4], np.float32)
    golden = codes * scales.reshape([-1 if at == axis else 1 for at in range(len(shape))])

    row = measure_pair(pair(Held(codes), Held(golden), layout=layout, qparams=QParams((1.0, 2.0, 4.0))))

    assert row.value("max_absolute_error") == 0
    assert row.done == (f"candidate dequantized with 3 scales along axis {axis}",)


def test_channels_that_nobody_names_are_not_guessed() -> None:
    codes = np.ones((3, 3, 3), np.int8)

    row = measure_pair(pair(Held(codes), Held(codes * 1.0), qparams=QParams((1.0, 2.0, 4.0))))

    assert row.note == "candidate left in codes: 3 scales do not go with its shape"
    assert row.values == {}
