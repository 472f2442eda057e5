"""Lines of msaccucmp's table by what the compiler recorded, and what is paired beside them."""

from pathlib import Path
from typing import Any

import pytest

from ascend_writer import desc, op
from errorflow.compare.match import codes
from errorflow.compare.match.by_fusion import match_by_fusion
from errorflow.compare.match.model import Match
from errorflow.compare.match.reasons import BETWEEN
from errorflow.compare.match.rules import RULE_OF
from match_lines import golden, lines, listed, origin, pair
from match_runs import NpuRun, NpyRun, operation, table


def test_an_output_is_compared_with_its_recorded_origin(tmp_path: Path) -> None:
    made = table(tmp_path, op("f", "Conv2D", outputs=[origin("relu")], _datadump_original_op_names=("conv", "relu")))

    match = match_by_fusion(made, NpuRun.of(operation("f")), NpyRun(["conv.0", "relu.0"]))

    assert golden(match, "f:output:0") == "relu.0"
    assert pair(match, "f:output:0").rule == "origin"
    assert (listed(match)[0].candidates, listed(match)[0].references) == ("f", "conv,relu")
    assert (match.only_reference, match.exit_code) == (("conv.0",), codes.OK)


def test_an_input_is_compared_with_the_origin_of_its_producer(tmp_path: Path) -> None:
    made = table(tmp_path, op("a", "Split", outputs=2), op("b", "Relu", ["a:1"]))

    match = match_by_fusion(made, NpuRun.of(operation("b", inputs=1)), NpyRun(["a.1", "b.0"]))

    assert golden(match, "b:input:0") == "a.1"
    assert pair(match, "b:input:0").rule == "own-name"


@pytest.mark.parametrize("kind", ["Cast", "TransData"])
def test_an_inserted_operator_is_passed_on_both_sides(tmp_path: Path, kind: str) -> None:
    made = table(
        tmp_path, op("a", "Relu"), op("t", kind, ["a:0"], _datadump_original_op_names=()), op("b", "Relu", ["t:0"])
    )
    run = NpuRun.of(operation("t", inputs=1), operation("b", inputs=1))

    match = match_by_fusion(made, run, NpyRun(["a.0"]))

    for tensor in ("t:input:0", "t:output:0", "b:input:0"):
        assert golden(match, tensor) == "a.0"
    assert pair(match, "t:output:0").rule == "through-inserted"
    assert listed(match)[1].references == "*"


def test_casts_that_wait_for_each_other_end(tmp_path: Path) -> None:
    made = table(tmp_path, op("a", "Cast", ["b:0"]), op("b", "Cast", ["a:0"]))

    match = match_by_fusion(made, NpuRun.of(operation("a")), NpyRun(["x.0"]))

    assert pair(match, "a:output:0").reference is None


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        (["gone:0"], 'There is no "gone" in the fusion rule file.'),
        (["x"], "The input information (x) is invalid. It only supports op_name:index."),
        (["x:y"], "The input information (x:y) is invalid. The input index only supports numbers."),
        ([" :0"], "The input information ( :0) is invalid. The input operator name is empty."),
        ([], ""),
    ],
)
def test_an_input_that_leads_nowhere_says_why(tmp_path: Path, inputs: list[str], reason: str) -> None:
    made = table(tmp_path, op("a", "Relu", inputs))

    match = match_by_fusion(made, NpuRun.of(operation("a", inputs=1)), NpyRun(["a.0"]))

    assert (listed(match)[0].reason, listed(match)[0].measured) == (reason, False)


def test_a_reference_that_is_not_there_is_said(tmp_path: Path) -> None:
    match = match_by_fusion(table(tmp_path, op("a", "Relu")), NpuRun.of(operation("a")), NpyRun(["b.0"]))

    assert listed(match)[0].reason == "[a] There is no the ground truth dump file for a:output:0."
    assert match.only_reference == ("b.0",)


def test_a_reference_that_is_broken_is_noted_and_no_reason_for_the_tool(tmp_path: Path) -> None:
    run = NpyRun(["a.0"], broken=frozenset({"a.0"}))

    match = match_by_fusion(table(tmp_path, op("a", "Relu")), NpuRun.of(operation("a")), run)

    assert (pair(match, "a:output:0").note, listed(match)[0].reason) == ("a.0 is broken.", "")


def test_an_operator_without_dump_has_a_line(tmp_path: Path) -> None:
    made = table(tmp_path, op("a", "Data"), op("b", "Relu"))

    match = match_by_fusion(made, NpuRun.of(operation("b")), NpyRun(["b.0"]))

    assert lines(match) == ["NaN", "b:output:0"]
    assert listed(match)[0].reason == '[a] There is no dump file for my output operator "a". The type is Data.'
    assert match.exit_code == codes.NO_DUMP


