"""Two dumps of NPUs without a model, as msaccucmp pairs them and what it refuses."""

from dataclasses import replace

import pytest

from errorflow.compare.match import codes
from errorflow.compare.match.by_npu import match_npu_runs
from errorflow.compare.match.model import BOTH_NPU, Listed, Match
from errorflow.compare.match.sides import Operation
from match_runs import NpuRun, operation, seen


def listed(match: Match) -> list[Listed]:
    return [pair.listed for pair in match.pairs if pair.listed is not None]


def paired(candidate: Operation, reference: Operation) -> Match:
    return match_npu_runs(NpuRun.of(candidate), NpuRun.of(reference))


def test_operators_come_by_time_and_then_those_of_the_reference(tmp_path: object) -> None:
    candidate = NpuRun.of(operation("b", time=2), operation("a", time=1))
    reference = NpuRun.of(operation("a", time=9), operation("z", time=5), operation("b", time=8))

    match = match_npu_runs(candidate, reference)

    assert [(line.index, line.candidates, line.references) for line in listed(match)] == [
        (0, "a", "a"),
        (1, "b", "b"),
        (2, "*", "z"),
    ]
    assert (match.only_reference, match.only_candidate, match.exit_code) == (("z",), (), codes.NO_DUMP)


def test_both_are_brought_to_their_original_shape() -> None:
    (pair,) = paired(operation("a"), operation("a")).pairs

    assert (pair.way, pair.rule, pair.op_type) == (BOTH_NPU, "operator-name", "Type")


def test_inputs_and_outputs_are_compared() -> None:
    match = paired(operation("a", inputs=1), operation("a", inputs=1))

    assert [line.tensor for line in listed(match)] == ["a:input:0", "a:output:0"]
    assert match.exit_code == codes.OK


def shaped(name: str, *shapes: tuple[int, ...]) -> Operation:
    outputs = tuple(seen(f"output:{at}", "x", shape=shape) for at, shape in enumerate(shapes))
    return replace(operation(name), outputs=outputs)


@pytest.mark.parametrize(
    ("candidate", "reference", "reason"),
    [
        (
            operation("a", outputs=2),
            operation("a"),
            "[a] There is no input. Skip the a:input.,[a] The number of output does not match (2 vs 1).",
        ),
        (
            shaped("a", (2, 3)),
            shaped("a", (3, 2)),
            "[a] There is no input. Skip the a:input.,[a] The shape does not match ((2, 3) vs (3, 2)) for a:output:0.",
        ),
        (
            operation("a", outputs=0, inputs=1),
            operation("a", outputs=0, inputs=2),
            "[a] The number of input does not match (1 vs 2).,[a] There is no output. Skip the a:output.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(candidate: Operation, reference: Operation, reason: str) -> None:
    match = paired(candidate, reference)

    assert [(line.tensor, line.op_type, line.reason) for line in listed(match)] == [("NaN", "NaN", reason)]
    assert match.exit_code == codes.BROKEN_DUMP


def test_what_the_tool_refuses_is_paired_all_the_same() -> None:
    match = paired(operation("a", outputs=2), operation("a"))

    assert [(pair.tensor, pair.note) for pair in match.pairs[1:]] == [
        ("a:output:0", ""),
        ("a:output:1", "only in the candidate"),
    ]


def test_one_side_that_fits_is_enough() -> None:
    match = paired(operation("a", inputs=2), operation("a", inputs=1))

    assert [line.tensor for line in listed(match)] == ["a:output:0"]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (operation("a", problem="cut off"), ""),
        (operation("a", dtype="int4"), "The output data type (28) does not support."),
    ],
)
def test_a_dump_that_cannot_be_read_has_a_line(broken: Operation, reason: str) -> None:
    match = paired(broken, operation("a"))

    assert [(line.tensor, line.reason) for line in listed(match)] == [("NaN", reason)]


def test_slices_that_lack_are_said_where_nothing_can_be_compared() -> None:
    match = paired(replace(operation("a", outputs=0), incomplete=True), operation("a", outputs=0))

    assert listed(match)[0].reason.startswith("This is a FFTS+ mode dump data, The number of files does not match")


def test_the_full_name_is_shown_where_the_dump_says_it() -> None:
    (pair,) = paired(replace(operation("a"), full_name="scope/a"), operation("a")).pairs

    assert pair.tensor == "scope/a:output:0"
    assert pair.listed is not None
    assert pair.listed.candidates == pair.listed.references == "scope/a"


def test_the_type_is_known_also_of_what_cannot_be_compared() -> None:
    shapes = paired(shaped("a", (2, 3)), shaped("a", (3, 2)))
    alone = match_npu_runs(NpuRun.of(operation("a")), NpuRun.of(operation("b")))

    assert {pair.op_type for pair in (*shapes.pairs, *alone.pairs)} == {"Type"}
    assert {line.op_type for line in listed(alone)} == {"NaN"}
