"""What was to be seen, by names that another start understands."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.case.session.model import Sights
from errorflow.graph.model import Model
from errorflow_viewer.document.state import Place, Sight, Spot
from errorflow_viewer.document.viewpoint import form_of, groups_of, names_of, pictures_of, place_of, sight_of, sights_of
from errorflow_viewer.kit.drawings import Form, first_picture
from viewer.models import branching_graph, branching_model, chain

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
    kept = sights_of(Spot(Place((0,), -1)), "down", SCOPED, sight)
    assert place_of(kept) == Place((0,), -1)
    assert sight_of(kept, SCOPED) == replace(sight, stays=True)


def test_all_in_sight_is_all_in_sight_again() -> None:
    sight = Sight(SCOPED.groups, 0.0, 0.0, 0.3, SCOPED.drawing.size, fitted=True)
    found = sight_of(sights_of(Spot(Place()), "auto", SCOPED, sight), SCOPED)
    assert found is not None and found.fitted


def test_it_is_drawn_for_the_room_that_it_was_made_for() -> None:
    graph = chain(400)
    model = Model(Path("/chain.onnx"), "ONNX model", graph)
    then = first_picture(graph, Form(width=500, height=900))
    kept = sights_of(Spot(Place()), "auto", then, Sight(then.groups, 0.0, 0.0, 1.0, then.drawing.size))
    now = Form("down", quiet=True, width=1400, height=500)
    again = pictures_of(model, form_of(kept, now), kept)[graph]
    assert np.array_equal(again.drawing.boxes, then.drawing.boxes)
    assert (again.groups, again.columns, again.form) == (then.groups, then.columns, then.form)
    assert not np.array_equal(first_picture(graph, now).drawing.boxes, then.drawing.boxes)


def test_what_an_older_session_does_not_say_is_as_it_is_now() -> None:
    kept = Sights("columns", open_groups=("block",), zoom=0.5, x=10.0, y=20.0)
    now = Form("down", quiet=True, width=1400, height=500)
    assert form_of(kept, now) == replace(now, view="columns")
    assert form_of(Sights("columns"), now) == now


@pytest.mark.parametrize(("width", "height"), [(1, 1 << 30), (1 << 30, 1)])
def test_no_room_is_beyond_all_bounds(width: int, height: int) -> None:
    form = form_of(Sights(open_groups=(), room_width=width, room_height=height), Form())
    assert 1 / 256 < form.aspect < 256


def test_a_graph_that_is_not_there_any_more_is_passed_over() -> None:
    model = branching_model()
    kept = Sights(bodies=(7,), open_groups=(), room_width=800, room_height=600)
    assert set(pictures_of(model, Form(), kept)) == {model.graph}


def test_a_body_that_was_on_view_is_drawn_beside_the_main_graph() -> None:
    model = branching_model()
    kept = Sights(bodies=(1,), open_groups=(), room_width=800, room_height=600)
    assert set(pictures_of(model, Form(), kept)) == {model.graph, model.graph.at((1,))}


def test_where_nothing_is_drawn_only_the_place_is_kept() -> None:
    kept = sights_of(Spot(Place(function=2)), "auto", None, None)
    assert place_of(kept) == Place(function=2)
    assert sight_of(kept, SCOPED) is None
    assert kept.zoom == 0.0
