"""Verdicts that are wrong are found to be: a table of them can fail."""

import pytest

from planted_by_command import Told, commands_in, complaints

GUILTY = frozenset({"conv2", "bn2"})


def told(kind: str, text: str, *top: tuple[str, float], first: tuple[str, ...] = ()) -> Told:
    shares = [{"node": node, "share": share} for node, share in top]
    return Told({"blame": {"kind": kind, "text": text, "top": shares, "front": {"first": list(first)}}}, text)


RIGHT = {
    "the guilty alone": ("fault", told("node error", "conv2 brings 97 %.", ("conv2", 0.97), ("conv9", 0.03))),
    "by its unit": ("fault", told("node error", "bn2 brings all.", ("bn2", 1.0))),
    "one of two": ("fault", told("node error", "Not sure: conv1 or conv2.", ("conv1", 0.5), ("conv2", 0.5))),
    "nobody": ("fault", told("accumulated error", "It cannot be told from these dumps.")),
    "many": ("drift", told("accumulated error", "Several nodes.", ("conv1", 0.3), ("conv2", 0.2))),
    "good": ("twin", told("good", "Good.")),
}
WRONG = {
    "an innocent first": ("fault", told("node error", "conv1 brings 60 %.", ("conv1", 0.6), ("conv2", 0.4))),
    "an innocent too": ("fault", told("node error", "conv2 brings 80 %.", ("conv2", 0.8), ("conv3", 0.2))),
    "a quiet one in the sentence": ("fault", told("node error", "conv2 and conv3.", ("conv2", 0.95), ("conv3", 0.05))),
    "good for a fault": ("fault", told("good", "Good: all of it.")),
    "many for one": ("fault", told("accumulated error", "conv2 and others.", ("conv2", 0.9))),
    "two innocents": ("fault", told("node error", "Not sure: conv1 or conv3.", ("conv1", 0.5), ("conv3", 0.5))),
    "one for many": ("drift", told("accumulated error", "conv1 brings 70 %.", ("conv1", 0.7))),
    "good for many": ("drift", told("good", "Good.")),
    "somebody in a twin": ("twin", told("good", "Good.", first=("conv1",))),
    "bad for a twin": ("twin", told("accumulated error", "Several.")),
    "no verdict": ("twin", Told({}, "")),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_true_is_not_complained_of(name: str) -> None:
    expected, verdict = RIGHT[name]

    assert complaints(verdict, expected, GUILTY) == []


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_true_is(name: str) -> None:
    expected, verdict = WRONG[name]

    assert complaints(verdict, expected, GUILTY)


def test_commands_are_read_as_they_are_printed() -> None:
    text = "Found:\n  a  b [c]\n\nAny two runs [runs]\n  Run: a\n  errorflow compare -m a -g 'b c'\n"

    assert commands_in(text) == {"runs": "errorflow compare -m a -g 'b c'"}
