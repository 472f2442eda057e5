"""Chinese letters of a PDF are those that people type."""

import pytest

from errorflow_viewer.export.paper.writing import typed, with_typed_letters


@pytest.mark.parametrize(("part", "whole"), [("⼤", "大"), ("⻓", "长"), ("⻚", "页"), ("模", "模"), ("⻌", "⻌")])
def test_a_part_that_looks_like_a_letter_is_that_letter(part: str, whole: str) -> None:
    assert typed(part) == whole


def test_only_what_glyphs_stand_for_is_changed_and_nothing_moves() -> None:
    before = b"<2F24> begincmap\n<2F24> <2F25> <2F24>\n<0001> <0002> [<2ED3> <6A21> ]\nendcmap <2F24>"
    after = with_typed_letters(before)
    assert after == b"<2F24> begincmap\n<2F24> <2F25> <5927>\n<0001> <0002> [<957F> <6A21> ]\nendcmap <2F24>"
    assert len(after) == len(before)
