"""Differences of two plans in words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from errorflow.quant.changes import beginning, beginning_text, brief, changes
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.precision import Precision
from errorflow.quant.presets import PRESETS, preset

BASE = preset("onnxruntime").plan
INT4 = Precision("int4")

CASES: tuple[tuple[Plan, Plan, list[str]], ...] = (
    (BASE, BASE, []),
    (BASE, BASE.keeping_float("/conv1"), ["/conv1 → float"]),
    (BASE.keeping_float("/conv1"), BASE, ["/conv1 → no longer float"]),
    (BASE, BASE.with_bits(16, "/conv1"), ["/conv1 → 16 bit"]),
    (BASE.keeping_float("/conv1"), BASE.keeping_float("/conv1").with_bits(16, "/conv1"), ["/conv1 → 16 bit"]),
    (
        BASE,
        BASE.with_rule(Rule(weights=Precision("int16", symmetric=True), types=("Conv",))),
        ["Conv weights → 16 bit"],
    ),
    (BASE, BASE.with_rule(Rule(Precision("uint8"), types=("Softmax",))), ["Softmax activations → uint8"]),
    (
        BASE.with_rule(Rule(INT4, FLOAT, names=("a",))),
        BASE.with_rule(Rule("keep", "keep", names=("a",))),
        ["a → no longer activations 4 bit and weights float"],
    ),
    (BASE.keeping_float("a"), BASE.with_rule(Rule(weights=FLOAT, names=("a",))), ["a activations → as all others"]),
    (BASE, BASE.with_rule(Rule(FLOAT, FLOAT, starts=("x",), ends=("y", "z"))), ["x … y, z → float"]),
    (BASE, BASE.with_tensor("t", FLOAT), ["t → float"]),
    (BASE.with_tensor("t", INT4), BASE, ["t → no longer 4 bit"]),
    (BASE, preset("amct").plan, ["Ascend AMCT"]),
    (BASE, preset("amct").plan.keeping_float("a"), ["Ascend AMCT", "a → float"]),
    (BASE, replace(BASE, activations=Precision("int16")), ["activations → 16 bit"]),
    (BASE, replace(BASE, activations=FLOAT), ["activations → float"]),
    (BASE, replace(BASE, weights=Precision("int8", True, True)), ["weights → int8 symmetric, per channel"]),
    (BASE, replace(BASE, biases=False), ["biases → float"]),
    (BASE, replace(BASE, outputs=False), ["only what is read is coded"]),
    (BASE, replace(BASE, fitted=False), ["ranges not set by Relu, Clip and Softmax"]),
    (BASE, replace(BASE, types=None), ["all operators"]),
    (replace(BASE, types=("Conv", "Add")), replace(BASE, types=("Conv", "Mul")), ["Mul → quantized", "Add → float"]),
    (BASE, replace(BASE, coded=(("t", INT4),)), ["as the model is quantized"]),
)


@pytest.mark.parametrize(("before", "after", "told"), CASES)
def test_what_is_otherwise_is_told(before: Plan, after: Plan, told: list[str]) -> None:
    assert [each.text for each in changes(before, after)] == told


def test_the_order_of_single_wishes_is_no_change() -> None:
    one, other = BASE.keeping_float("a").keeping_float("b"), BASE.keeping_float("b", "a")
    assert changes(one, other) == ()


def test_those_that_became_the_same_are_told_together() -> None:
    plan = BASE.keeping_float("a", "b", "c", "d").with_tensor("t", INT4)
    assert brief(changes(BASE, plan)) == "float: a, b and 2 more; 4 bit: t"
    assert brief(changes(BASE, preset("amct").plan.keeping_float("a"))) == "Ascend AMCT; float: a"
    assert brief(()) == ""


@pytest.mark.parametrize("row", PRESETS, ids=lambda row: row.key)
def test_a_plan_began_as_its_preset(row: object) -> None:
    plan = row.plan  # type: ignore[attr-defined]  # a `Preset`
    assert beginning(plan.keeping_float("a").with_tensor("t", INT4)) == plan
    assert beginning_text(plan) == row.label  # type: ignore[attr-defined]  # a `Preset`


def test_a_plan_without_a_preset_began_as_itself() -> None:
    plan = Plan(rules=(Rule(FLOAT, FLOAT, names=("a",)),))
    assert beginning(plan) == Plan()
    assert beginning_text(plan) == "a plan of its own"


PRECISIONS = some.sampled_from([FLOAT, INT4, Precision(), Precision("int16", symmetric=True)])
PLANS = some.builds(
    Plan,
    PRECISIONS,
    PRECISIONS,
    some.booleans(),
    some.booleans(),
    some.sampled_from([None, ("Conv",), ("Conv", "Add")]),
    some.lists(
        some.builds(Rule, PRECISIONS, PRECISIONS, names=some.sampled_from([("a",), ("b",), ("a", "b")])), max_size=3
    ).map(tuple),
    some.dictionaries(some.sampled_from("tuv"), PRECISIONS).map(lambda found: tuple(sorted(found.items()))),
)


@given(PLANS, PLANS)
def test_nothing_told_is_nothing_changed(before: Plan, after: Plan) -> None:
    found = changes(before, after)
    assert all(each.text for each in found)
    if not found:
        same = replace(before, rules=after.rules)
        assert same == after
    assert changes(before, before) == ()
