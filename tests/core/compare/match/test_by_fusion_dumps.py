"""Lines of msaccucmp's table where dumps are chosen, older, or in pieces."""

from dataclasses import replace
from pathlib import Path

import pytest

from ascend_writer import op
from errorflow.compare.match.by_fusion import match_by_fusion
from errorflow.compare.match.model import Match
from errorflow.compare.match.selection import in_range, selected
from match_lines import golden, lines, listed, origin, pair
from match_runs import NpuRun, NpyRun, operation, seen, table


class TestOtherReferences:
    def test_a_dump_without_fusion_gives_its_own_layout(self, tmp_path: Path) -> None:
        reference = NpuRun.of(operation("a"))

        match = match_by_fusion(table(tmp_path, op("a", "Relu")), NpuRun.of(operation("a")), reference)

        found = pair(match, "a:output:0")
        assert (found.layout, found.shape, found.listed and found.listed.reference_path) == (
            "ND",
            (2, 3),
            "mine/Type.a.1.2.0",
        )

    def test_an_output_that_the_reference_lacks_has_no_reason(self, tmp_path: Path) -> None:
        made = table(tmp_path, op("a", "Relu", outputs=[origin("a", 1)]))

        match = match_by_fusion(made, NpuRun.of(operation("a")), NpuRun.of(operation("a")))

        assert listed(match)[0].reason == ""

    def test_a_quantized_model_is_compared_layer_by_layer(self, tmp_path: Path) -> None:
        made = table(tmp_path, op("s/a", "ReLU", outputs=0))

        match = match_by_fusion(made, NpyRun(["s_a.0", "left.0"], "npy-quantized"), NpyRun(["s_a.0"]))

        assert lines(match) == ["s/a:output:0"]
        assert match.only_candidate == ("left.0",)


class TestSelection:
    ops = tuple(op(name, "Relu") | {"id": number} for number, name in enumerate("abcdef"))

    def shown(self, tmp_path: Path, selection: object) -> list[tuple[int, str]]:
        run = NpuRun.of(*(operation(name) for name in "abcdef"))
        match = match_by_fusion(table(tmp_path, *self.ops), run, NpyRun([]), selection)  # type: ignore[arg-type] # a table of selections
        return [(line.sequence, line.candidates) for line in listed(match)]

    @pytest.mark.parametrize(
        ("selection", "names"),
        [
            (in_range("2,4,1"), "cde"),
            (in_range("1,-1,2"), "bdf"),
            (in_range("1,4,2"), "bde"),
            (in_range(",,"), "bcdef"),
            (selected("0,3"), "ad"),
            (selected("3, 99"), "d"),
        ],
    )
    def test_operators_are_counted_in_the_order_of_execution(
        self, tmp_path: Path, selection: object, names: str
    ) -> None:
        assert self.shown(tmp_path, selection) == [("abcdef".index(name), name) for name in names]


class TestOlderDumps:
    """msaccucmp reads all dumps of an operator; one that is broken costs it the newest, too."""

    def test_of_the_candidate(self, tmp_path: Path) -> None:
        dump = replace(operation("a"), older_is_broken=True)

        match = match_by_fusion(table(tmp_path, op("a", "Relu")), NpuRun.of(dump), NpyRun(["a.0"]))

        assert lines(match) == ["NaN"]
        assert golden(match, "a:output:0") == "a.0"

    def test_of_the_reference(self, tmp_path: Path) -> None:
        reference = NpuRun.of(replace(operation("a"), older_is_broken=True))

        match = match_by_fusion(table(tmp_path, op("a", "Relu")), NpuRun.of(operation("a")), reference)

        assert [(line.reason, line.measured) for line in listed(match)] == [("", False)]
        assert golden(match, "a:output:0") == "output:0"


class TestPieces:
    """Of an input that came in pieces, only the output that it was a piece of is known as a whole."""

    def match(self, tmp_path: Path) -> Match:
        made = table(tmp_path, op("a", "Relu"), op("b", "Relu", ["a:0"]))
        whole, piece = operation("a"), operation("b", inputs=1)
        piece = replace(piece, inputs=(seen("input:0", "b", shape=(1, 3), address=7),))
        run = NpuRun.of(replace(whole, in_pieces=True), replace(piece, in_pieces=True))
        return match_by_fusion(made, run, NpyRun(["a.0", "b.0"]))

    def test_the_whole_is_measured_in_its_place(self, tmp_path: Path) -> None:
        found = pair(self.match(tmp_path), "b:input:0")

        assert found.candidate is not None
        assert (found.candidate.info.name, found.candidate.info.shape, found.speaker) == ("output:0", (2, 3), "a")

    def test_the_line_keeps_what_the_tool_says_of_the_piece(self, tmp_path: Path) -> None:
        line = pair(self.match(tmp_path), "b:input:0").listed

        assert line is not None
        assert (line.address, line.types) == (7, ("NaN", "NaN"))
