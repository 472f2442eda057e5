"""What no language may change of a session and its graph."""

from errorflow.case.session.model import Session
from errorflow.case.session.own_texts import names_of, own_texts
from graph_pairs import graph


def test_notes_are_the_users_own() -> None:
    session = Session(notes={"a": "see line 3"}, note="of the session")
    assert {"see line 3", "of the session"} <= set(own_texts(session))


def test_names_that_could_be_taken_for_words_are_kept() -> None:
    found = names_of(graph(("Conv", "Conv to Relu", "x", "a"), ("Relu", "plain", "a", "y")))
    assert found == {"Conv to Relu"}
