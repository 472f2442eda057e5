"""The two runs of a sample, as what is compared."""

from errorflow.base.sample import Sample
from errorflow.case.said import setup_of as _setup_of
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session


def setup_of(sample: Sample) -> Setup:
    found = _setup_of(Session(sample.model))
    assert found is not None, "a sample has its runs"
    return found
