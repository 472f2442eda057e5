"""Partners of what no name and no place has found: replaced, absorbed by a neighbour, or taken apart."""

from errorflow.explain.difference.flow import Flow
from errorflow.explain.difference.operators import BORDERS, BY_CONSUMER, BY_PRODUCER, CONVERSIONS
from errorflow.explain.difference.work import Found

_SEPARATORS = ("/", "_", ".", ":")
# A way through nodes without partners is followed so far.
_FAR = 32


def by_place(found: Found, there: Flow, here: Flow) -> None:
    """In the order of the files, so that what one absorbs may absorb the next."""
    for node in _free(there, found.of_reference):
        _replace(found, there, here, node)
    for node in _free(there, found.of_reference):
        if there.works[node] in BY_PRODUCER:
            _absorb(found, there, here, node)
    for node in reversed(_free(there, found.of_reference)):
        if there.works[node] in BY_CONSUMER:
            _absorb_upwards(found, there, here, node)
    for node in _free(here, found.of_candidate):
        _derive(found, here, node)


def _free(flow: Flow, partners: dict[int, list[int]]) -> list[int]:
    """Without conversions and constants: they come and go by themselves."""
    types = flow.graph.op_types
    others = {code for code, value in enumerate(types.values) if value in CONVERSIONS or value in BORDERS}
    return [n for n, code in enumerate(types.codes.tolist()) if n not in partners and code not in others]


def _replace(found: Found, there: Flow, here: Flow, node: int) -> None:
    """Links a node with the one that alone stands in its place."""
    before, behind = _data_source(there, node), _readers(there, node)
    if len(found.of_reference.get(before, ())) != 1 or not behind:
        return
    wanted = {c for reader in behind for c in found.of_reference.get(reader, ())}
    candidates = {
        c
        for c in _readers(here, found.of_reference[before][0])
        if c not in found.of_candidate and wanted & set(_readers(here, c))
    }
    if len(candidates) == 1:
        found.add(node, candidates.pop(), "replaced")


def _absorb(found: Found, there: Flow, here: Flow, node: int) -> None:
    """Links a node with the partner of its producer, if that feeds what is behind the node."""
    partners = found.of_reference.get(_data_source(there, node), [])
    if len(partners) == 1 and (_behind(found, there, node) & set(_readers(here, partners[0]))):
        found.add(node, partners[0], "absorbed")


def _absorb_upwards(found: Found, there: Flow, here: Flow, node: int) -> None:
    """Links a node with the partner of its only reader, if that reads what the node did."""
    behind, before = _readers(there, node), found.of_reference.get(_data_source(there, node), [])
    partners = found.of_reference.get(behind[0], []) if len(behind) == 1 else []
    if len(partners) == 1 and any(partners[0] in _readers(here, candidate) for candidate in before):
        found.add(node, partners[0], "absorbed")


def _derive(found: Found, here: Flow, node: int) -> None:
    """Links a node of the candidate with the original of a neighbour whose name its own begins with."""
    name = here.graph.node_names[node]
    for other in (*_readers(here, node), _data_source(here, node)):
        for reference in tuple(found.of_candidate.get(other, ())):
            original = found.reference.node_names[reference]
            if original and name.startswith(original) and name[len(original) :].startswith(_SEPARATORS):
                found.add(reference, node, "derived-name")
                return


def _behind(found: Found, there: Flow, node: int) -> set[int]:
    """Partners of the first nodes behind one that have any."""
    fresh, seen, partners = [node], {node}, set[int]()
    while fresh and len(seen) <= _FAR:
        readers = {reader for one in fresh for reader in _readers(there, one)} - seen
        seen |= readers
        partners.update(c for reader in readers for c in found.of_reference.get(reader, ()))
        fresh = [reader for reader in readers if reader not in found.of_reference]
    return partners


def _readers(flow: Flow, node: int) -> list[int]:
    return list(dict.fromkeys(flow.ends[flow.readers[node][:_FAR]].tolist()))


def _data_source(flow: Flow, node: int) -> int:
    """What makes the first input that a node makes; -1: none does."""
    lines = flow.sources[node]
    return int(flow.starts[lines[0]]) if len(lines) else -1