@pytest.mark.parametrize(
    ("dump", "code"),
    [(operation("a", problem="broken"), codes.BROKEN_DUMP), (operation("a", dtype="int4"), codes.UNKNOWN_TYPE)],
)
def test_a_dump_that_the_tool_cannot_read_has_a_line(tmp_path: Path, dump: object, code: int) -> None:
    made = table(tmp_path, op("a", "Relu"), op("b", "Relu"))
    run = NpuRun.of(*(found for found in (dump, operation("b")) if found is not None))  # type: ignore[arg-type] # a table of operations

    match = match_by_fusion(made, run, NpyRun(["a.0", "b.0"]))

    assert lines(match) == ["NaN", "b:output:0"]
    assert match.exit_code == code


def test_a_type_that_only_we_can_read_is_paired_all_the_same(tmp_path: Path) -> None:
    match = match_by_fusion(table(tmp_path, op("a", "Relu")), NpuRun.of(operation("a", dtype="int4")), NpyRun(["a.0"]))

    assert golden(match, "a:output:0") == "a.0"
    assert pair(match, "a:output:0").listed is None


def test_dumps_of_operators_that_the_model_lacks_are_left_over(tmp_path: Path) -> None:
    match = match_by_fusion(table(tmp_path, op("a", "Relu")), NpuRun.of(operation("z")), NpyRun(["a.0"]))

    assert match.only_candidate == ("z",)
    assert match.exit_code == codes.NO_DUMP


class TestGroups:
    def test_each_line_names_the_whole_group(self, tmp_path: Path) -> None:
        made = table(
            tmp_path,
            *(op(f"s_{at}", "Slice", outputs=[origin("s", at)], _datadump_original_op_names=("s",)) for at in (0, 1)),
        )

        match = match_by_fusion(made, NpuRun.of(operation("s_0"), operation("s_1")), NpyRun(["s.0", "s.1"]))

        assert [(line.index, line.candidates, line.references) for line in listed(match)] == [(0, "s_0,s_1", "s")] * 2
        assert [golden(match, line) for line in lines(match)] == ["s.0", "s.1"]

    def test_an_inner_operator_has_no_line_and_no_guess(self, tmp_path: Path) -> None:
        both = ("x", "y")
        made = table(
            tmp_path,
            op("m_1", "Mul", _datadump_original_op_names=both, _datadump_is_multiop=True),
            op("m_2", "Add", ["m_1:0"], [origin("y")], _datadump_original_op_names=both, _datadump_is_multiop=True),
        )

        match = match_by_fusion(made, NpuRun.of(operation("m_1"), operation("m_2", inputs=1)), NpyRun(["y.0"]))

        assert lines(match) == ["m_2:input:0", "m_2:output:0"]
        assert golden(match, "m_1:output:0") == golden(match, "m_2:input:0") == ""

    def test_one_line_stands_for_a_group_without_any_dump(self, tmp_path: Path) -> None:
        made = table(tmp_path, *(op(name, "Slice", _datadump_original_op_names=("s",)) for name in ("s_0", "s_1")))

        match = match_by_fusion(made, NpuRun.of(), NpyRun(["s.0"]))

        reasons = [
            f'[{name}] There is no dump file for my output operator "{name}". The type is Slice.'
            for name in ("s_0", "s_1")
        ]
        assert [line.reason for line in listed(match)] == [",".join(reasons)]

    def test_of_an_l1_fusion_the_first_and_the_last_that_ran_are_shown(self, tmp_path: Path) -> None:
        made = table(
            tmp_path,
            *(
                op(name, "Conv2D", _L1_fusion_sub_graph_no="1", _datadump_original_op_names=(f"{name}x",))
                for name in ("a", "b", "c")
            ),
        )
        run = NpuRun.of(operation("a", time=3), operation("b", time=2), operation("c", time=1))

        match = match_by_fusion(made, run, NpyRun(["ax.0"]))

        assert lines(match) == ["c:output:0", "a:output:0"]
        assert pair(match, "b:output:0").listed is None

    def test_of_an_l1_fusion_with_one_name_the_last_that_ran_is_shown(self, tmp_path: Path) -> None:
        names: dict[str, Any] = {"_L1_fusion_sub_graph_no": "1", "_datadump_original_op_names": ("x",)}
        made = table(tmp_path, *(op(name, "Conv2D", **names) for name in ("a", "b")))
        run = NpuRun.of(operation("a", time=1), operation("b", time=2))

        assert lines(match_by_fusion(made, run, NpyRun(["x.0"]))) == ["b:output:0"]

    def test_an_l1_fusion_without_dumps_says_so(self, tmp_path: Path) -> None:
        made = table(tmp_path, *(op(name, "Conv2D", _L1_fusion_sub_graph_no="1") for name in ("a", "b")))

        match = match_by_fusion(made, NpuRun.of(), NpyRun([]))

        assert [line.reason for line in listed(match)] == ["The fusion operator list is empty"]


