"""The few lines that a comparison comes down to."""

import math

import pytest

from errorflow.compare.model import Comparison, Row
from errorflow.compare.summary import THRESHOLDS, parse_limit, summarize
from errorflow.errors import UsageError
from errorflow.match.model import Listed
from errorflow.metrics import METRICS
from errorflow.metrics.sums import Side


def row(tensor: str, cosine: float = 1.0, error: float = 0.0, **others: object) -> Row:
    return Row(tensor, None, None, {"cosine": cosine, "relative_l2": error}, **others)  # type: ignore[arg-type]  # a few fields by name


def listed(tensor: str, columns: dict[str, str], op_type: str = "Conv2D", references: str = "conv") -> Row:
    return row(tensor, listed=Listed(0, op_type, "conv", references, tensor), columns=columns)


@pytest.mark.parametrize(
    ("rows", "outputs", "verdict"),
    [
        pytest.param([row("a"), row("b")], [], "good", id="all good"),
        pytest.param([row("a", 0.5), row("b")], [], "good-output", id="bad in the middle"),
        pytest.param([row("a"), row("b", 0.98)], [], "bad", id="bad at the end"),
        pytest.param([row("a"), row("b", error=0.06)], [], "bad", id="too large at the end"),
        pytest.param([row("a"), row("b", math.nan)], [], "bad", id="NaN at the end"),
        pytest.param([row("a", 0.5), row("b")], ["a"], "bad", id="the output is known"),
        pytest.param([row("a", 0.5), row("b")], ["gone"], "good-output", id="the output was not measured"),
        pytest.param([Row("a", None, None, note="no dump")], [], "nothing", id="nothing measured"),
        pytest.param([], [], "nothing", id="nothing at all"),
    ],
)
def test_the_outputs_decide(rows: list[Row], outputs: list[str], verdict: str) -> None:
    assert summarize(Comparison(tuple(rows)), outputs=outputs).verdict.key == verdict


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


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_a_limit_is_kept_at_its_value_and_broken_beyond(metric: object) -> None:
    key = next(each for each in METRICS if each is metric)
    limit = parse_limit(f"{key.key}=0.5")
    worse = 0.4 if key.higher_is_better else 0.6

    assert not limit.broken_by(Row("a", None, None, {key.key: 0.5}))
    assert limit.broken_by(Row("a", None, None, {key.key: worse}))
    assert limit.broken_by(Row("a", None, None, {key.key: math.nan}))
    assert not limit.broken_by(Row("a", None, None))


def test_broken_limits_name_the_worst_tensor() -> None:
    rows = (row("a", 0.9), row("b", 0.5), row("c"))

    (broken,) = summarize(Comparison(rows), limits=[parse_limit("cosine=0.99")]).limits

    assert (broken.count, broken.worst) == (2, "b")


@pytest.mark.parametrize("text", ["cosine", "cos=0.9", "cosine=", "cosine=much", "cosine=nan", "=1", ""])
def test_what_is_no_limit_is_refused_with_what_would_be_one(text: str) -> None:
    with pytest.raises(UsageError, match=r"cosine=0\.99|still allowed"):
        parse_limit(text)
