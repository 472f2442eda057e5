"""Graphs below operators: whatever a file says, the result is a tree in which every graph can be reached."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_writer import graph, model, op, write_json
from errorflow.base.errors import FormatError
from errorflow.formats import read
from errorflow.graph.model import Model
from errorflow.vendors.ascend.formats.assemble import MAX_GRAPHS, MAX_NESTING, grow


@pytest.fixture
def reads(tmp_path: Path) -> Callable[..., Model]:
    def reading(*graphs: dict[str, Any]) -> Model:
        content = read(write_json(tmp_path / "model.json", model(*graphs, indent=0)))
        assert isinstance(content, Model)
        return content

    return reading


def owner(kind: str, *names: str) -> dict[str, Any]:
    return op("owner", kind) | {"subgraph_name": list(names)}


def texts(made: Model) -> str:
    return " ".join(problem.text for problem in made.problems)


@pytest.mark.parametrize(
    ("kind", "roles"),
    [
        ("If", ["then_branch", "else_branch"]),
        ("StatelessIf", ["then_branch", "else_branch"]),
        ("_If", ["then_branch", "else_branch"]),
        ("While", ["cond", "body"]),
        ("StatelessWhile", ["cond", "body"]),
        ("PartitionedCall", ["f", "b"]),
        ("StatefulPartitionedCall", ["f", "b"]),
        ("Case", ["a", "b"]),
    ],
)
def test_subgraphs_hang_below_their_operator(kind: str, roles: list[str], reads: Callable[..., Model]) -> None:
    made = reads(
        graph(op("x", "Const"), owner(kind, "a", "", "b") | {"subgraph_name": ["a", "b"]}),
        graph(op("p", "Relu"), name="a"),
        graph(op("q", "Relu"), name="b"),
    )

    assert [(body.owner, body.role, body.graph.name) for body in made.graph.subgraphs] == [
        (1, roles[0], "a"),
        (1, roles[1], "b"),
    ]
    assert made.graph.node(1).subgraphs == (0, 1)
    assert made.problems == ()


def test_attributes_of_a_node_in_a_subgraph_are_its_own(reads: Callable[..., Model]) -> None:
    made = reads(
        graph(owner("If", "a")), graph(op("p", "Relu", mark=1), name="a"), graph(op("q", "Relu", mark=2), name="b")
    )

    assert made.graph.subgraphs[0].graph.node(0).attributes["mark"] == 1
    assert made.functions[0].graph.node(0).attributes["mark"] == 2


def test_subgraphs_nest(reads: Callable[..., Model]) -> None:
    made = reads(graph(owner("If", "a")), graph(owner("While", "b"), name="a"), graph(op("q", "Relu"), name="b"))

    assert [path for path, _ in made.graph.walk()] == [(), (0,), (0, 0)]


def test_a_graph_that_nobody_owns_can_be_reached_and_is_noted(reads: Callable[..., Model]) -> None:
    made = reads(graph(op("a", "Relu")), graph(op("b", "Relu"), name="free"))

    assert [function.name for function in made.functions] == ["free"]
    assert "1 graphs belong to no operator: free" in texts(made)


def test_a_subgraph_that_is_missing_is_noted(reads: Callable[..., Model]) -> None:
    assert "asked for but not in the file: gone" in texts(reads(graph(owner("If", "gone"))))


def test_a_graph_with_two_owners_hangs_below_the_first(reads: Callable[..., Model]) -> None:
    made = reads(graph(owner("If", "a", "a")), graph(op("q", "Relu"), name="a"))

    assert len(made.graph.subgraphs) == 1
    assert "asked for by more than one operator" in texts(made)


def test_graphs_of_one_name_are_noted(reads: Callable[..., Model]) -> None:
    made = reads(graph(owner("If", "a")), graph(op("p", "Relu"), name="a"), graph(op("q", "Relu"), name="a"))

    assert made.graph.subgraphs[0].graph.node_names == ("p",)
    assert "have a name that another one has: a" in texts(made)


def test_a_graph_below_itself_is_cut(reads: Callable[..., Model]) -> None:
    made = reads(graph(owner("If", "net")), graph(owner("If", "b"), name="a"), graph(owner("If", "a"), name="b"))

    assert made.graph.subgraphs == ()
    assert [len(list(function.graph.walk())) for function in made.functions] == [2]


def test_nesting_has_an_end(reads: Callable[..., Model]) -> None:
    depth = 3 * MAX_NESTING
    made = reads(*[graph(owner("If", f"g{number + 1}"), name=f"g{number}") for number in range(depth)])

    assert max(len(path) for path, _ in made.graph.walk()) == MAX_NESTING
    assert len(list(made.graphs())) == depth


def test_too_many_graphs_are_a_sentence(reads: Callable[..., Model]) -> None:
    with pytest.raises(FormatError, match="more than"):
        reads(graph(op("a", "Relu")), *[{} for _ in range(MAX_GRAPHS)])
    with pytest.raises(FormatError, match="more than"):
        reads(*[{"op": []} for _ in range(MAX_GRAPHS + 1)])


names = st.sampled_from(["a", "b", "c", "d", "gone"])


@given(
    st.lists(names, min_size=1, max_size=6).flatmap(
        lambda own: st.tuples(
            st.just(own),
            st.lists(
                st.lists(st.tuples(st.integers(0, 3), st.just("role"), names), max_size=3),
                min_size=len(own),
                max_size=len(own),
            ),
        )
    )
)
def test_any_wishes_give_a_tree_with_every_graph(given_: tuple[list[str], list[list[tuple[int, str, str]]]]) -> None:
    own, wanted = given_
    tree = grow(own, wanted)

    children = [link.child for row in tree.below for link in row]
    assert sorted(tree.order) == list(range(len(own)))
    assert sorted([*children, *tree.roots]) == list(range(len(own)))
    assert tree.roots[0] == 0
    places = {position: place for place, position in enumerate(tree.order)}
    assert all(places[parent] < places[link.child] for parent, row in enumerate(tree.below) for link in row)
