"""What the panels share, and how it changes."""

from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.document.document import HISTORY, Document, found_again
from errorflow_viewer.document.state import Place
from viewer.models import branching_model


@pytest.fixture
def document(qapp: object) -> Document:
    document = Document()
    document.open(branching_model())
    return document


def changes(document: Document) -> list[frozenset[str]]:
    seen: list[frozenset[str]] = []
    document.changed.connect(seen.append)
    return seen


def named_model(*names: str) -> Model:
    builder = GraphBuilder()
    for number, name in enumerate(names):
        builder.node("Relu", [f"t{number}"], [f"t{number + 1}"], name=name)
    return Model(Path("/models/named.onnx"), "ONNX model", builder.build())


def test_a_change_names_the_fields_that_differ(document: Document) -> None:
    seen = changes(document)
    document.select(node=1)
    assert seen == [frozenset({"node"})]


def test_what_changes_nothing_is_not_told(document: Document) -> None:
    document.select(node=1)
    seen = changes(document)
    document.select(node=1)
    assert seen == []


def test_a_node_or_a_tensor_is_selected_never_both(document: Document) -> None:
    document.select(node=1)
    document.select(tensor=0)
    assert (document.state.node, document.state.tensor) == (None, 0)


def test_back_returns_to_where_one_was_and_forward_goes_again(document: Document) -> None:
    document.select(node=0)
    document.go(Place(), node=3)
    document.step_back()
    assert document.state.node == 0
    document.step_forward()
    assert document.state.node == 3


def test_back_leaves_a_subgraph(document: Document) -> None:
    document.select(node=2)
    document.go(Place((1,)))
    assert document.graph is not None and document.graph.name == "else"
    document.step_back()
    assert (document.state.place, document.state.node) == (Place(), 2)


def test_going_elsewhere_forgets_the_way_forward(document: Document) -> None:
    document.go(Place(), node=1)
    document.step_back()
    document.go(Place(), node=2)
    assert document.state.forward == ()


def test_going_where_one_is_asks_the_view_to_travel_but_leaves_no_trace(document: Document) -> None:
    document.go(Place(), node=1)
    before = document.state
    document.go(Place(), node=1)
    assert document.state.visit == before.visit + 1
    assert document.state.back == before.back


def test_the_history_is_limited(document: Document) -> None:
    for step in range(HISTORY * 2):
        document.go(Place(), node=step % 5)
    assert len(document.state.back) == HISTORY


def test_back_and_forward_at_the_ends_do_nothing(document: Document) -> None:
    seen = changes(document)
    document.step_back()
    document.step_forward()
    assert seen == []


def test_a_refined_model_keeps_what_is_selected(document: Document) -> None:
    document.go(Place(), node=3)
    seen = changes(document)
    document.refine(branching_model())
    assert document.state.node == 3
    assert seen == [frozenset({"model"})]


def test_a_model_read_again_keeps_the_selection_by_name(document: Document) -> None:
    document.select(node=3)
    document.renew(branching_model())
    assert document.state.node == 3


@pytest.mark.parametrize(
    ("names", "selected"), [(["", "", ""], 2), (["a", "b", "b"], 2), (["b"], 0), (["a", ""], None)]
)
def test_a_model_read_again_tells_nodes_without_a_name_of_their_own_by_number(
    document: Document, names: list[str], selected: int | None
) -> None:
    name = "b" if "b" in names else ""
    document.open(named_model("x", "y", name))
    document.select(node=2)
    document.renew(named_model(*names))
    assert document.state.node == selected


@pytest.mark.parametrize(("number", "name", "found"), [(2, "", 2), (9, "a", 1), (1, "", None), (-1, "", None)])
def test_a_node_is_found_again_by_its_number_while_that_is_the_same(number: int, name: str, found: int | None) -> None:
    assert found_again(named_model("", "a", "").graph, number, name) == found


def test_a_model_read_again_without_the_place_starts_at_its_beginning(document: Document) -> None:
    document.go(Place((0,)), node=0)
    smaller = branching_model()
    object.__setattr__(smaller.graph, "subgraphs", ())
    document.renew(smaller)
    assert document.state.place == Place()


def test_closing_forgets_everything(document: Document) -> None:
    document.go(Place((0,)), node=0)
    document.close()
    assert document.model is None and document.graph is None
    assert document.state.back == ()


@pytest.mark.parametrize(
    ("place", "way"),
    [
        (Place(), [Place()]),
        (Place((0, 1)), [Place(), Place((0,)), Place((0, 1))]),
        (Place((), 2), [Place(), Place((), 2)]),
    ],
)
def test_the_way_to_a_place_starts_at_the_model(place: Place, way: list[Place]) -> None:
    assert list(place.ancestors()) == way


@pytest.mark.parametrize(
    ("session", "folder"),
    [
        (Session(model=Path("/models/a.onnx")), Path("/models")),
        (Session(setup=Setup("runs", {"candidate": Path("/runs/a.npz")})), Path("/runs")),
        (Session(model=SAMPLES[0].model), None),
        (Session(), None),
    ],
)
def test_files_are_beside_the_model_or_the_runs_and_never_beside_what_is_built_in(
    document: Document, session: Session, folder: Path | None
) -> None:
    document.take_session(session)
    assert document.folder == folder
