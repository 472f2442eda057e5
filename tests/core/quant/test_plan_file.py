"""A plan as a file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.plan_file import FILE, parse_plan, plain_plan, plan_of, plan_text, read_plan, write_plan
from errorflow.quant.precision import CHOICES, Precision

PRECISIONS = st.builds(Precision, st.sampled_from(CHOICES), st.booleans(), st.booleans(), st.booleans())
CHOSEN = PRECISIONS | st.just(FLOAT)
NAMES = st.lists(st.text(max_size=5), max_size=3).map(tuple)
RULES = st.builds(Rule, CHOSEN | st.just("keep"), CHOSEN | st.just("keep"), NAMES, NAMES, NAMES, NAMES)
PLANS = st.builds(
    Plan,
    CHOSEN,
    CHOSEN,
    st.booleans(),
    st.booleans(),
    st.none() | NAMES,
    st.lists(RULES, max_size=3).map(tuple),
    st.dictionaries(st.text(max_size=5), CHOSEN, max_size=3).map(lambda rows: tuple(sorted(rows.items()))),
    st.text(max_size=5),
    st.none()
    | st.dictionaries(st.text(max_size=5), PRECISIONS, max_size=3).map(lambda rows: tuple(sorted(rows.items()))),
    st.booleans(),
)


@given(PLANS)
def test_what_is_written_is_read_again(plan: Plan) -> None:
    assert parse_plan(plan_text(plan).encode()) == plan


def test_it_is_a_file(tmp_path: Path) -> None:
    write_plan(Plan().keeping_float("conv"), tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json") == Plan().keeping_float("conv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no plan"),
        ("[]", "is no plan"),
        ("{}", "does not say errorflow-plan"),
        ('{"errorflow-plan": 3}', "newer Errorflow"),
        ('{"errorflow-plan": 1, "activations": "float"}', "weights"),
        ('{"errorflow-plan": 1, "activations": "float", "weights": "int9"}', "'int9' is no precision"),
        ('{"errorflow-plan": 1, "activations": {"dtype": "int9"}, "weights": "float"}', "type int9"),
        ('{"errorflow-plan": 1, "activations": "keep", "weights": "float"}', "only a rule"),
        ('{"errorflow-plan": 1, "activations": "float", "weights": "float", "layers": []}', "layers"),
        ('{"errorflow-plan": 1, "activations": "float", "weights": "float", "rules": [{"name": "a"}]}', "name"),
        ('{"errorflow-plan": 1, "activations": "float", "weights": {"symmetric": true}}', "weights: .* dtype"),
        (
            '{"errorflow-plan": 1, "activations": "float", "weights": "float", "biases": null}',
            "biases: .* true or false",
        ),
        ('{"errorflow-plan": 1, "activations": "float",', "truncated"),
        ("[" * 100_000, "no plan|too deeply"),
    ],
)
def test_what_is_odd_is_said_and_nothing_is_guessed(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        parse_plan(text.encode())
    assert caught.value.hint


@given(st.binary(max_size=200))
def test_anything_else_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse_plan(data)


def test_what_is_nested_deeper_than_can_be_written_is_refused() -> None:
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(FormatError, match="too deeply"):
        plan_of({**plain_plan(Plan()), "more": deep})


@pytest.mark.parametrize(
    ("key", "odd"), [("preset", "\ud800"), ("tensors", {"\ud800": "float"}), ("types", ["\ud800"])]
)
def test_a_name_that_cannot_be_written_again_is_refused(key: str, odd: object) -> None:
    with pytest.raises(FormatError, match="plan"):
        plan_of({**plain_plan(Plan()), key: odd})


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    with path.open("wb") as file:
        file.truncate(FILE.most_bytes + 1)
    with pytest.raises(FormatError, match="is the most"):
        read_plan(path)


def test_a_plan_of_the_first_version_is_read() -> None:
    rows = {key: value for key, value in plain_plan(Plan().keeping_float("conv")).items() if key != "steps"}
    assert plan_of(rows | {"errorflow-plan": 1}) == Plan().keeping_float("conv")