class TestQuantized:
    def match(self, tmp_path: Path) -> Match:
        made = table(
            tmp_path,
            op("x", "Data", [""]),
            op("c_quant_layer", "AscendQuant", ["x:0"], [desc("DT_INT8")]) | {"id": 1},
            op("c", "Conv2D", ["c_quant_layer:0"], [desc("DT_INT32")]) | {"id": 2},
            op("c_dequant_layer", "AscendDequant", ["c:0"], [desc("DT_FLOAT16")]) | {"id": 3},
        )
        names = ("c_quant_layer", "c", "c_dequant_layer")
        run = NpuRun.of(*(operation(name, inputs=1) for name in names), kind="npu-quantized")
        return match_by_fusion(made, run, NpyRun(["x.0", *(f"{name}.0" for name in names)]))

    def test_only_real_values_have_lines(self, tmp_path: Path) -> None:
        assert lines(self.match(tmp_path)) == ["NaN", "c_quant_layer:input:0", "c_dequant_layer:output:0"]

    @pytest.mark.parametrize("tensor", ["c_quant_layer:output:0", "c:output:0", "c_dequant_layer:input:0"])
    def test_codes_are_paired_and_noted(self, tmp_path: Path, tensor: str) -> None:
        assert pair(self.match(tmp_path), tensor).note == BETWEEN


class TestGuesses:
    def test_an_inserted_operator_may_know_its_own_origin(self, tmp_path: Path) -> None:
        made = table(
            tmp_path,
            op("a", "Gather", ["x:0"], [desc()], _datadump_original_op_names=("p", "q"), _datadump_is_multiop=True),
            op("t", "Cast", ["a:0"], [origin("q")], _datadump_original_op_names=()),
        )

        match = match_by_fusion(made, NpuRun.of(operation("t")), NpyRun(["q.0"]))

        found = pair(match, "t:output:0")
        assert (golden(match, "t:output:0"), found.rule, RULE_OF[found.rule].certain) == (
            "q.0",
            "inserted-origin",
            False,
        )
        assert found.listed is not None
        assert (found.listed.measured, found.note) == (False, "")

    def test_the_last_original_operator_stands_for_a_fusion_without_record(self, tmp_path: Path) -> None:
        made = table(tmp_path, op("f", "Conv2D", _datadump_original_op_names=("conv", "relu")))

        match = match_by_fusion(made, NpuRun.of(operation("f")), NpyRun(["conv.0", "relu.0"]))

        assert (golden(match, "f:output:0"), pair(match, "f:output:0").rule) == ("relu.0", "last-original")

    def test_a_constant_does_not_stand_for_what_it_was_folded_out_of(self, tmp_path: Path) -> None:
        made = table(
            tmp_path,
            op("w", "Const", _datadump_original_op_names=("g",)),
            op("g_1", "Gather", ["w:0"], _datadump_original_op_names=("g",)),
        )

        match = match_by_fusion(made, NpuRun.of(operation("g_1", inputs=1)), NpyRun(["g.0"]))

        assert golden(match, "g_1:input:0") == ""
        assert golden(match, "g_1:output:0") == "g.0"

    def test_names_may_hold_colons(self, tmp_path: Path) -> None:
        made = table(tmp_path, op("onnx::A_1", "Relu"), op("b", "Relu", ["onnx::A_1:0"]))

        match = match_by_fusion(made, NpuRun.of(operation("b", inputs=1)), NpyRun(["onnx__A_1.0"]))

        found = pair(match, "b:input:0")
        assert (golden(match, "b:input:0"), found.rule) == ("onnx__A_1.0", "written-name")
        assert found.listed is not None
        assert found.listed.reason == "The input information (onnx::A_1:0) is invalid. It only supports op_name:index."

    def test_a_dump_may_be_written_under_a_plainer_name(self, tmp_path: Path) -> None:
        made = table(tmp_path, op("a b:c", "Relu"))

        match = match_by_fusion(made, NpuRun.of(operation("a_b_c")), NpyRun(["a_b_c.0"]))

        assert lines(match) == ["NaN"]
        assert (golden(match, "a b:c:output:0"), pair(match, "a b:c:output:0").rule) == ("a_b_c.0", "written-name")
        assert match.only_candidate == ()

    def test_two_names_that_become_the_same_are_no_guess(self, tmp_path: Path) -> None:
        made = table(tmp_path, op("a:b", "Relu"))

        match = match_by_fusion(made, NpuRun.of(operation("a_b")), NpyRun(["a+b.0", "a=b.0"]))

        assert golden(match, "a:b:output:0") == ""
