"""Marks of what was switched away from the plan."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from errorflow.draw.shapes import Rect, Text
from errorflow.quant.switching import Kept
from errorflow.report.box_marks import kept_mark, kept_of_boxes, mark_width, with_kept
from errorflow.report.box_signs import BoxSigns
from errorflow.report.colors import DARK, LIGHT, DrawingColors
from errorflow.report.fold import BoxErrors
from errorflow.report.legend import entries
from errorflow.report.paint import Paint
from errorflow.report.scale import Rgb, luminance
from viewer.canvas.made_up import beside, painted

FLOAT, WORDS, PART = Kept.FLOAT, Kept.BITS_16, Kept.PART


def rgb(color: str) -> Rgb:
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return red, green, blue


def paint(size: int, signs: BoxSigns | None = None) -> Paint:
    return painted(np.zeros(size), signs=beside(size) if signs is None else signs)


@pytest.mark.parametrize(
    ("kept", "boxes", "marks"),
    [
        ([FLOAT, 0, WORDS], [0, 1, 2], [FLOAT, 0, WORDS]),
        ([FLOAT, FLOAT], [0, 0], [FLOAT, 0]),
        ([FLOAT, 0], [1, 1], [0, PART]),
        ([FLOAT, WORDS], [0, 0], [PART, 0]),
        ([FLOAT, 0], [-1, 0], [0, 0]),
    ],
)
def test_a_box_of_several_nodes_says_what_holds_for_all(kept: list[int], boxes: list[int], marks: list[int]) -> None:
    found = kept_of_boxes(np.array(kept, np.uint8), np.array(boxes, np.int32), len(marks))
    assert found.tolist() == marks


def test_the_pointer_is_told_of_single_nodes() -> None:
    boxes = np.array([0, 1, 1], np.int32)
    found = with_kept(paint(3), np.array([0, FLOAT, FLOAT], np.uint8), boxes, "node {} in float".format)
    assert found.note(0) == "the error of box 0\nnode 0 in float"
    assert found.note(1) == "the error of box 1"


def test_legends_explain_what_is_there_and_find_it() -> None:
    kept = np.array([FLOAT, 0, Kept.BITS_4], np.uint8)
    found = with_kept(paint(3), kept, np.arange(3, dtype=np.int32), str)
    told = [(entry.text, entry.query) for entry in entries(found) if entry.sort == "kept"]
    assert told == [("kept in float", "switched:float"), ("switched to 4 bits", "switched:4")]
    assert not [entry for entry in entries(paint(3)) if entry.sort == "kept"]


def test_marks_go_with_their_boxes() -> None:
    signs = replace(beside(3), kept=np.array([0, FLOAT, WORDS], np.uint8))
    some = signs.of_boxes(np.array([2, 0]))
    assert some.kept is not None
    assert some.kept.tolist() == [WORDS, 0]


def test_where_nothing_was_switched_there_are_no_marks() -> None:
    found = with_kept(paint(1), np.zeros(1, np.uint8), np.zeros(1, np.int32), str)
    assert found.signs is not None
    assert found.signs.kept is None


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_a_mark_is_read_by_its_word_on_a_ground_of_its_own(colors: DrawingColors) -> None:
    plate, word = kept_mark(FLOAT, 100, 50, colors.text, colors.background).shapes
    assert isinstance(plate, Rect) and isinstance(word, Text)
    assert (plate.fill, word.text, word.color) == (colors.text, "float", colors.background)
    light, dark = sorted((luminance(rgb(color)) for color in (colors.text, colors.background)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) > 7


def test_each_word_has_room() -> None:
    widths = sorted(mark_width(kept) for kept in Kept)
    assert all(narrow <= wide for narrow, wide in pairwise(widths))
    assert widths[0] > 10


def test_what_has_no_signs_stays_as_it_is() -> None:
    bare = replace(paint(1), signs=None)
    assert isinstance(bare.errors, BoxErrors)
    assert with_kept(bare, np.ones(1, np.uint8), np.zeros(1, np.int32), str) is bare
