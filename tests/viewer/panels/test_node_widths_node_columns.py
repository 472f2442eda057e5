"""How the columns of the node list share its width."""

import pytest

from errorflow_viewer.document.node_rows import NAME, OUTPUT, TYPE
from errorflow_viewer.kit.tables.cells import ROOM
from errorflow_viewer.panels.node_view import found_shares, needed, shares


@pytest.mark.parametrize(
    ("needs", "room", "widths"),
    [
        ((60, 80, 90), 300, (80, 90)),  # all fit
        ((400, 80, 90), 300, (80, 0)),  # long names need what shapes would take
        ((400, 80, 90), 400, (80, 90)),  # enough of each name can be read
        ((400, 240, 90), 300, (150, 0)),  # types take half at most
        ((400, 240, 90), 1000, (170, 90)),
        ((60, 30, 90), 100, (60, 0)),
    ],
)
def test_names_have_most_and_shapes_are_whole_or_left_out(
    needs: tuple[int, int, int], room: int, widths: tuple[int, int]
) -> None:
    wish = dict(zip((NAME, TYPE, OUTPUT), needs, strict=True))
    found = shares(wish, wish, room)
    assert (found[TYPE], found[OUTPUT]) == widths


def test_shapes_that_are_to_be_kept_are_whole_however_little_is_left() -> None:
    wish = {NAME: 400, TYPE: 80, OUTPUT: 90}
    assert shares(wish, wish, 300, keep_output=True)[OUTPUT] == 90


def test_a_few_long_types_and_shapes_push_no_column_out() -> None:
    needs, usual = {NAME: 50, TYPE: 123, OUTPUT: 180}, {NAME: 50, TYPE: 80, OUTPUT: 100}
    assert shares(needs, usual, 230) == {TYPE: 80, OUTPUT: 100}
    assert shares(needs, usual, 290) == {TYPE: 80, OUTPUT: 160}
    assert shares(needs, usual, 330) == {TYPE: 100, OUTPUT: 180}
    assert shares(needs, usual, 460) == {TYPE: 123, OUTPUT: 180}


def test_a_few_long_types_give_way_to_names_when_shapes_are_left_out() -> None:
    needs, usual = {NAME: 400, TYPE: 150, OUTPUT: 90}, {NAME: 300, TYPE: 80, OUTPUT: 90}
    assert shares(needs, usual, 300) == {TYPE: 80, OUTPUT: 0}


@pytest.mark.parametrize(
    ("rows", "needs", "usual"),
    [
        ([], 4, 4),  # the title
        (["x"], 4, 4),
        (["a long one"], 10, 10),
        (["short"] * 9 + ["the only long one"], 17, 5),
        (["short"] * 8 + ["two long ones"] * 2, 13, 13),
    ],
)
def test_a_column_needs_room_for_its_title_and_all_or_most_of_its_rows(rows: list[str], needs: int, usual: int) -> None:
    assert needed(["Name"], [rows], len) == ({0: ROOM + needs}, {0: ROOM + usual})


# Four columns beside the name, the dearest first; the third has nothing to say of any node.
NEEDS = {NAME: 300, 3: 110, 4: 70, 5: 0, TYPE: 200}
USUAL = {NAME: 250, 3: 80, 4: 60, 5: 0, TYPE: 100}


@pytest.mark.parametrize(
    ("room", "kept", "widths"),
    [
        (150, {3}, (80, 0, 0, 0)),  # what is kept stays, and names have the rest
        (260, {3}, (80, 60, 0, 0)),
        (294, {3}, (80, 60, 0, 0)),  # names grow first
        (360, {3}, (80, 60, 0, 100)),
        (480, {3}, (110, 70, 0, 110)),
        (900, {3}, (110, 70, 0, 200)),
        (150, {3, TYPE}, (80, 0, 0, 100)),
    ],
)
def test_after_a_comparison_the_dearest_columns_stay_and_names_can_be_read(
    room: int, kept: set[int], widths: tuple[int, ...]
) -> None:
    found = found_shares(NEEDS, USUAL, room, (3, 4, 5, TYPE), kept)
    assert tuple(found[column] for column in (3, 4, 5, TYPE)) == widths
