"""The table of advice."""

import pytest

from errorflow.explain.blame.advice import advice_for, advice_table
from errorflow.explain.blame.model import Advice

ADVICE = advice_table()
each_row = pytest.mark.parametrize("row", ADVICE, ids=lambda row: row.key)


@each_row
def test_it_says_what_to_do_why_and_whose_guide_has_it(row: Advice) -> None:
    for text in (row.text, row.why):
        assert text[0].isupper()
        assert text.endswith(".")
    assert row.source
    assert row.when


@each_row
def test_a_vendors_row_belongs_to_a_case_of_everybodys(row: Advice) -> None:
    case, _, vendor = row.key.partition(":")

    assert bool(vendor) == bool(row.vendor)
    assert any(other.key == case for other in ADVICE)


def test_keys_are_unique() -> None:
    assert len({row.key for row in ADVICE}) == len(ADVICE)


def test_every_vendor_is_advised_on_both_kinds_of_error() -> None:
    for kind in ("node error", "accumulated error"):
        assert {row.vendor for row in advice_for({kind}, "Ascend")} == {"", "Ascend"}
        for vendor in ("RKNN", "Pulsar2", "Horizon"):
            assert {row.vendor for row in advice_for({kind}, vendor)} == {"", vendor}


def test_nobody_gets_the_advice_of_another_vendor() -> None:
    assert {row.vendor for row in advice_for({row.key for row in ADVICE})} == {""}


@pytest.mark.parametrize("kind", ["node error", "accumulated error"])
@pytest.mark.parametrize("special", ["loud channel", "overflow", "inputs differ", "sign flipped"])
def test_what_was_seen_at_a_tensor_comes_before_what_holds_for_all(kind: str, special: str) -> None:
    assert [row.key for row in advice_for({kind, special})] == [special, kind]


def test_a_good_output_comes_first_and_leaves_what_was_seen_inside() -> None:
    found = advice_for({"good output", "overflow", "one code", "sign flipped", "loud channel", "constants differ"})

    assert [row.key for row in found] == ["good output", "constants differ"]
