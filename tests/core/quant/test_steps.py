"""Steps before quantization, as values of a plan."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import FormatError, UsageError
from errorflow.quant.changes import changes
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import parse_plan, plain_plan, plan_of, plan_text, read_plan
from errorflow.quant.presets import preset
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, Step, find, remaking
from errorflow.quant.switching import planned, toggled_tensor

SHARES = st.floats(0, 1)
SHIFTS = st.dictionaries(st.text(max_size=4), st.lists(st.floats(-9, 9), max_size=3).map(tuple), max_size=3)
CORRECTED = SHIFTS.map(lambda rows: CorrectBiases(tuple(sorted(rows.items()))))
STEPS = st.lists(st.just(Equalize()) | st.builds(Smooth, SHARES, SHARES) | CORRECTED, max_size=4)


def with_all(steps: list[Step]) -> Plan:
    plan = Plan()
    for step in steps:
        plan = plan.with_step(step)
    return plan


@given(STEPS)
def test_a_file_keeps_them(steps: list[Step]) -> None:
    plan = with_all(steps)
    assert parse_plan(plan_text(plan).encode()) == plan


@given(STEPS)
def test_there_is_one_of_each_kind_in_one_order(steps: list[Step]) -> None:
    kinds = [type(step) for step in with_all(steps).steps]
    assert kinds == [kind for kind in (Equalize, Smooth, CorrectBiases) if kind in kinds]


def test_plans_with_other_steps_are_others() -> None:
    assert len({Plan(), Plan().with_step(Smooth()), Plan().with_step(Smooth(0.7))}) == 3
    assert Plan().with_step(Smooth()).without_step(Smooth) == Plan()


def test_shifts_go_with_the_float_model_that_they_were_found_for() -> None:
    corrected = Plan().with_step(CorrectBiases((("y", (1.0,)),)))
    assert find(corrected.with_step(Smooth()).steps, CorrectBiases) is None
    both = Plan().with_step(Smooth()).with_step(CorrectBiases((("y", (1.0,)),)))
    assert find(both.without_step(Smooth).steps, CorrectBiases) is None
    assert both.with_step(Smooth()) == both
    assert remaking(both.steps) == (Smooth(),)


def test_switches_leave_them_alone() -> None:
    plan = Plan().with_step(Equalize())
    assert planned(toggled_tensor(plan, "t")) == plan


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), float("inf")])
def test_shares_lie_between_nothing_and_all(wrong: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        Smooth(strength=wrong)
    with pytest.raises(UsageError, match="threshold"):
        Smooth(threshold=wrong)


@pytest.mark.parametrize(
    "step",
    [
        '{"step": "polish"}',
        '{"step": "smooth", "power": 1}',
        '{"step": "smooth", "strength": 2}',
        '{"step": "smooth", "strength": "a"}',
        '{"step": "correct biases", "shifts": {"t": [1e300]}}',
        '{"step": "correct biases", "shifts": {"t": ["a"]}}',
        "{}",
    ],
)
def test_what_is_no_step_is_said(step: str) -> None:
    text = plan_text(Plan()).replace('"steps": []', f'"steps": [{step}]')
    with pytest.raises(FormatError, match=r"step|strength|no number of 32 bits"):
        parse_plan(text.encode())


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_shifts_that_are_no_numbers_are_said(odd: float) -> None:
    """A session may hold them: its JSON is read by another reader."""
    rows = {**plain_plan(Plan()), "steps": [{"step": "correct biases", "shifts": {"t": [odd]}}]}
    with pytest.raises(FormatError, match="no number of 32 bits"):
        plan_of(rows)


def test_plans_of_the_first_version_have_none(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(
        '{"errorflow-plan": 1, "preset": "amct", "activations": {"dtype": "int8"}, "weights": "float", "fitted": true}'
    )
    found = read_plan(tmp_path / "plan.json")
    assert (found.steps, found.preset, found.fitted) == ((), "amct", True)


def test_they_are_told_as_changes() -> None:
    before = preset("onnxruntime").plan
    after = before.with_step(Equalize()).with_step(Smooth(0.5, 0.1))
    assert [each.text for each in changes(before, after)] == [
        "layers equalized",
        "outliers smoothed, strength 0.5, threshold 0.1",
    ]
    assert next(each.text for each in changes(after, before)) == "no longer layers equalized"
