"""Queries: what is read, what is asked back, and that nothing else ever happens."""

import math
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errorflow.explain.findings.fields import FIELDS, Field
from errorflow.explain.findings.parse import MOST_LETTERS, parse, parse_finished
from errorflow.explain.findings.query import Either, Every, Not, Number, Query, QueryError, TextQuery, WordChoice

A, B, C = TextQuery("", "a"), TextQuery("", "b"), TextQuery("", "c")
# All that has a meaning, and some that has none.
PIECES = (
    *(field.example for field in FIELDS),
    *(f"{field.name}:" for field in FIELDS),
    *(
        '"',
        "(",
        ")",
        "-",
        "or",
        "and",
        "not",
        " ",
        " ",
        "  ",
        "a",
        "relu",
        "cos",
        "<",
        ">=",
        "0.9",
        "1e",
        "%",
        "..",
        ",",
    ),
    *("x:0", "verdict:", "origin", "yes", "no", "max", "depth:", "é", "\n", "std::vector<int>"),
)


def queries() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", Every()),
        ("a b", Every((A, B))),
        ('"a b"', TextQuery("", "a b")),
        ('"a b', TextQuery("", "a b")),
        ("type:Conv", TextQuery("type", "Conv")),
        ('type:"Conv"', TextQuery("type", "Conv", exact=True)),
        ("TYPE:Conv", TextQuery("type", "Conv")),
        ("type:", Every()),
        ("a type: b", Every((A, B))),
        ("x:0", TextQuery("", "x:0")),
        ("max:0", TextQuery("", "max:0")),
        ("std::vector<int>", TextQuery("", "std::vector<int>")),
        ("pads=[1", TextQuery("", "pads=[1")),
        ("-", TextQuery("", "-")),
        ("or", TextQuery("", "or")),
        ("not", TextQuery("", "not")),
        ("Not a", Every((TextQuery("", "Not"), A))),
        ("a or", A),
        ("a -", A),
        ("a - b", Every((A, TextQuery("", "-"), B))),
        ("a or (", A),
        ("(a or not) b", Every((A, B))),
        ("(or) b", Every((TextQuery("", "or"), B))),
        ('a "or"', Every((A, TextQuery("", "or")))),
        ("(", Every()),
        ("or a", Every((TextQuery("", "or"), A))),
        ("-a", Not(A)),
        ("not a", Not(A)),
        ("--a", A),
        ("-type:", Every()),
        ("a or b c", Either((A, Every((B, C))))),
        ("(a or b) c", Every((Either((A, B)), C))),
        ("-(a b)", Not(Every((A, B)))),
        ("(a (b c", Every((A, B, C))),
        ("a and b", Every((A, B))),
        ("conv(1) b", Every((TextQuery("", "conv(1)"), B))),
        ("(conv(1))", TextQuery("", "conv(1)")),
        ("verdict:origin", WordChoice("verdict", ("origin",))),
        ("verdict:Origin,ampl", WordChoice("verdict", ("origin", "ampl"))),
        ("verdict:not-measured", WordChoice("verdict", ("not measured",))),
        ('verdict:"not measured"', WordChoice("verdict", ("not measured",))),
        ("overflow:yes", WordChoice("overflow", ("yes",))),
    ],
)
def test_words_fields_and_what_binds_them(text: str, query: Query) -> None:
    assert parse(text) == query


