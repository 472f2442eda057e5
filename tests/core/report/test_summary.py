"""The summary as a file and as lines."""

import json
import math

from errorflow.compare.limits import parse_limit
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.compare.summary import summarize
from errorflow.graph.dump import TensorInfo
from errorflow.report.summary import samples_lines, summary_data, summary_lines

ROWS = (
    Row("conv:output:0", None, None, {"cosine": 0.5, "relative_l2": math.inf}, rule="origin", op_type="Conv2D"),
    Row("fc:output:0", None, None, {"cosine": 0.999, "relative_l2": 0.01}, rule="own-name"),
    Row("relu:output:0", None, None, note="no dump"),
)
LIMITS = [parse_limit(text) for text in ("cosine=0.99", "relative_l2=inf", "max_steps=1")]
SUMMARY = summarize(Comparison(ROWS), outputs=["fc:output:0"], limits=LIMITS)


def test_the_file_can_be_read_by_any_program() -> None:
    data = json.loads(json.dumps(summary_data(SUMMARY), allow_nan=False))

    assert data["verdict"]["key"] == "good-output"
    assert data["tensors"] == {
        "measured": 2,
        "not measured": 1,
        "notes": {"no dump": 1},
        "matched by": {"recorded origin": 1, "same operator": 1},
        "states": {},
    }
    assert data["beyond the limits"] == {"tensors": 1, "first": "conv:output:0"}
    assert data["worst"][0]["values"]["relative_l2"] == "inf"
    assert [limit["kept"] for limit in data["limits"]] == [False, True, False]


def test_the_lines_say_how_bad_it_is_and_where() -> None:
    assert list(summary_lines(SUMMARY)) == [
        "The output is within the limits (cosine similarity ≥ 0.99 and relative error ≤ 0.05), "
        "and 1 of 2 tensors inside is not.",
        "Beyond the limits: 1 tensor, first conv:output:0",
        "Worst by relative error:",
        "  Cosine similarity  Relative error  SQNR",
        "           0.500000               ∞        conv:output:0",
        "2 tensors measured, 1 not:",
        "  1 × no dump",
        "Limit cosine ≥ 0.99 is broken by 1 tensor, at worst 0.500000 in conv:output:0",
        "Limit relative_l2 ≤ inf is kept, at worst ∞ in conv:output:0",
        "Limit max_steps ≤ 1 is not kept: no tensor has this metric",
    ]


def info(name: str) -> TensorInfo:
    return TensorInfo(name, "float32", (1,), 4)


def test_the_worst_name_both_sides_and_no_pair_twice() -> None:
    bad = {"cosine": 0.5, "relative_l2": 0.9}
    rows = (
        Row("a:output:0", info("a.0"), info("a:output:0"), bad),
        Row(
            "cast:input:0", info("a.0"), info("cast:input:0"), bad
        ),  # the same tensor of the reference, the same numbers
        Row("cast:output:0", info("a.0"), info("cast:output:0"), bad | {"cosine": 0.4}),
        Row("b", info("b"), info("b"), bad),
    )
    lines = list(summary_lines(summarize(Comparison(rows))))
    worst = lines.index("Worst by relative error:")
    assert [line.split(maxsplit=2)[2] for line in lines[worst + 2 : worst + 5]] == [
        "a:output:0, against a.0",
        "cast:output:0, against a.0",
        "b",
    ]
    data = json.loads(json.dumps(summary_data(summarize(Comparison(rows))), allow_nan=False))
    assert [row["tensor"] for row in data["worst"]] == [row.tensor for row in rows]
    assert {row["reference tensor"] for row in data["worst"]} == {"a.0", "b"}


def test_the_lines_say_where_the_candidate_stops_to_be_finite() -> None:
    rows = (Row("a", None, None, {"cosine": math.nan}, reference_side=Side(), candidate_side=Side(nan=2)),)

    assert "NaN or infinite in the candidate only: 1 tensor, first a" in summary_lines(summarize(Comparison(rows)))


def test_many_reasons_are_cut_short() -> None:
    rows = tuple(Row(name, None, None, note=f"reason {name}") for name in "abcdefgh")

    assert "  and 3 other reasons: see tensors.csv" in summary_lines(summarize(Comparison(rows)))


def test_of_many_inputs_the_worst_are_shown_and_all_are_counted() -> None:
    limits = [parse_limit("cosine=0.5")]
    samples = {
        str(number): summarize(
            Comparison((Row("a", None, None, {"cosine": 1 - number / 10, "relative_l2": number / 10}),)), limits=limits
        )
        for number in range(10)
    }

    lines = list(samples_lines(samples))

    assert lines[0] == "9 of 10 inputs have tensors beyond the limits."
    assert [line.split()[2:] for line in lines[3:8]] == [[f"{number}:", "a"] for number in (9, 8, 7, 6, 5)]
    assert lines[8:] == ["Limit cosine ≥ 0.5 is not kept by 4 inputs, first 6"]


def test_of_many_inputs_those_are_named_that_say_nothing_or_nonsense() -> None:
    nan = Row("a", None, None, {"cosine": math.nan}, reference_side=Side(), candidate_side=Side(nan=2))
    samples = {"0": summarize(Comparison(())), "1": summarize(Comparison((nan,)))}

    lines = list(samples_lines(samples))

    assert "NaN or infinite in the candidate only: 1 input, first 1" in lines
    assert "Nothing could be measured: 1 input, first 0" in lines
