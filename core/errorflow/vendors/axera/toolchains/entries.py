"""Pulsar2's layer_configs: which nodes an entry speaks of, and the fewest entries for what is wanted of each node.

What a name says counts before what its type says, and that before what a subgraph says.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from errorflow.graph.model import Graph
from errorflow.quant.plan import Rule
from errorflow.quant.selecting import chosen
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.texts import listed, mapping
from errorflow.report.toolchains.wanting import moves

DEFAULT = "DEFAULT"
FIRST = "U8"
_WORDS = ("U8", "S8", "U16", "S16", "FP32")
# Fewer nodes than that are told by name.
_FEW = 3
Entry = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Spec:
    """What an entry says; "": nothing of that."""

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
    """By node what the entries say of it."""
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
    """How many name nothing, or no type that is known; all of what is no list counts as one."""
    if not isinstance(entries, list):
        return int(entries is not None)
    return sum(not _is_known(mapping(entry)) for entry in entries)


def _is_known(entry: Entry) -> bool:
    words = [_word(entry.get(key)) for key in ("data_type", "output_data_type", "weight_data_type")]
    rule = _rule(entry)
    names = bool(rule.names or rule.types or rule.starts or rule.ends)
    return names and any(words) and set(words) <= {*_WORDS, ""}


def _rank(entry: Entry) -> int:
    """Of what counts more, the larger."""
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
        """Those that hang together, over nodes that only move values too."""
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
