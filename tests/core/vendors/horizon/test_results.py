"""Horizon's logs and reports."""

from pathlib import Path

import pytest

from errorflow.base.errors import FormatError
from errorflow.compare.results import ResultTable, read_results
from errorflow.vendors.horizon.results.build import CUT, ON_CPU
from result_samples import DATA

OLD = """2021-04-20 17:06:20,339 INFO The converted model node information:
==========================================================================
Node            ON   Subgraph  Type     Cosine Similarity  Threshold
--------------------------------------------------------------------------
conv1           BPU  id(0)     HzConv   0.999909           253.879395
conv1_reshape   CPU  --        Reshape
2021-04-20 17:06:20,340 INFO [Tue Apr 20 17:06:20 2021] End
"""
NEW = """2024-12-25 16:17:30,024 file: print_info_dict.py line No: 72 The main quantized node information:
==========================================================================
Node            ON   Subgraph  Type     Cosine Similarity  Threshold  DataType
--------------------------------------------------------------------------
/model.0/conv   BPU  id(0)     HzConv   0.999725           1.12451    int8
"""


def read(folder: Path, text: str) -> tuple[ResultTable, ...]:
    path = folder / "build.log"
    path.write_text(text, "utf-8")
    return read_results(path)


def test_the_builders_log_has_two_tables() -> None:
    nodes, outputs = read_results(DATA / "horizon-build.log")

    assert [row.name for row in nodes.rows] == ["HZ_PREPROCESS_x", "stem/conv", "...g/path/of/Relu", "head_reshape"]
    assert nodes.rows[1].values == {"horizon.node.cosine": 0.899962, "horizon.threshold": 1.0}
    assert nodes.rows[1].dtype == "int8/int8"
    assert outputs.rows[0].values == {
        "horizon.output.cosine": 0.968926,
        "horizon.output.l1": 1.5032,
        "horizon.output.l2": 0.060809,
        "horizon.output.chebyshev": 8.068202,
    }


@pytest.mark.parametrize(("text", "generation"), [(OLD, "oldest log"), (NEW, "newer log (DataType)")])
def test_the_header_tells_the_generation(text: str, generation: str, tmp_path: Path) -> None:
    (table,) = read(tmp_path, text)

    assert table.generation == generation
    assert len(table.rows[0].values) == 2


def test_what_runs_on_the_cpu_was_not_measured(tmp_path: Path) -> None:
    (table,) = read(tmp_path, OLD)

    assert (table.rows[1].values, table.rows[1].notes) == ({}, (ON_CPU,))


def test_a_similarity_above_one_is_kept() -> None:
    nodes, _ = read_results(DATA / "horizon-build.log")

    assert nodes.rows[2].values == {"horizon.node.cosine": 1.00007}
    assert nodes.rows[2].notes == (CUT,)


def test_the_same_log_twice_is_every_table_of_it(tmp_path: Path) -> None:
    assert len(read(tmp_path, OLD + NEW)) == 2


def test_empty_entries_between_the_lines_are_passed_over(tmp_path: Path) -> None:
    text = OLD.replace("conv1_reshape", "2021-04-20 17:06:20,339 INFO\nconv1_reshape")
    (table,) = read(tmp_path, text)

    assert [row.name for row in table.rows] == ["conv1", "conv1_reshape"]


def test_a_table_may_stand_behind_the_prefix_of_each_line(tmp_path: Path) -> None:
    head, *rest = OLD.splitlines()
    text = "\n".join([head, *(f"2021-04-20 17:06:20,339 INFO {line}" for line in rest[:-1]), rest[-1]])
    (table,) = read(tmp_path, text)

    assert [row.name for row in table.rows] == ["conv1", "conv1_reshape"]
    assert table.rows[0].values["horizon.node.cosine"] == 0.999909


def test_an_announcement_alone_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="announces a table and holds none"):
        read(tmp_path, "The quantify model output:\nNode\nCosine Similarity was not computed.\n")


def test_sensitivities_are_impacts() -> None:
    nodes, activations = read_results(DATA / "horizon-sensitivity.log")

    assert nodes.measures == ("impact",)
    assert (nodes.subject, activations.subject) == ("node", "tensor")
    assert nodes.rows[0].values["horizon.sensitivity.cosine-similarity"] == 0.999009567957658


def test_half_decibels_become_whole_ones() -> None:
    nodes, _ = read_results(DATA / "horizon-sensitivity.log")
    sqnr = nodes.columns[1]

    assert nodes.rows[0].values[sqnr.key] == 13.5
    assert (sqnr.definition.equals, sqnr.definition.ours(13.5)) == ("sqnr", 27.0)


def test_a_calibration_node_knows_its_tensor_and_its_readers() -> None:
    _, activations = read_results(DATA / "horizon-sensitivity.log")
    row = activations.rows[0]

    assert (row.name, row.names, row.dtype) == ("x_1_HzCalibration", ("x_1", "Conv_3", "Add_4"), "int8")
    assert row.values["horizon.threshold"] == 3.25


def test_a_group_says_that_it_is_one() -> None:
    nodes, _ = read_results(DATA / "horizon-sensitivity.log")

    assert nodes.rows[1].notes == ("A group of nodes, quantized together.",)


def test_a_header_over_two_lines_is_one() -> None:
    (table,) = read_results(DATA / "horizon-qat.txt")

    assert [column.name for column in table.columns] == [
        *("Similarity", "Acc Error (float atol)", "Acc Error (N out_qscale)"),
        "Op Error with Same Input (N out_qscale)",
    ]
    assert table.measures == ("accumulated", "node")
    assert table.rows[1].values["horizon.qat.op-steps"] == 7.0


def test_marks_at_a_modules_name_are_read() -> None:
    (table,) = read_results(DATA / "horizon-qat.txt")

    assert [row.names for row in table.rows] == [("quant",), ("cat",), ("drop",)]
    assert table.rows[1].notes == ("It is used several times; this is use 1 after the first.",)
    assert table.rows[2].notes == ("It does nothing in one of the two models.",)
    assert table.rows[0].op_type == "QuantStub"


def test_statistics_are_facts_and_no_measures(tmp_path: Path) -> None:
    text = """
+----------------+---------------+--------------------+-------------------+------+-----+------+-----+-------+---------+
| Module Index   | Module Name   | Module Type        | Input/Output/Attr | Min  | Max | Mean | Var | Scale | Dtype   |
|----------------+---------------+--------------------+-------------------+------+-----+------+-----+-------+---------|
| 2              | mul_op[mul]   | <class 'a.b.QMul'> | input-0           | -2.5 | 2.5 | 0.0  | 1.0 | 0.5   | qint8   |
| 2              | mul_op[mul]   | <class 'a.b.QMul'> | output            | -1.5 | 1.5 | 0.0  | 1.0 |       | float32 |
+----------------+---------------+--------------------+-------------------+------+-----+------+-----+-------+---------+
"""
    (table,) = read(tmp_path, text)

    assert (table.judging, table.measures) == ((), ())
    assert [row.name for row in table.rows] == ["mul_op[mul] input-0", "mul_op[mul] output"]
    assert table.rows[0].names == ("mul_op",)
    assert table.rows[0].values["horizon.scale"] == 0.5
    assert "horizon.scale" not in table.rows[1].values


def test_a_header_with_a_title_twice_is_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="announces a table and holds none"):
        read(tmp_path, OLD.replace("Subgraph", "Node    "))
