"""Shares in words."""

import math

import pytest

from errorflow.explain.blame.model import TIP, share_text, share_tip


@pytest.mark.parametrize(
    ("share", "text", "cut"),
    [(0.254, "25.4 %", ""), (-0.009, "0.0 %", "−0.9 %"), (1.009, "100.0 %", "100.9 %"), (-1e-9, "0.0 %", "")],
)
def test_a_share_beyond_the_whole_is_cut_and_says_so(share: float, text: str, cut: str) -> None:
    assert share_text(share, 1) == text
    assert share_tip(share) == (f"{TIP}. The two parts cancel each other here, which makes it {cut}" if cut else TIP)


def test_of_an_unknown_share_nothing_is_said() -> None:
    assert (share_text(math.nan), share_tip(math.nan)) == ("", TIP)
