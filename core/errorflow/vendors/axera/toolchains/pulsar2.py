"""Pulsar2's build configuration: the type of each layer's data."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from errorflow.base import Progress, dataclass, field, replace
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.selecting import chosen
from errorflow.quant.steps import STRENGTH, THRESHOLD, Smooth, with_step
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import Decision, LeftOut, Reading, Toolchain, Want, WrittenFiles
from errorflow.report.toolchains.texts import json_of, listed, mapping
from errorflow.report.toolchains.wanting import (
    MOVED,
    NO_NAME,
    TENSOR,
    in_graph,
    left_out,
    moves,
    names_of,
    plan_of,
    untold_steps,
    wants_of,
)

FILE = "pulsar2_config.json"
# For these alone its documentation has float; it ignores the wish of others without a word.
IN_FLOAT = ("LeakyRelu", "Sigmoid", "Relu", "Add", "Mul", "Div", "Sub", "Concat", "Softmax")
_TYPES = {"uint8": "U8", "int8": "S8", "uint16": "U16", "int16": "S16"}
_CODES = {word: dtype for dtype, word in _TYPES.items()}
_FLOAT, _NEAREST = "FP32", "U16"
_METHODS = {"minmax": "MinMax", "percentile": "Percentile", "mse": "MSE", "entropy": "KL"}
_NAMES = (
    "Names must be those of output/frontend/optimized.onnx, which `pulsar2 build` writes: where its front end renames "
    "or merges nodes, open that file here and decide on it."
)
_HINT = "Take the JSON that `pulsar2 build --config` is given."


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    graph = decision.graph
    lost: list[LeftOut] = []
    wanted: dict[int, Spec] = {}
    for node, want in wants_of(decision).items():
        if moves(graph, node):
            lost.append(left_out(graph, node, MOVED, "as those that read it"))
            continue
        wanted[node], why = _spec(graph.op_types[node], want)
        if why:
            lost.append(left_out(graph, node, why, _told(wanted[node])))
    lost += [*_outputs(decision, wanted), *untold_steps(decision, (Smooth,))]
    entries = Entries(graph, names_of(graph), wanted)
    entries.fill()
    lost += [left_out(graph, node, NO_NAME, entries.usual) for node in entries.unnamed]
    document = {} if base is None else json_of(base, _HINT)
    quant = dict(mapping(document.get("quant")))
    notes = [_NAMES]
    if base is not None:
        before = quant.get("layer_configs")
        count = len(before) if isinstance(before, list) else 0
        notes.append(f"{base.name} was the start: its {count:,} layer_configs are replaced, all else is kept.")
    method = _method(decision)
    if method and "calibration_method" not in quant:
        quant["calibration_method"] = method
    quant |= _smoothing(decision.plan)
    quant["layer_configs"] = entries.made
    text = json.dumps({**document, "quant": quant}, indent=2, ensure_ascii=False) + "\n"
    return WrittenFiles({FILE: text}, left_out=tuple(lost), notes=tuple(notes))


# Pulsar2's layer_configs: which nodes an entry speaks of, and the fewest entries for what is wanted of each node.
#
# What a name says counts before what its type says, and that before what a subgraph says.

DEFAULT = "DEFAULT"
FIRST = "U8"
_WORDS = ("U8", "S8", "U16", "S16", "FP32")
# Fewer nodes than that are told by name.
_FEW = 3
Entry = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Spec:
    """Values of an entry; "": nothing of that."""

    data: str = ""
    output: str = ""
    weight: str = ""

    def over(self, before: "Spec") -> "Spec":
        return Spec(
            self.data if self.data else before.data,
            self.output if self.output else before.output,
            self.weight if self.weight else before.weight,
        )

    @property
    def fields(self) -> dict[str, object]:
        named = (("data_type", self.data), ("output_data_type", self.output), ("weight_data_type", self.weight))
        return {key: value for key, value in named if value}


def said_of(graph: Graph, entries: object) -> list[Spec]:
    """Finds by node what the entries say of it."""
    found = [Spec(FIRST)] * len(graph)
    ranked = sorted((mapping(entry) for entry in entries) if isinstance(entries, list) else [], key=_rank)
    for entry in ranked:
        spec = Spec(*(_word(entry.get(key)) for key in ("data_type", "output_data_type", "weight_data_type")))
        for node in np.flatnonzero(chosen(graph, _rule(entry))).tolist() if not _is_all(entry) else range(len(graph)):
            found[node] = spec.over(found[node])
    return found


def names_in(entries: object) -> tuple[str, ...]:
    return tuple(name for entry in entries for name in _rule(mapping(entry)).names) if isinstance(entries, list) else ()


def odd_entries(entries: object) -> int:
    """Counts entries that name nothing, or no type that is known; all of what is no list counts as one."""
    if not isinstance(entries, list):
        return int(entries is not None)
    return sum(not _is_known(mapping(entry)) for entry in entries)


def _is_known(entry: Entry) -> bool:
    words = [_word(entry.get(key)) for key in ("data_type", "output_data_type", "weight_data_type")]
    rule = _rule(entry)
    names = bool(rule.names or rule.types or rule.starts or rule.ends)
    return names and any(words) and set(words) <= {*_WORDS, ""}


def _rank(entry: Entry) -> int:
    """Ranks an entry: what counts more, the larger."""
    rule = _rule(entry)
    return 0 if _is_all(entry) else 3 if rule.names else 2 if rule.types else 1


def _is_all(entry: Entry) -> bool:
    return DEFAULT in (*listed(entry.get("start_tensor_names")), *listed(entry.get("end_tensor_names")))


def _rule(entry: Entry) -> Rule:
    def both(one: str) -> tuple[str, ...]:
        return (*listed(entry.get(one)), *listed(entry.get(f"{one}s")))

    names = tuple(name for name in both("layer_name") if "*" not in name)
    starts, ends = (listed(entry.get(f"{side}_tensor_names")) for side in ("start", "end"))
    return Rule(types=both("op_type"), names=names, starts=starts, ends=ends)


def _word(value: object) -> str:
    return value.upper() if isinstance(value, str) else ""


@dataclass(slots=True)
class Entries:
    """Made one after the other; `unnamed` are nodes that no entry can speak of."""

    graph: Graph
    names: tuple[str, ...]
    wanted: Mapping[int, Spec]
    made: list[Entry] = field(default_factory=list)
    unnamed: list[int] = field(default_factory=list)

    def fill(self) -> None:
        usual = self.usual
        if usual != FIRST:
            self.made.append({"start_tensor_names": [DEFAULT], "end_tensor_names": [DEFAULT], "data_type": usual})
        rest = {node: spec for node, spec in self.wanted.items() if spec != Spec(usual)}
        self._types(rest)
        if usual == FIRST:  # which of two subgraphs counts that both hold a node is nowhere written
            self._subgraphs(rest)
        self._names(rest)

    @property
    def usual(self) -> str:
        """The type of most nodes: that of the whole model, and of nodes that no entry speaks of."""
        counts = Counter(spec.data for spec in self.wanted.values() if spec.data != "FP32")
        return counts.most_common(1)[0][0] if counts else FIRST

    def _types(self, rest: dict[int, Spec]) -> None:
        types = list(self.graph.op_types)
        by_type: dict[str, set[Spec]] = {}
        for node, spec in self.wanted.items():
            by_type.setdefault(types[node], set()).add(spec)
        by_spec: dict[Spec, list[str]] = {}
        for kind, specs in by_type.items():
            nodes = [node for node in rest if types[node] == kind]
            if len(specs) == 1 and len(nodes) > 1:
                by_spec.setdefault(specs.pop(), []).append(kind)
                for node in nodes:
                    del rest[node]
        for spec, kinds in by_spec.items():
            self._add("op_type", kinds, spec)

    def _subgraphs(self, rest: dict[int, Spec]) -> None:
        told = self.wanted.keys() - rest.keys()
        higher = {node for node in told if self.wanted[node] != Spec(FIRST)}
        for spec in dict.fromkeys(rest.values()):
            for part in self._parts([node for node in rest if rest[node] == spec]):
                found = self._way(part, higher) if len(part) >= _FEW else None
                if found is not None:
                    starts, ends = found
                    self.made.append({"start_tensor_names": starts, "end_tensor_names": ends, **spec.fields})
                    for node in part:
                        del rest[node]

    def _parts(self, nodes: Sequence[int]) -> Iterator[list[int]]:
        """Yields nodes that hang together, over nodes that only move values too."""
        wanted, seen = set(nodes), set[int]()
        for first in nodes:
            if first in seen:
                continue
            group = [first]
            seen.add(first)
            for node in group:
                near = [other for other in self._near(node) if other not in seen and self._joins(other, wanted)]
                seen.update(near)
                group += near
            yield sorted(node for node in group if node in wanted)

    def _joins(self, node: int, wanted: set[int]) -> bool:
        return node in wanted or (moves(self.graph, node) and node not in self.wanted)

    def _near(self, node: int) -> list[int]:
        facts, graph = facts_of(self.graph), self.graph
        makers = [int(graph.producers[tensor]) for tensor in facts.read[node]]
        readers = [reader for tensor in facts.made[node] for reader in graph.consumers[tensor].tolist()]
        return [other for other in dict.fromkeys((*makers, *readers)) if other >= 0]

    def _way(self, part: Sequence[int], higher: set[int]) -> tuple[list[str], list[str]] | None:
        """Tensors between which exactly these nodes are, and those that other entries speak of before."""
        facts, graph = facts_of(self.graph), self.graph
        inside, outside = set(part), frozenset(graph.outputs.tolist())
        read = dict.fromkeys(t for node in part for t in facts.read[node] if int(graph.producers[t]) not in inside)
        made = dict.fromkeys(
            tensor
            for node in part
            for tensor in facts.made[node]
            if tensor in outside or not inside.issuperset(graph.consumers[tensor].tolist())
        )
        if len(read) + len(made) >= len(part):
            return None
        starts, ends = ([graph.tensor_names[tensor] for tensor in side] for side in (read, made))
        meant = np.flatnonzero(chosen(graph, Rule(starts=tuple(starts), ends=tuple(ends)))).tolist()
        others = {node for node in meant if node in self.wanted} - higher
        return (starts, ends) if others == inside and inside <= set(meant) else None

    def _names(self, rest: Mapping[int, Spec]) -> None:
        by_spec: dict[Spec, list[str]] = {}
        for node, spec in rest.items():
            if self.names[node]:
                by_spec.setdefault(spec, []).append(self.names[node])
            else:
                self.unnamed.append(node)
        for spec, names in by_spec.items():
            self._add("layer_name", names, spec)

    def _add(self, key: str, values: Sequence[str], spec: Spec) -> None:
        who: dict[str, object] = {key: values[0]} if len(values) == 1 else {f"{key}s": list(values)}
        self.made.append({**who, **spec.fields})


def _spec(kind: str, want: Want) -> tuple[Spec, str]:
    """The nearest that there is, and why it is not the same; "": it is."""
    data, weights = want.activations, want.weights
    if not isinstance(data, Precision):
        if kind not in IN_FLOAT:
            return Spec(_NEAREST), f"Pulsar2 has no float for {kind}."
        return Spec(_FLOAT), ""
    word = _TYPES.get(data.dtype, "U8" if not data.signed else "S8")
    why = "" if data.dtype in _TYPES else f"Pulsar2 has no data of {data.bits} bits."
    if isinstance(weights, Precision) and weights.bits != 8:
        return Spec(word), f"Pulsar2's weights have 8 bits or are float, not {weights.bits} bits."
    if weights == FLOAT:
        if kind != "Conv":
            return Spec(word), f"Pulsar2 has float weights for Conv only, not for {kind}."
        return Spec(word, weight=_FLOAT), why
    return Spec(word), why


def _told(spec: Spec) -> str:
    return spec.data if not spec.weight else f"{spec.data}, weights {spec.weight}"


def _outputs(decision: Decision, wanted: dict[int, Spec]) -> list[LeftOut]:
    """Lists outputs: what a Conv makes may be float; of no other single tensor can it be told."""
    graph, lost = decision.graph, []
    for name, wish in decision.plan.tensors:
        number = graph.tensor_index(name)
        maker = -1 if number is None else int(graph.producers[number])
        if maker in wanted and graph.op_types[maker] == "Conv" and wish == FLOAT and wanted[maker].data != _FLOAT:
            wanted[maker] = replace(wanted[maker], output=_FLOAT)
        else:
            lost.append(LeftOut(name, TENSOR))
    return lost


def _smoothing(plan: Plan) -> dict[str, object]:
    found = next((step for step in plan.steps if isinstance(step, Smooth)), None)
    if found is None:
        return {}
    words = ("smooth_quant_strength", found.strength), ("smooth_quant_threshold", found.threshold)
    return {"enable_smooth_quant": True, **dict(words)}


def _method(decision: Decision) -> str:
    method = "" if decision.calibration is None else decision.calibration.method
    return _METHODS.get(method, "Percentile" if method.startswith("percentile") else "")


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    document = json_of(path, _HINT)
    # Some write what belongs into "quant" alone.
    quant = mapping(document.get("quant", document))
    entries = quant.get("layer_configs")
    said = said_of(graph, entries)
    _, notes = in_graph(graph, names_in(entries))
    base = _base(entries)
    facts = facts_of(graph)
    wants, ignored, tensors = {}, 0, []
    for node, spec in enumerate(said):
        kind = facts.types[node]
        is_ignored = spec.data == _FLOAT and kind not in IN_FLOAT
        ignored += is_ignored and facts.flows[node] and not moves(graph, node)
        if facts.flows[node] and not is_ignored and spec.data in (*_CODES, _FLOAT):
            wants[node] = _want(spec, base, facts.weighted[node])
        if spec.output == _FLOAT and kind == "Conv":
            tensors += [(graph.tensor_names[made], FLOAT) for made in facts.made[node]]
    if ignored:
        notes = (*notes, f"FP32 is asked for {ignored:,} nodes for which Pulsar2 does not have it, and ignores it.")
    odd = odd_entries(entries)
    if odd:
        notes = (*notes, f"{odd:,} of the layer_configs say nothing that is known here.")
    found = plan_of(graph, base, wants)
    for name, wish in tensors:
        found = found.with_tensor(name, wish)
    if quant.get("enable_smooth_quant") is True:
        strength, threshold = (
            _share(quant.get(f"smooth_quant_{key}"), usual)
            for key, usual in (("strength", STRENGTH), ("threshold", THRESHOLD))
        )
        found = replace(found, steps=with_step(found.steps, Smooth(strength, threshold)))
    return Reading(found, notes)


def _share(value: object, usual: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isinstance(value, int | float) else usual


def _base(entries: object) -> Plan:
    """Plans the type that the entry for all names; without one it is 8 bits."""
    every = [mapping(entry) for entry in entries] if isinstance(entries, list) else []
    word = next((str(each["data_type"]) for each in reversed(every) if _is_default(each)), FIRST)
    if word == "U16":
        return preset("pulsar2-u16").plan
    plan = preset("pulsar2-u8").plan
    return replace(plan, activations=Precision(_CODES[word])) if word in _CODES and word != FIRST else plan


def _is_default(entry: Mapping[str, object]) -> bool:
    return "data_type" in entry and entry.get("start_tensor_names") in (["DEFAULT"], "DEFAULT")


def _want(spec: Spec, base: Plan, has_weights: bool) -> Want:
    if spec.data == _FLOAT:
        return Want(FLOAT, FLOAT if has_weights else None)
    data = Precision(_CODES[spec.data])
    if not has_weights:
        return Want(data)
    return Want(data, FLOAT if spec.weight == _FLOAT else base.weights)


PULSAR2 = Toolchain(
    "pulsar2",
    "Axera Pulsar2",
    "a build configuration with layer_configs by name, type and subgraph",
    _write,
    _read,
    lambda name, head: name.endswith(".json") and ('"layer_configs"' in head or '"calibration_method"' in head),
    takes_base=True,
)
