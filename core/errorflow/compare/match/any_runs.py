"""Any two runs of a model: by the names of tensors, of operators, and of files."""

from collections.abc import Callable, Iterable, Mapping

from errorflow.base import ErrorflowError, dataclass
from errorflow.compare.match.model import Match, Pair
from errorflow.formats.folders.scan import stem_of
from errorflow.formats.npu.names import written
from errorflow.graph.dump import Dump, Stored
from errorflow.graph.model import Graph

_FIRST_OUTPUT = ".0"


@dataclass(frozen=True, slots=True)
class _Stage:
    """Tensors whose keys are equal belong together, if both runs have the key once only."""

    rule: str
    key: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Made:
    """Place in the model where a tensor is made."""

    place: int
    node: str
    op_type: str


def match_runs(reference: Dump, candidate: Dump, model: Graph | None = None, same: str = "tensor-name") -> Match:
    """Pairs in the order of the model, else of the reference; then what only the candidate has.

    With a model, files that are named after operators find tensors that are named as in the model. `same` is the rule
    by which equal names belong together: what they are names of.
    """
    partners = _partners(list(reference.names()), list(candidate.names()), _stages(model, same))
    made = {} if model is None else _made(model)
    names = tensor_names(model)
    pairs = []
    for name, (partner, rule) in partners.items():
        pairs.append(_pair((candidate, partner), (reference, name), rule, made.get(names(name))))
    taken = {partner for partner, _ in partners.values()}
    lonely = [name for name in dict.fromkeys(candidate.names()) if name not in taken]
    pairs += [_pair((candidate, name), (reference, None), "", made.get(names(name))) for name in lonely]
    if model is not None:
        last = len(model)
        pairs.sort(key=lambda pair: made[names(pair.tensor)].place if names(pair.tensor) in made else last)
    return Match(
        tuple(pairs),
        only_reference=tuple(name for name, (partner, _) in partners.items() if partner is None),
        only_candidate=tuple(lonely),
        network_outputs=_outputs(model, pairs, names),
    )


def _stages(model: Graph | None, same: str) -> Iterable[_Stage]:
    yield _Stage(same, lambda name: name)
    if model is not None:
        yield _Stage("operator-name", tensor_names(model))
    yield _Stage("written-name", stem_of)
    yield _Stage("written-name", lambda name: stem_of(name.removesuffix(_FIRST_OUTPUT)))


def _partners(ours: list[str], theirs: list[str], stages: Iterable[_Stage]) -> dict[str, tuple[str | None, str]]:
    """Maps each tensor of the reference to the candidate's and the rule."""
    found: dict[str, tuple[str | None, str]] = dict.fromkeys(ours, (None, ""))
    for stage in stages:
        taken = {partner for partner, _ in found.values()}
        mine = _once((name for name, (partner, _) in found.items() if partner is None), stage.key)
        other = _once((name for name in theirs if name not in taken), stage.key)
        for key in mine.keys() & other.keys():
            found[mine[key]] = other[key], stage.rule
    return found


def _once(names: Iterable[str], key: Callable[[str], str]) -> dict[str, str]:
    """Names by their key, without those that share it with others."""
    found: dict[str, str | None] = {}
    for name in dict.fromkeys(names):
        found[key(name)] = None if key(name) in found else name
    return {key: name for key, name in found.items() if name is not None}


def _pair(
    candidate: tuple[Dump, str | None], reference: tuple[Dump, str | None], rule: str, made: _Made | None
) -> Pair:
    mine, golden = _stored(*candidate), _stored(*reference)
    problem = next((side for side in (mine, golden) if isinstance(side, str)), "")
    lacking = (
        "only in the reference" if candidate[1] is None else "only in the candidate" if reference[1] is None else ""
    )
    name = candidate[1] if candidate[1] is not None else reference[1]
    assert name is not None
    return Pair(
        name,
        None if isinstance(mine, str) else mine,
        None if isinstance(golden, str) else golden,
        rule="" if lacking or problem else rule,
        note=problem if problem else lacking,
        node="" if made is None else made.node,
        op_type="" if made is None else made.op_type,
    )


def _stored(dump: Dump, name: str | None) -> Stored | str | None:
    """The tensor, or why it cannot be read."""
    if name is None:
        return None
    try:
        return dump.stored(name)
    except ErrorflowError as error:
        return error.message


def _made(model: Graph) -> Mapping[str, _Made]:
    found: dict[str, _Made] = {}
    for place in range(len(model)):
        for tensor in model.node_outputs[place].tolist():
            if tensor >= 0:
                found[model.tensor_names[tensor]] = _Made(place, model.node_names[place], model.op_types[place])
    return found


def tensor_names(model: Graph | None) -> Callable[[str], str]:
    """Makes a function from the name of a file to the tensor in the model: as it is, or as operator and number of the
    output.
    """
    if model is None:
        return lambda name: name
    known: dict[str, str] = {}
    for place, node in enumerate(model.node_names):
        for index, tensor in enumerate(model.node_outputs[place].tolist()):
            if node and tensor >= 0:
                known.setdefault(f"{written(node)}.{index}", model.tensor_names[tensor])
                known.setdefault(f"{stem_of(node)}.{index}", model.tensor_names[tensor])
    for tensor_name in model.tensor_names:
        known.setdefault(stem_of(tensor_name), tensor_name)
    for tensor_name in model.tensor_names:
        known[tensor_name] = tensor_name
    return lambda name: known.get(name, known.get(name.removesuffix(_FIRST_OUTPUT), name))


def _outputs(model: Graph | None, pairs: Iterable[Pair], names: Callable[[str], str]) -> tuple[str, ...]:
    if model is None:
        return ()
    leaving = {model.tensor_names[tensor] for tensor in model.outputs.tolist()}
    return tuple(pair.tensor for pair in pairs if names(pair.tensor) in leaving)
