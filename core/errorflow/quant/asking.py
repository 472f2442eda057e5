"""Nodes that a text names: by name, by type, or by their place between tensors and nodes.

A name that a node has is meant before all else, whatever is in it.
"""

from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.graph.model import Graph
from errorflow.quant.plan import Rule
from errorflow.quant.selecting import chosen, keys_of

TYPE, AFTER, BEFORE, WAY = "type:", "after:", "before:", ".."
FORMS = "NODE, type:TYPE, after:NAME, before:NAME or NAME..NAME"
# So many names are proposed.
_NEAR = 3


def asked_nodes(graph: Graph, text: str) -> Rule:
    """A rule without wishes; raises a `UsageError` where it means no node."""
    found = _rule(graph, text.strip())
    if not chosen(graph, found).any():
        raise UsageError(f"No node is meant by {text[:200]}.", f"Write {FORMS}.")
    return found


def _rule(graph: Graph, text: str) -> Rule:
    if is_known(graph, text):
        return Rule(names=(text,))
    if text.startswith(TYPE):
        return Rule(types=(_type(graph, text.removeprefix(TYPE)),))
    if text.startswith(AFTER):
        return _after(graph, text.removeprefix(AFTER))
    if text.startswith(BEFORE):
        return Rule(ends=_ends(graph, text.removeprefix(BEFORE)))
    for at in _places(text, WAY):
        first, last = text[:at], text[at + len(WAY) :]
        if _exists(graph, first) and _exists(graph, last):
            return _way(graph, first, last)
    raise _unknown(graph, text)


def _way(graph: Graph, first: str, last: str) -> Rule:
    found = Rule(starts=_ends(graph, first), ends=_ends(graph, last))
    if not chosen(graph, found).any():
        raise UsageError(f"No node lies on the way from {first[:100]} to {last[:100]}.", "Name the first one first.")
    return replace(found, names=_after(graph, first).names)


def _after(graph: Graph, name: str) -> Rule:
    nodes = keys_of(graph).nodes.get(name, [])
    return Rule(names=(name,) if nodes else (), starts=_ends(graph, name))


def _ends(graph: Graph, name: str) -> tuple[str, ...]:
    """The tensor of that name, or what the node of that name makes."""
    nodes = keys_of(graph).nodes.get(name, [])
    if nodes:
        return tuple(tensor for node in nodes for tensor in _made(graph, node))
    if graph.tensor_index(name) is None:
        raise _unknown(graph, name)
    return (name,)


def _exists(graph: Graph, name: str) -> bool:
    return name in keys_of(graph).nodes or graph.tensor_index(name) is not None


def is_known(graph: Graph, text: str) -> bool:
    """Whether it is the name of a node; * stands for anything."""
    if "*" in text:
        return bool(chosen(graph, Rule(names=(text,))).any())
    return text in keys_of(graph).nodes


def _type(graph: Graph, name: str) -> str:
    types = sorted(graph.op_types.values)
    if name in types:
        return name
    near = get_close_matches(name, types, _NEAR, 0.4)
    raise UsageError(f"No node is a {name[:80]}.", f"There are {', '.join(near if near else types[:20])}.")


def _places(text: str, sign: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(sign, at)]


def _made(graph: Graph, node: int) -> tuple[str, ...]:
    row = graph.node_outputs[node]
    return tuple(graph.tensor_names[tensor] for tensor in np.asarray(row)[row >= 0].tolist())


def _unknown(graph: Graph, text: str) -> UsageError:
    """A wish that no node hears would change nothing and not say so."""
    name = text.removeprefix(AFTER).removeprefix(BEFORE)
    near = get_close_matches(name, [*keys_of(graph).nodes, *graph.tensor_names], _NEAR, 0.4)
    hint = f"Did you mean {', '.join(near)}?" if near else "`errorflow inspect MODEL --nodes` lists them."
    return UsageError(f"The model has no node {name[:200]}.", hint)
