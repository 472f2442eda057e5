"""What was to be seen, by names that another start understands."""

from hypothesis import given
from hypothesis import strategies as st

from errorflow_viewer.drawings import Form, first_picture
from errorflow_viewer.sights import groups_of, names_of, place_of, sight_of, sights_of
from errorflow_viewer.state import Place, Sight
from viewer.models import branching_graph, chain

SCOPED = first_picture(branching_graph(), Form())


def test_names_tell_all_groups_apart() -> None:
    outline = first_picture(chain(400), Form()).outline
    names = names_of(outline)
    assert len(outline) > 1
    assert len(set(names)) == len(names)


@given(st.data())
def test_groups_are_found_again_by_their_names(data: st.DataObject) -> None:
    outline = first_picture(chain(120), Form()).outline
    groups = data.draw(st.frozensets(st.integers(0, len(outline) - 1)) if len(outline) else st.just(frozenset()))
    names = names_of(outline)
    assert groups_of(tuple(names[group] for group in groups), outline) == groups


def test_names_of_groups_that_are_gone_are_passed_over() -> None:
    assert groups_of(("gone",), SCOPED.outline) == frozenset()


def test_what_is_seen_comes_back() -> None:
    sight = Sight(SCOPED.groups, 12.5, -3.0, 0.75, SCOPED.drawing.size)
    kept = sights_of(Place((0,), -1), "down", SCOPED, sight)
    assert place_of(kept) == Place((0,), -1)
    assert sight_of(kept, SCOPED) == sight


def test_all_in_sight_is_all_in_sight_again() -> None:
    sight = Sight(SCOPED.groups, 0.0, 0.0, 0.3, SCOPED.drawing.size, fitted=True)
    found = sight_of(sights_of(Place(), "auto", SCOPED, sight), SCOPED)
    assert found is not None and found.fitted


def test_where_nothing_is_drawn_only_the_place_is_kept() -> None:
    kept = sights_of(Place(function=2), "auto", None, None)
    assert place_of(kept) == Place(function=2)
    assert sight_of(kept, SCOPED) is None
    assert kept.zoom == 0.0