@pytest.mark.parametrize(
    ("text", "field", "low", "high"),
    [
        ("cos<=0.99", "cos", -math.inf, 0.99),
        ("cos≤0.99", "cos", -math.inf, 0.99),
        ("cos < 0.99", "cos", -math.inf, math.nextafter(0.99, 0)),
        ("cos<0.99", "cos", -math.inf, math.nextafter(0.99, 0)),
        ("cosine>0.5", "cos", math.nextafter(0.5, 1), math.inf),
        ("cosine_similarity>=0.5", "cos", 0.5, math.inf),
        ("relative_l2>=.1", "rel", 0.1, math.inf),
        ("relative_error>=1e-3", "rel", 0.001, math.inf),
        ("sqnr<=20dB", "sqnr", -math.inf, 20),
        ("sqnr>=−3", "sqnr", -3, math.inf),
        ("share>=50%", "share", 0.5, math.inf),
        ("gain=2", "gain", 2, 2),
        ("max>=inf", "max", math.inf, math.inf),
        ("depth:120..180", "depth", 120, 180),
        ("depth:120..", "depth", 120, math.inf),
        ("depth:..180", "depth", -math.inf, 180),
        ("depth:7", "depth", 7, 7),
        ("cos:0.9..0.99", "cos", 0.9, 0.99),
    ],
)
def test_numbers_have_ends(text: str, field: str, low: float, high: float) -> None:
    query = parse(text)
    assert isinstance(query, Number)
    assert (query.field, query.low, query.high) == (field, low, high)


@pytest.mark.parametrize("text", ["cos<", "cos <", "cos<-", "cos<1e", "cos<1e-", "cos<.", "verdict:", "depth:", "nan:"])
def test_what_is_not_written_to_its_end_asks_for_nothing(text: str) -> None:
    assert parse(text) == parse(f"-{text}") == Every()


@pytest.mark.parametrize("end", [" or", " and", " not", " or not", " -", " (", " or (", " or cos<", " type:"])
def test_what_is_begun_behind_a_query_takes_nothing_from_it(end: str) -> None:
    assert parse(f"cos<0.5{end}") == parse("cos<0.5")


@pytest.mark.parametrize("text", ["(", "(a", "cos<", "cos<0.5 or", "(a or) b", "type:", "a -"])
def test_what_is_not_written_to_its_end_is_refused_where_nothing_more_comes(text: str) -> None:
    with pytest.raises(QueryError, match="is not written to its end"):
        parse_finished(text)


@pytest.mark.parametrize("text", ["", "a", "or", "-a or (b c)", 'a "("', "conv(1)"])
def test_a_whole_query_is_the_same_where_nothing_more_comes(text: str) -> None:
    assert parse_finished(text) == parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cos<abc", "cos wants a number, such as cos<0.9."),
        ("cos < abc", "cos wants a number, such as cos<0.9."),
        ("depth:x", "depth wants a number, such as depth:120..180."),
        ("depth:1..x", "depth wants a number, such as depth:120..180."),
        ("overflow:maybe", "overflow wants yes or no, such as overflow:yes."),
        ("verdict:guilty", "verdict wants origin, amplifier, healer, carrier, clean or not measured"),
        ("cosinus<0.99", "There is no number called “cosinus”; did you mean cos? Known are cos, rel"),
        ("qqqq<0.99", "There is no number called “qqqq”; known are cos, rel"),
        ("(" * 51 + "a", "too many parentheses"),
        ("a" * (MOST_LETTERS + 1), "at most 4,000 letters"),
    ],
)
def test_what_makes_no_sense_is_answered_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert said in caught.value.message and caught.value.message.endswith(".") and caught.value.hint


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_example_is_understood_as_that_field(field: Field) -> None:
    query = parse(field.example)
    assert not isinstance(query, Not | Every | Either) and query.field == field.name


@given(queries() | st.text())
@example("(x)) y")
@example('-a" (b')
def test_whatever_is_typed_it_is_read_or_answered_and_reads_the_same_when_written_anew(text: str) -> None:
    try:
        query = parse(text)
    except QueryError:
        return
    assert parse(str(query)) == query


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_field_is_in_the_documentation(field: Field) -> None:
    docs = Path(__file__).parents[4] / "docs"
    names = (field.name, *field.others)
    manual = (docs / "how-to" / "search.md").read_text("utf-8") + (docs / "metrics.md").read_text("utf-8")
    assert any(f"`{name}" in manual for name in names)
