"""The order in which nodes can run, against networkx."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.graph.order import cyclic_nodes, is_sorted, run_order

SIZE = 9
PAIRS = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=20)


def graph_of(data: list[tuple[int, int]], control: list[tuple[int, int]]) -> Graph:
    """Node i makes tensor ti; a data pair (i, j) lets node j read ti, a control pair lets it wait for node i."""
    builder = GraphBuilder()
    for node in range(SIZE):
        reads = [f"t{start}" for start, end in data if end == node]
        waits = [f"n{start}" for start, end in control if end == node]
        builder.node("Op", reads, [f"t{node}"], name=f"n{node}", waits_for=waits)
    return builder.build()


def oracle(data: list[tuple[int, int]], control: list[tuple[int, int]]) -> "nx.DiGraph":
    view = nx.DiGraph()
    view.add_nodes_from(range(SIZE))
    view.add_edges_from(data + control)
    return view


def in_cycles(view: "nx.DiGraph") -> set[int]:
    loops = {node for node in view if view.has_edge(node, node)}
    return loops.union(*(part for part in nx.strongly_connected_components(view) if len(part) > 1))


@given(PAIRS, PAIRS)
def test_sorted_means_that_every_edge_leads_on(data: list[tuple[int, int]], control: list[tuple[int, int]]) -> None:
    assert is_sorted(graph_of(data, control)) == all(start < end for start, end in data + control)


@given(PAIRS, PAIRS)
def test_run_order_lists_every_node_once(data: list[tuple[int, int]], control: list[tuple[int, int]]) -> None:
    assert sorted(run_order(graph_of(data, control)).tolist()) == list(range(SIZE))


@given(PAIRS, PAIRS)
def test_run_order_is_the_first_in_file_order_that_can_run(
    data: list[tuple[int, int]], control: list[tuple[int, int]]
) -> None:
    view = oracle(data, control)
    waiting = set(in_cycles(view))
    for node in in_cycles(view):
        waiting |= nx.descendants(view, node)
    view.remove_nodes_from(waiting)
    wanted = [*nx.lexicographical_topological_sort(view), *sorted(waiting)]
    assert run_order(graph_of(data, control)).tolist() == wanted


@given(PAIRS, PAIRS)
def test_cyclic_nodes_are_those_from_which_a_way_leads_back(
    data: list[tuple[int, int]], control: list[tuple[int, int]]
) -> None:
    view = oracle(data, control)
    ways = nx.transitive_closure(view, reflexive=False)
    assert cyclic_nodes(graph_of(data, control)).tolist() == sorted(node for node in view if ways.has_edge(node, node))


def test_a_long_chain_listed_backwards_is_sorted() -> None:
    length = 50_000  # deep enough to end any recursion
    builder = GraphBuilder()
    for number in reversed(range(length)):
        builder.node("Op", [f"t{number}"], [f"t{number + 1}"])
    graph = builder.build()
    assert run_order(graph).tolist() == list(reversed(range(length)))
    assert not len(cyclic_nodes(graph))


def test_an_empty_graph_has_an_order() -> None:
    graph = GraphBuilder().build()
    assert is_sorted(graph)
    assert run_order(graph).tolist() == cyclic_nodes(graph).tolist() == []
