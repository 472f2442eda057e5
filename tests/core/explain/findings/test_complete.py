"""What is offered under the search field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.explain.findings.complete import MOST, complete
from errorflow.explain.findings.fields import FIELDS, Field
from errorflow.explain.findings.parse import parse
from errorflow.explain.findings.query import QueryError

WORDS = {"type": ("Conv", "ConvTranspose", "Relu")}


def completed(text: str, findings: bool = True) -> list[str]:
    return [text[: offer.start] + offer.text for offer in complete(text, WORDS, findings=findings)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("c", []),
        ("co", ["cos<", "constant:"]),
        ("relu co", ["relu cos<", "relu constant:"]),
        ("-ver", ["-verdict:"]),
        ("(ver", ["(verdict:"]),
        ("relative", ["rel>"]),
        ("verdict:", [f"verdict:{w}" for w in ("origin", "amplifier", "healer", "carrier", "clean", "not-measured")]),
        ("verdict:or", ["verdict:origin"]),
        ("verdict:origin", []),
        ("verdict:origin,cl", ["verdict:origin,clean"]),
        ("overflow:", ["overflow:yes", "overflow:no"]),
        ("type:conv", ["type:ConvTranspose"]),
        ("type:co", ["type:Conv", "type:ConvTranspose"]),
        ("name:co", []),
        ('"ver', []),
        ("x:ve", []),
    ],
)
def test_names_and_words_are_offered_as_far_as_they_are_written(text: str, expected: list[str]) -> None:
    assert completed(text) == expected


def test_without_two_runs_nothing_is_offered_that_needs_them() -> None:
    assert completed("de", findings=False) == ["depth:"]
    assert completed("ver", findings=False) == []


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_offer_can_be_read(field: Field) -> None:
    offers = completed(field.name[:2])
    for offer in offers:
        parse(offer)
    assert len(offers) <= MOST


@given(st.text(max_size=12))
def test_whatever_is_typed_offers_go_on_from_it(text: str) -> None:
    for offer in complete(text, WORDS):
        assert 0 <= offer.start <= len(text)
        try:
            parse(text[: offer.start] + offer.text)
        except QueryError:
            continue
