"""What one run does otherwise than another one."""

from dataclasses import replace

import pytest

from errorflow.quant.plan import Plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.text import changed
from errorflow.study.simulate.trial import Trial

BASIS = Basis(SampleSpec(("a.npz",)))
TRIAL = Trial("a", Plan(), BASIS)


@pytest.mark.parametrize(
    ("basis", "text"),
    [
        (replace(BASIS, asked=SampleSpec(("in/b.npz",))), "samples b.npz"),
        (replace(BASIS, others=("in/c.npz", "d.npz")), "evaluated on c.npz, d.npz"),
        (replace(BASIS, calibrate_on=3), "samples divided otherwise"),
        (replace(BASIS, methods=(("x", "mse"),)), "x → method mse"),
        (replace(BASIS, method="mse"), "method mse"),
    ],
)
def test_what_it_stands_on_is_told(basis: Basis, text: str) -> None:
    assert [each.text for each in changed(TRIAL, replace(TRIAL, basis=basis))] == [text]


def test_a_method_of_one_tensor_that_is_given_up_is_told() -> None:
    before = replace(TRIAL, basis=replace(BASIS, methods=(("x", "mse"),)))
    assert [each.text for each in changed(before, TRIAL)] == ["x → method as all others"]


@pytest.mark.parametrize(("one", "other", "alike"), [("p", "p", True), ("p", "q", False), ("", "q", True)])
def test_numbers_are_compared_on_equal_values(one: str, other: str, alike: bool) -> None:
    assert replace(TRIAL, data=one).is_on_samples_of(replace(TRIAL, data=other)) is alike


def test_other_samples_to_measure_on_are_other_samples() -> None:
    assert not TRIAL.is_on_samples_of(replace(TRIAL, basis=replace(BASIS, others=("c.npz",))))
