"""Files that the tools themselves wrote."""

import csv
import math
from pathlib import Path

import pytest

from errorflow.base.files import Source
from errorflow.compare.results import RESULTS, ResultTable, importer_of, read_results
from errorflow.compare.results.place import place
from errorflow.formats import FORMATS, read_model
from errorflow.report.advice import advise
from errorflow.vendors.axera.results.tables import CUT
from errorflow.vendors.rockchip.results.analysis import FUSED

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")

# What each file is, and the rows and rows with numbers of each of its tables.
FILES: dict[str, tuple[str, list[tuple[int, int]]]] = {
    "vendors/amct/SYNTHETIC_accuracy_based_auto_calibration_ranking_information.json": ("amct-ranking", [(5, 5)]),
    "vendors/amct/SYNTHETIC_accuracy_based_auto_calibration_record.json": ("amct-history", [(4, 4)]),
    "vendors/axera/console_PerLayer_Reference_mobilenetv2.txt": ("pulsar2", [(65, 65)]),
    "vendors/axera/console_layer_config_table.txt": ("pulsar2", [(2, 0)]),
    "vendors/axera/console_outlier_table.txt": ("pulsar2", [(17, 17)]),
    "vendors/horizon/get_sensitivity_node_verbose.txt": ("horizon-sensitivity", [(11, 11)]),
    "vendors/horizon/makertbin_log_heads_newer.txt": ("horizon-build", [(3, 3), (3, 3)]),
    "vendors/horizon/makertbin_log_lenet_v1.1.58.txt": ("horizon-build", [(8, 7), (1, 1)]),
    "vendors/horizon/qat_ordered_op_error_similarity.txt": ("horizon-qat", [(19, 19)]),
    "vendors/horizon/qat_similarity.txt": ("horizon-qat", [(19, 19)]),
    "vendors/horizon/qat_statistic.txt": ("horizon-qat", [(43, 43), (24, 24)]),
    "vendors/ppq/graphwise_console.excerpt.txt": ("ppq", [(5, 5)]),
    "vendors/rknn/own_v2.5.0_hybrid_step1_proposal.quantization.cfg": ("rknn-proposal", [(5, 5)]),
    "vendors/rknn/own_v2.5.0_sim_resblock.error_analysis.txt": ("rknn-error-analysis", [(20, 14)]),
    "vendors/rknn/own_v2.5.0_sim_scale_sweep.error_analysis.txt": ("rknn-error-analysis", [(162, 162)]),
    "vendors/rknn/own_v2.5.0_sim_scale_sweep.terminal_ansi.txt": ("rknn-error-analysis", [(162, 162)]),
    "vendors/rknn/public_toolkit1_legacy.excerpt.txt": ("rknn-toolkit1", [(4, 4)]),
    "vendors/rknn/public_toolkit2_2.x_cos_euc_board.excerpt.txt": ("rknn-error-analysis", [(7, 7)]),
    "vendors/rknn/public_toolkit2_old_cos_only_board_runtime_fault.excerpt.txt": ("rknn-error-analysis", [(25, 25)]),
    "vendors/samsung_visq/model.mse.visq.json": ("visq", [(30, 30)]),
    "vendors/tpumlir/Search_Qtable.log.txt": ("tpu-mlir-search", [(1, 1)]),
    "vendors/tpumlir/npz_compare_console.excerpt.txt": ("tpu-mlir-console", [(2, 1)]),
    "vendors/tpumlir/qtable.txt": ("tpu-mlir-qtable", [(5, 0)]),
    "vendors/tpumlir/search_qtable_console.txt": ("tpu-mlir-search", [(8, 8)]),
}
# The tool printed them for inputs whose distance is known not to be squared.
TABLES = sorted(path.relative_to(DATA).as_posix() for path in (DATA / "ascend" / "expected").glob("s*/result.csv"))
ADVICE = sorted(path.stem for path in (DATA / "ascend" / "adv").glob("*.csv"))


def read(name: str) -> tuple[ResultTable, ...]:
    return read_results(DATA / name)


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_of_one_kind_and_is_read_whole(name: str) -> None:
    key, counts = FILES[name]
    with Source(DATA / name) as source:
        assert [row.key for row in RESULTS if row.claims(source)] == [key]
        assert not any(row.claims(source) for row in FORMATS)

    assert [(len(table.rows), sum(1 for row in table.rows if row.values)) for table in read(name)] == counts


@pytest.mark.parametrize("name", TABLES)
def test_every_cell_of_msaccucmp_is_there(name: str) -> None:
    (table,) = read(name)
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)

    assert len(table.rows) == len(lines)
    for row, line in zip(table.rows, lines, strict=True):
        for column in table.columns:
            text = line[header.index(column.name)]
            if text == "NaN":
                assert column.key in row.states
                assert column.key not in row.values
            else:
                value = row.values[column.key]
                assert math.isnan(value) if text == "nan" else value == float(text)
    assert table.problems == ()
    assert "2023 to June" not in table.generation


@pytest.mark.parametrize("name", ADVICE)
def test_advice_is_that_of_msaccucmp(name: str) -> None:
    expected = DATA / "ascend" / "expected" / f"adv_{name}" / "advisor_summary.txt"

    assert advise(DATA / "ascend" / "adv" / f"{name}.csv", ["data"]).summary == expected.read_text("utf-8")


@pytest.mark.parametrize("run", ["s1_adv_new", "s1_adv_old"])
def test_advice_on_a_whole_run_is_that_of_msaccucmp(run: str) -> None:
    folder = DATA / "ascend" / "expected" / run

    assert advise(folder / "result.csv", ["data"]).summary == (folder / "advisor_summary.txt").read_text("utf-8")


def test_colours_of_the_terminal_change_nothing() -> None:
    plain = read("vendors/rknn/own_v2.5.0_sim_scale_sweep.error_analysis.txt")
    colored = read("vendors/rknn/own_v2.5.0_sim_scale_sweep.terminal_ansi.txt")

    assert plain == colored


def test_a_fault_of_the_board_is_the_worst_row() -> None:
    """The subtraction is right in the simulator and wrong on the board."""
    (table,) = read("vendors/rknn/public_toolkit2_old_cos_only_board_runtime_fault.excerpt.txt")
    quantized, _, _, board = table.columns

    assert [row.name for row in table.worst(board, 1)] == ["/detect/Sub_output_0"]
    assert table.worst(board, 1)[0].values[quantized.key] == 0.99999


def test_the_rows_of_a_snapshot_are_found_in_their_model() -> None:
    """All but the output of a convolution that the toolkit made of a pooling."""
    (table,) = read("vendors/rknn/own_v2.5.0_sim_resblock.error_analysis.txt")
    placement = place(table, read_model(DATA / "vendors" / "rknn" / "own_model" / "m.onnx").graph)

    assert [table.rows[row].name for row in placement.lost] == ["gap_2conv0"]
    assert sum(FUSED in row.notes for row in table.rows) == 6


def test_names_that_a_console_cut_are_marked() -> None:
    (table,) = read("vendors/axera/console_outlier_table.txt")

    assert all(CUT in row.notes for row in table.rows if "…" in row.name)
    assert any("…" in row.name for row in table.rows)


@pytest.mark.parametrize(
    "name", ["vendors/axera/quant_axmodel_excerpt.json.txt", "ascend/s8_real_atc.json", "ascend/s2_quant.json"]
)
def test_models_and_settings_are_no_results(name: str) -> None:
    with Source(DATA / name) as source:
        assert importer_of(source) is None
