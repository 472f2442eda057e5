"""Drawings that take their colours from the page."""

from errorflow.report.html.themed import recolored, themed


def test_colours_become_variables_one_for_each_pair() -> None:
    found = themed(
        '<a fill="#111111"/><b fill="#222222"/><c fill="#111111"/>',
        '<a fill="#AAAAAA"/><b fill="#BBBBBB"/><c fill="#AAAAAA"/>',
        "x",
    )
    assert found.text == '<a fill="var(--x0)"/><b fill="var(--x1)"/><c fill="var(--x0)"/>'
    assert found.light == {"--x0": "#111111", "--x1": "#222222"}
    assert found.dark == {"--x0": "#AAAAAA", "--x1": "#BBBBBB"}


def test_what_is_alike_in_one_theme_may_differ_in_the_other() -> None:
    found = themed("#111111 #111111", "#AAAAAA #BBBBBB", "x")
    assert found.text == "var(--x0) var(--x1)"


def test_drawings_that_differ_in_more_than_colours_stay_light() -> None:
    found = themed("<a>#111111</a>", "<b>#AAAAAA</b>", "x")
    assert (found.text, found.light, found.dark) == ("<a>#111111</a>", {}, {})


def test_each_colour_gets_its_counterpart() -> None:
    assert recolored("#111111 #333333", {"#111111": "#EEEEEE"}) == "#EEEEEE #333333"
