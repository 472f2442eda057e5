"""The parts of a model that a question speaks of: what of them is coded, and who they are.

Tensors are coded, not nodes: a part is switched through its tensors, with all that hold the same codes under another
name, since one of these in float frees nothing as long as the others are codes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.quant.asking import asked_nodes, is_known
from errorflow.quant.assign import Assigned
from errorflow.quant.selecting import chosen, keys_of
from errorflow.quant.units import main_node
from errorflow.study.rank.coded import CodedGraph
from errorflow.study.rank.model import Kind, Part, Question

# Names of tensors that all parts together may have: whole upstreams of a large model are more than anyone reads.
MOST_NAMES = 8_000_000
INPUT, WEIGHT, GROUP = "Input", "weight", "Group"
_NEAR = 3


@dataclass(frozen=True, slots=True)
class _Draft:
    """A part by numbers of nodes, the main one first, and of tensors."""

    name: str
    type: str
    nodes: Sequence[int]
    tensors: Sequence[int]
    # Those by which it is asked for; of what goes with others only its own.
    known_by: Sequence[int]


def parts_of(graph: Graph, assigned: Assigned, question: Question) -> tuple[Part, ...]:
    """Lists parts in the order of running; raises a `UsageError` on names that the model does not have, and without
    parts.
    """
    coded = CodedGraph(graph, assigned)
    if not assigned.coded:
        raise UsageError("The plan quantizes nothing of the model.", "Choose a preset, or quantize something.")
    if question.kind == "group":
        found = list(_groups(coded, question))
    else:
        found = list(_DRAFTS[question.kind](coded))
        found = _interesting(coded, found, question)
    if not found:
        raise UsageError("Nothing that is asked for is quantized.", "Ask for other nodes, or without --only for all.")
    return _named_apart(coded, found)


def meant(graph: Graph, text: str) -> tuple[frozenset[int], frozenset[int]]:
    """The numbers of the nodes and tensors that a text names; who has that very name is meant before all else."""
    text = text.strip()
    tensor = graph.tensor_index(text)
    tensors = frozenset(() if tensor is None else (tensor,))
    if tensors and not is_known(graph, text):
        return frozenset(), tensors
    return frozenset(np.flatnonzero(chosen(graph, asked_nodes(graph, text))).tolist()), tensors


def outputs_of(graph: Graph, names: Iterable[str], measured: Sequence[str]) -> tuple[str, ...]:
    """The tensors of that name, and what nodes of that name make; all of it can be `measured`."""
    found: dict[str, None] = {}
    for name in names:
        text = name.strip()
        if text in measured:
            found[text] = None
            continue
        made = [graph.tensor_names[tensor] for tensor in _made(graph, keys_of(graph).nodes.get(text, ()))]
        numbers = [each for each in made if each in measured]
        if made and not numbers:
            raise UsageError(f"What {text[:100]} makes holds no numbers.", "Choose another node or tensor.")
        if not numbers:
            near = get_close_matches(text, [*measured, *keys_of(graph).nodes], _NEAR, 0.4)
            hint = f"Did you mean {', '.join(near)}?" if near else "`errorflow inspect MODEL --nodes` lists them."
            raise UsageError(f"The model makes no tensor {text[:100]}.", hint)
        found |= dict.fromkeys(numbers)
    return tuple(found)


def _made(graph: Graph, nodes: Iterable[int]) -> Iterator[int]:
    for node in nodes:
        yield from (tensor for tensor in graph.node_outputs[node].tolist() if tensor >= 0)


def _units(coded: CodedGraph) -> Iterator[_Draft]:
    """Yields what feeds the model, then groups of nodes; each tensor is in one of them."""
    graph, units = coded.graph, coded.units
    owned: dict[int, list[int]] = {}
    for root in coded.roots:
        maker = coded.maker(root)
        if maker < 0:
            yield _of_input(coded, root)
        else:
            owned.setdefault(int(units.of[maker]), []).extend(coded.copies(root))
    for constant in coded.constants:
        readers = coded.readers(constant)
        if readers:
            owned.setdefault(int(units.of[readers[0]]), []).append(constant)
    for unit in sorted(owned):
        members: list[int] = units.nodes[unit].tolist()
        main = main_node(graph, units, unit)
        nodes = [main, *(node for node in members if node != main)]
        yield _Draft(coded.name(main), units.names[unit], nodes, owned[unit], nodes)


def _of_input(coded: CodedGraph, root: int) -> _Draft:
    return _Draft(coded.graph.tensor_names[root], INPUT, (), coded.copies(root), ())


def _nodes(coded: CodedGraph) -> Iterator[_Draft]:
    """Yields nodes with all that they read and make."""
    for node in coded.working:
        tensors = coded.around(node)
        if tensors:
            yield _Draft(coded.name(node), coded.graph.op_types[node], [node], tensors, [node])


def _producers(coded: CodedGraph) -> Iterator[_Draft]:
    for node in coded.working:
        nodes = [node, *coded.feeding(node)]
        tensors = tuple(dict.fromkeys(tensor for each in nodes for tensor in coded.around(each)))
        if tensors:
            yield _Draft(coded.name(node), coded.graph.op_types[node], nodes, tensors, [node])


def _upstreams(coded: CodedGraph) -> Iterator[_Draft]:
    for node, nodes, tensors in coded.upstreams():
        yield _Draft(coded.name(node), coded.graph.op_types[node], nodes, tensors, [node])


def _activations(coded: CodedGraph) -> Iterator[_Draft]:
    for root in coded.roots:
        maker = coded.maker(root)
        if maker < 0:
            yield _of_input(coded, root)
        else:
            name = coded.graph.tensor_names[root]
            yield _Draft(name, coded.graph.op_types[maker], [maker], coded.copies(root), [maker])


def _weights(coded: CodedGraph) -> Iterator[_Draft]:
    for constant in coded.constants:
        readers = coded.readers(constant)
        kind = f"{coded.graph.op_types[readers[0]]} {WEIGHT}" if readers else WEIGHT
        yield _Draft(coded.graph.tensor_names[constant], kind, readers, [constant], readers)


def _tensors(coded: CodedGraph) -> Iterator[_Draft]:
    """Yields both, by the node that makes or first reads them."""
    place = coded.places
    found = [*_activations(coded), *_weights(coded)]
    yield from sorted(found, key=lambda draft: place[draft.nodes[0]] if draft.nodes else -1)


_DRAFTS = {
    "unit": _units,
    "node": _nodes,
    "tensor": _tensors,
    "weight": _weights,
    "activation": _activations,
    "producer": _producers,
    "upstream": _upstreams,
}


def _groups(coded: CodedGraph, question: Question) -> Iterator[_Draft]:
    if not question.only:
        raise UsageError("No group is given.", "Give some with --group a+b.")
    for names in question.only:
        nodes: dict[int, None] = {}
        tensors: dict[int, None] = {}
        for name in names:
            found, alone = meant(coded.graph, name)
            nodes |= dict.fromkeys(sorted(found, key=coded.places.__getitem__))
            tensors |= dict.fromkeys(() if found else (copy for each in alone for copy in coded.copies(each)))
        tensors |= dict.fromkeys(tensor for node in nodes for tensor in coded.around(node))
        if not tensors:
            raise UsageError(f"Nothing of {'+'.join(names)[:200]} is quantized.", "Put others together.")
        kind = coded.graph.op_types[next(iter(nodes))] if len(nodes) == 1 else GROUP
        yield _Draft("+".join(name.strip() for name in names), kind, list(nodes), list(tensors), list(nodes))


def _interesting(coded: CodedGraph, drafts: list[_Draft], question: Question) -> list[_Draft]:
    """Chooses the parts that the question names; all if it names none."""
    if not question.only:
        return drafts
    wanted = [meant(coded.graph, name) for names in question.only for name in names]
    nodes = frozenset().union(*(found for found, _ in wanted))
    tensors = frozenset().union(*(found for _, found in wanted))
    by_tensor = question.kind not in ("node", "producer", "upstream")
    made = {coded.maker(tensor) for tensor in tensors} - {-1}
    return [
        draft
        for draft in drafts
        if not nodes.isdisjoint(draft.known_by)
        or (by_tensor and not tensors.isdisjoint(draft.tensors))
        or (not by_tensor and not made.isdisjoint(draft.known_by))
    ]


def _named_apart(coded: CodedGraph, drafts: Sequence[_Draft]) -> tuple[Part, ...]:
    if sum(len(draft.tensors) + len(draft.nodes) for draft in drafts) > MOST_NAMES:
        raise UsageError("These parts are too many to be ranked at once.", "Ask for some of them with --only.")
    shared = Counter(draft.name for draft in drafts)
    taken: Counter[str] = Counter()
    found = []
    for draft in drafts:
        taken[draft.name] += 1
        number = f" ({taken[draft.name]})" if shared[draft.name] > 1 and taken[draft.name] > 1 else ""
        names = tuple(dict.fromkeys(coded.name(node) for node in draft.nodes))
        tensors = tuple(coded.graph.tensor_names[tensor] for tensor in draft.tensors)
        found.append(Part(draft.name + number, draft.type, names, tensors))
    return tuple(found)


def disjoint(kind: Kind) -> bool:
    """Whether all parts of the kind together are the whole, each tensor in one of them."""
    return kind in ("unit", "tensor")
