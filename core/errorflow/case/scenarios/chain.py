"""A graph for runs that came without a model: operators in the order of the rows, one behind the other."""

from collections.abc import Sequence
from pathlib import Path

from errorflow.compare.match.model import Match, Pair
from errorflow.graph.build import GraphBuilder
from errorflow.graph.loose import leads_on
from errorflow.graph.model import Graph, Model, Problem

FORMAT = "chain of the compared tensors"
_SAYS = (
    "No model was given: the tensors stand one behind the other in the order of the comparison. "
    "What flows where is not known."
)
_TENSOR = "Tensor"
# An operator has no more inputs; a larger number is part of a name, and no reason to make as many empty ones.
_MOST_INPUTS = 1000


def chain_of(match: Match, path: Path) -> Model:
    """A node per operator of the candidate, or per tensor where these belong to none; `path` is what was compared."""
    builder = GraphBuilder(path.name, problems=[Problem(_SAYS)])
    last = ""
    for name, pairs in _operators(match).items():
        last = _add(builder, name, pairs, last)
    facts = (("Content", FORMAT), ("Tensors", f"{len(match.pairs):,}"))
    return Model(path, FORMAT, builder.build(), facts)


def is_chain(graph: Graph) -> bool:
    """Whether it is unknown what flows where in the graph, and what its outputs are."""
    return not leads_on(graph)


def _operators(match: Match) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for pair in match.pairs:
        found.setdefault(_operator(pair), []).append(pair)
    return found


def _operator(pair: Pair) -> str:
    name, side, _ = _ends(pair.tensor)
    return name if side else (pair.node if pair.node else pair.tensor)


def _ends(tensor: str) -> tuple[str, str, str]:
    """`conv1:output:0` in its parts; the name alone where it is not called like that."""
    parts = tensor.rsplit(":", 2)
    if len(parts) == 3 and parts[1] in ("input", "output") and parts[2].isdecimal() and len(parts[2]) < 7:
        return (parts[0], parts[1], parts[2]) if int(parts[2]) < _MOST_INPUTS else (tensor, "", "")
    return tensor, "", ""


def _add(builder: GraphBuilder, name: str, pairs: Sequence[Pair], last: str) -> str:
    """The tensor that the next one hangs on."""
    made = [pair for pair in pairs if _ends(pair.tensor)[1] != "input"]
    reads = [_ends(pair.tensor)[2] for pair in pairs if _ends(pair.tensor)[1] == "input"]
    # Places of what it read stay empty: nobody knows who made that.
    places = [""] * (max(map(int, reads)) + 1 if reads else 0)
    outputs = [pair.tensor for pair in made] if made else [f"{name}:output:0"]
    op_type = next((pair.op_type for pair in pairs if pair.op_type), _TENSOR)
    # The first one reads something too: it is no constant.
    reads_before = [last] if last else [] if places else [""]
    builder.node(op_type, [*places, *reads_before], outputs, name=name)
    for pair in made:
        info = next((side.info for side in (pair.candidate, pair.reference) if side is not None), None)
        if info is not None:
            builder.tensor(pair.tensor, info.dtype, info.shape)
    return outputs[0]
