"""Which files belong together, also of operators that the comparison leaves out."""

from pathlib import Path

from ascend_writer import desc, op
from errorflow.compare.match.by_fusion import mapping
from match_runs import NpuRun, NpyRun, operation, table


def test_every_tensor_has_a_line_with_both_files(tmp_path: Path) -> None:
    made = table(tmp_path, op("a", "Relu"), op("b", "Relu", ["a:0"]) | {"id": 1})
    run = NpuRun.of(operation("b", inputs=1))

    lines = list(mapping(made, run, NpyRun(["b.0"])))

    assert [(line.index, line.sequence, line.tensor, line.candidate_path, line.reference_path) for line in lines] == [
        (0, 0, "NaN", "NaN", "NaN"),
        (1, 1, "b:input:0", "mine/Type.b.1.2.0", "NaN"),
        (1, 1, "b:output:0", "mine/Type.b.1.2.0", "golden/b.0.1.npy"),
    ]


def test_a_broken_dump_is_named_all_the_same(tmp_path: Path) -> None:
    run = NpuRun.of(operation("a", problem="cut off"))

    (line,) = mapping(table(tmp_path, op("a", "Relu")), run, NpyRun(["a.0"]))

    assert (line.tensor, line.candidate_path) == ("NaN", "mine/Type.a.1.2.0")


def test_a_broken_reference_is_named_all_the_same(tmp_path: Path) -> None:
    reference = NpyRun(["a.0"], broken=frozenset({"a.0"}))

    (line,) = mapping(table(tmp_path, op("a", "Relu")), NpuRun.of(operation("a")), reference)

    assert line.reference_path == "golden/a.0.1.npy"


def test_codes_are_left_out(tmp_path: Path) -> None:
    made = table(
        tmp_path,
        op("x_quant_layer", "AscendQuant", outputs=[desc("DT_INT8")]),
        op("c", "Conv2D", ["x_quant_layer:0"]) | {"id": 1},
        op("y_dequant_layer", "AscendDequant", ["c:0"]) | {"id": 2},
    )
    run = NpuRun.of(*(operation(name, inputs=1) for name in ("x_quant_layer", "c", "y_dequant_layer")))

    tensors = [line.tensor for line in mapping(made, run, NpyRun([]))]

    assert tensors == ["x_quant_layer:input:0", "c:input:0", "c:output:0", "y_dequant_layer:output:0"]


def test_against_a_dump_without_fusion_the_file_counts_and_not_the_output(tmp_path: Path) -> None:
    made = table(tmp_path, op("a", "Relu", outputs=[desc(_datadump_origin_name="a", _datadump_origin_output_index=3)]))

    (line,) = mapping(made, NpuRun.of(operation("a")), NpuRun.of(operation("a")))

    assert line.reference_path == "mine/Type.a.1.2.0"
