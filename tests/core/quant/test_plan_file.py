"""A plan as a file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.plan_file import parse_plan, plan_text, read_plan, write_plan
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
        ('{"errorflow-plan": 3}', "later version"),
        ('{"errorflow-plan": 1, "activations": "float"}', "weights"),
        ('{"errorflow-plan": 1, "activations": "float", "weights": "int9"}', "'int9' is no precision"),
        ('{"errorflow-plan": 1, "activations": {"dtype": "int9"}, "weights": "float"}', "type int9"),
        ('{"errorflow-plan": 1, "activations": "keep", "weights": "float"}', "only a rule"),
        ('{"errorflow-plan": 1, "activations": "float", "weights": "float", "layers": []}', "layers"),
        ('{"errorflow-plan": 1, "activations": "float", "weights": "float", "rules": [{"name": "a"}]}', "name"),
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
