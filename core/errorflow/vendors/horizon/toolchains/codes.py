"""Codes of Horizon's toolchains for a node: the CPU in float, or codes of 8 or 16 bits."""

from collections.abc import Iterable, Mapping
from typing import Literal

from errorflow.base.values import dataclass, replace
from errorflow.graph.model import Graph
from errorflow.quant.operators import PRODUCTS
from errorflow.quant.plan import FLOAT
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import Decision, LeftOut, Want
from errorflow.report.toolchains.wanting import MOVED, NO_NAME, left_out, moves, names_of, single_tensors, wants_of

Code = Literal["float", "int8", "int16"]
BASE = preset("horizon-int8").plan
_ONE_KIND = "Horizon quantizes data and weights of a node, or runs it in float."


@dataclass(frozen=True, slots=True)
class HorizonCodes:
    """Codes by node that are written; the types of which all nodes are alike; and what cannot be told."""

    codes: Mapping[int, Code]
    names: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    def whole_types(self, graph: Graph, code: Code) -> tuple[str, ...]:
        """The types of which several nodes are, and all have that code."""
        kinds: dict[str, list[Code]] = {}
        for node, each in self.codes.items():
            if not moves(graph, node):  # they are told by name, and what is said of their type is not for them
                kinds.setdefault(graph.op_types[node], []).append(each)
        return tuple(sorted(kind for kind, found in kinds.items() if len(found) > 1 and set(found) == {code}))


def codes_of(decision: Decision, usual: Code = "int8") -> HorizonCodes:
    """`usual` is what nodes have that nothing is said of."""
    graph, names = decision.graph, names_of(decision.graph)
    found: dict[int, Code] = {}
    lost = single_tensors(decision)
    for node, want in wants_of(decision).items():
        found[node], why = _code(want)
        if not names[node] and found[node] != usual:
            found[node], why = usual, NO_NAME
        if found[node] == usual and moves(graph, node):
            why = MOVED
        if why:
            lost.append(left_out(graph, node, why, found[node]))
    return HorizonCodes(found, names, tuple(lost))


def _code(want: Want) -> tuple[Code, str]:
    """The nearest that there is, and why it is not the same; "": it is."""
    data, weights = want.activations, want.weights
    if not isinstance(data, Precision):
        return "float", "" if want.is_float else _ONE_KIND
    if weights == FLOAT:
        return "float", _ONE_KIND
    code: Code = "int16" if data.bits == 16 else "int8"
    if data.bits not in (8, 16):
        return code, f"Horizon has no data of {data.bits} bits."
    if isinstance(weights, Precision) and weights.bits != 8:
        return code, f"Horizon's weights have 8 bits, not {weights.bits}."
    return code, ""


def wants_from(graph: Graph, codes: Mapping[int, Code]) -> dict[int, Want]:
    """Turns what a reader found into wishes."""
    facts = facts_of(graph)
    found = {}
    for node, code in codes.items():
        has_weights = facts.types[node] in PRODUCTS and facts.weights[node] is not None
        if code == "float":
            found[node] = Want(FLOAT, FLOAT if has_weights else None)
        else:
            assert isinstance(BASE.activations, Precision), "the preset codes activations"
            found[node] = Want(replace(BASE.activations, dtype=code), BASE.weights if has_weights else None)
    return found


def from_quant_config(graph: Graph, config: Mapping[str, object]) -> tuple[dict[int, Code], tuple[str, ...]]:
    """Reads HMCT's quant_config, and the names in it. A name counts before a type, and that before all."""
    facts = facts_of(graph)
    found: dict[int, Code] = {}
    usual = _word(_inside(config, "model_config").get("all_node_type"))
    by_type = {kind.lower(): _word(_dict(each).get("qtype")) for kind, each in _inside(config, "op_config").items()}
    by_name = {name: _word(_dict(each).get("qtype")) for name, each in _inside(config, "node_config").items()}
    for node, name in enumerate(graph.node_names):
        for code in (by_name.get(name) if name else None, by_type.get(facts.types[node].lower()), usual):
            if code is not None:
                found[node] = code
                break
    return found, tuple(by_name)


def _word(value: object) -> Code | None:
    """Reads a word; None: nothing is said, or nothing that is known here."""
    known: dict[str, Code] = {"int8": "int8", "int16": "int16", **dict.fromkeys(("float", "float32", "float16"), FLOAT)}
    return known.get(value) if isinstance(value, str) else None


def _inside(config: Mapping[str, object], key: str) -> Mapping[str, object]:
    return _dict(config.get(key))


def _dict(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def moved(graph: Graph, nodes: Iterable[int]) -> list[int]:
    """Lists those that a file names one by one, also where they only move values."""
    return [node for node in nodes if facts_of(graph).flows[node]]
