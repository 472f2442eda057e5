"""Typing a few letters of what is meant."""

import pytest

from errorflow_viewer.window.palette import score

COMMANDS = [
    "Zoom in",
    "Zoom out",
    "Fit graph",
    "Open…",
    "Focus the graph",
    "Show log folder",
    "Full screen",
    "Go to node…",
]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("zi", "Zoom in"),
        ("zout", "Zoom out"),
        ("fit", "Fit graph"),
        ("fg", "Fit graph"),
        ("ftg", "Focus the graph"),
        ("slf", "Show log folder"),
        ("goto", "Go to node…"),
        ("OPEN", "Open…"),
    ],
)
def test_the_best_match_is_what_is_meant(typed: str, meant: str) -> None:
    points = {text: score(typed, text) for text in COMMANDS}
    known = {text: value for text, value in points.items() if value is not None}
    assert max(known, key=lambda text: known[text]) == meant


@pytest.mark.parametrize("typed", ["xyz", "zoomx", "mooz"])
def test_letters_that_are_not_there_do_not_match(typed: str) -> None:
    assert all(score(typed, text) is None for text in COMMANDS)


def test_nothing_typed_matches_everything() -> None:
    assert score("", "anything") == 0
