"""What is said where a search finds nothing."""

import pytest

from core.explain.findings.test_select import findings, graph, with_shares
from errorflow.explain.findings.fields import NodeKnowledge
from errorflow.explain.findings.nothing import why_nothing
from errorflow.explain.findings.parse import parse
from errorflow.explain.findings.select import matching
from errorflow.explain.findings.texts import Texts


def _why(query: str, compared: bool = True) -> str:
    known = NodeKnowledge(Texts(graph()), with_shares(findings()) if compared else None)
    assert not matching(known, parse(query)).any(), "finds something"
    return why_nothing(known, parse(query))


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("rel:3..9", "No node has rel:3..9; the nearest is 2.0000."),
        ("share>2", "No node has share>2; the highest is"),
        ("rel<0.0001", "No node has rel<0.0001; the best is 0.0010."),
        ("sqnr>70", "No node has sqnr>70; the best is 60.00 dB."),
        ("sqnr:20..30", "No node has sqnr:20..30; the nearest are 14.00 dB and 60.00 dB."),
        ("depth:9", "No node has depth:9; the highest is 5."),
        ("max>0", "No node has max>0: max is a number at none."),
        ("verdict:healer", "No node has verdict:healer."),
        ("relu1 cos>0.99", "No node has all of it: relu1 finds 1, cos>0.99 finds 1."),
        ("xyz", "No node has “xyz” in its name, its type or its tensors."),
        ("Comv", "No node has “Comv” in its name, its type or its tensors. Did you mean type:Conv?"),
        ("-(conv1 or -conv1)", "No node has -(conv1 or -conv1)."),
        (
            "verdit:origin",
            "Nothing is called “verdit:origin”, and “verdit” is no field. Did you mean verdict:origin,amplifier?",
        ),
        ("verdict=origin", "No node has verdict=origin. verdict is asked for as in verdict:origin,amplifier."),
    ],
)
def test_the_nearest_is_named(query: str, sentence: str) -> None:
    assert _why(query).startswith(sentence)


def test_where_nothing_is_like_it_fields_are_listed() -> None:
    text = _why("qqqq:1")
    assert "Known are type, name, tensor, attr, introduced" in text and "depth" not in text


def test_what_is_long_is_cut() -> None:
    assert len(_why("x" * 3000)) < 200


def test_without_a_comparison_names_are_still_told() -> None:
    assert _why("type:Pool", compared=False) == "No node has type:Pool."
