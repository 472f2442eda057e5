"""The few lines that a comparison comes down to."""

import math

import pytest

from errorflow.compare.comparer import Printed
from errorflow.compare.match.model import Listed
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.compare.summary import THRESHOLDS, summarize


def row(tensor: str, cosine: float = 1.0, error: float = 0.0, **others: object) -> Row:
    return Row(tensor, None, None, {"cosine": cosine, "relative_l2": error}, **others)  # type: ignore[arg-type]  # a few fields by name


def listed(tensor: str, columns: dict[str, str], op_type: str = "Conv2D", references: str = "conv") -> Row:
    return row(tensor, printed=Printed(Listed(0, op_type, "conv", references, tensor), columns))


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        pytest.param([row("a"), row("b")], "good", id="all good"),
        pytest.param([row("a", 0.5), row("b")], "good-output", id="bad in the middle"),
        pytest.param([row("a"), row("b", 0.98)], "bad", id="bad at the end"),
        pytest.param([row("a"), row("b", error=0.06)], "bad", id="too large at the end"),
        pytest.param([row("a"), row("b", math.nan)], "bad", id="NaN at the end"),
        pytest.param([row("b"), row("a", 0.98)], "good-output", id="measured last and no output"),
        pytest.param([Row("b", None, None, note="no dump")], "nothing", id="nothing measured"),
        pytest.param([], "nothing", id="nothing at all"),
    ],
)
def test_the_outputs_decide(rows: list[Row], verdict: str) -> None:
    assert summarize(Comparison(tuple(rows)), outputs=["b"]).verdict.key == verdict


@pytest.mark.parametrize("outputs", [[], ["gone"]], ids=["unknown", "not measured"])
def test_where_no_output_is_known_all_tensors_decide(outputs: list[str]) -> None:
    summary = summarize(Comparison((row("a", 0.5), row("b"))), outputs=outputs)

    assert (summary.verdict.key, summary.outputs) == ("bad", ())
    assert "1 of 2 tensors is beyond the limits" in summary.verdict.text


def test_the_outputs_that_are_beyond_the_limits_are_named() -> None:
    rows = (row("a", 0.5), row("b"), row("c", 0.5))

    text = summarize(Comparison(rows), outputs=["a", "b", "c"]).verdict.text

    assert text.endswith(": a, c.")


def test_what_is_beyond_the_limits_is_listed_in_the_order_of_the_result() -> None:
    rows = (row("a"), row("b", 0.9), row("c", 0.1))

    assert [each.tensor for each in summarize(Comparison(rows)).beyond] == ["b", "c"]


@pytest.mark.parametrize(
    ("mine", "golden", "found"),
    [
        (Side(nan=1, low=0.0, high=1.0), Side(low=0.0, high=1.0), True),
        (Side(inf=1, low=0.0, high=1.0), Side(low=0.0, high=1.0), True),
        (Side(inf=1, low=0.0, high=1.0), Side(inf=1, low=0.0, high=1.0), False),
        (Side(low=0.0, high=1.0), Side(nan=1, low=0.0, high=1.0), False),
    ],
    ids=["NaN", "infinite", "both", "reference only"],
)
def test_what_is_not_finite_in_the_candidate_only_is_listed(mine: Side, golden: Side, found: bool) -> None:
    summary = summarize(Comparison((row("a", candidate_side=mine, reference_side=golden),)))

    assert [each.tensor for each in summary.not_finite] == (["a"] if found else [])


def test_notes_are_counted_without_what_is_about_one_tensor() -> None:
    notes = ("the shapes differ: 2×3 and 3×2", "the shapes differ: 1 and 2", "no dump.")

    summary = summarize(Comparison(tuple(Row(note, None, None, note=note) for note in notes)))

    assert summary.notes == (("the shapes differ", 2), ("no dump", 1))


def test_notes_rules_and_states_are_counted_most_frequent_first() -> None:
    nan = Side(nan=3, low=0.0, high=1.0)
    rows = (
        row("a", rule="origin", candidate_side=nan),
        row("b", rule="origin", candidate_side=Side(nan=1, low=0.0, high=2.0)),
        row("c", rule="own-name"),
        Row("d", None, None, note="no dump"),
    )

    summary = summarize(Comparison(rows))

    assert summary.measured == 3
    assert summary.notes == (("no dump", 1),)
    assert summary.rules == (("origin", 2), ("own-name", 1))
    assert summary.states == (("NaN in the candidate", 2),)


def test_the_worst_come_first_and_nan_is_worst() -> None:
    rows = (row("a", error=0.1), row("b", error=math.nan), row("c", error=0.3))

    assert [each.tensor for each in summarize(Comparison(rows)).worst] == ["b", "c", "a"]


@pytest.mark.parametrize("threshold", THRESHOLDS, ids=lambda threshold: threshold.column)
def test_each_threshold_of_the_vendor_finds_the_first_tensor_beyond_it(threshold: object) -> None:
    column = next(each for each in THRESHOLDS if each is threshold).column
    good, bad = ("0.995000", "0.900000") if column == "CosineSimilarity" else ("0.000001", "7.000000")
    rows = tuple(listed(name, {column: text}) for name, text in (("a", good), ("b", bad), ("c", bad)))

    (suspect,) = summarize(Comparison(rows)).suspects

    assert (suspect.tensor, suspect.value, suspect.count) == ("b", float(bad), 2)


@pytest.mark.parametrize(
    "passed_over",
    [
        listed("a", {"CosineSimilarity": "0.1"}, op_type="TransData"),
        listed("a", {"CosineSimilarity": "0.1"}, references="*"),
        listed("a", {"CosineSimilarity": "NaN"}),
        listed("a", {"CosineSimilarity": "nan"}),
        listed("a", {"CosineSimilarity": "a word"}),
    ],
    ids=["TransData", "inserted", "no data", "nan", "text"],
)
def test_lines_that_the_vendor_passes_over_are_no_suspects(passed_over: Row) -> None:
    assert summarize(Comparison((passed_over,))).suspects == ()


@pytest.mark.parametrize(
    ("before", "after", "found"), [(0.99, 0.8, True), (0.99, 0.95, False), (0.85, 0.2, False), (math.nan, 0.1, False)]
)
def test_an_operator_with_good_inputs_and_a_bad_output_is_suspected(before: float, after: float, found: bool) -> None:
    rows = (row("op:input:0", 1.0), row("op:input:1", before), row("op:output:0", after))

    suspects = [suspect.tensor for suspect in summarize(Comparison(rows)).suspects]

    assert suspects == (["op:output:0"] if found else [])


@pytest.mark.parametrize(
    ("notes", "other"),
    [
        (["the candidate has no dump of it", "only in the candidate"], True),
        (["the candidate has no dump of it", "the shapes differ"], False),
        (["only in the candidate"], False),
        ([], False),
    ],
)
def test_a_model_none_of_whose_operators_was_dumped_is_another(notes: list[str], other: bool) -> None:
    rows = tuple(Row(f"t{at}", None, None, note=note) for at, note in enumerate(notes))
    more = " None of this model's operators is in the dump: probably the JSON of another model." if other else ""

    assert summarize(Comparison(rows)).verdict.text == f"No tensor could be measured.{more}"
