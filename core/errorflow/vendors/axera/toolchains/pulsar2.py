"""Pulsar2's build configuration: the type of each layer's data."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.steps import STRENGTH, THRESHOLD, Smooth, with_step
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import Decision, LeftOut, Reading, Toolchain, Want, Written
from errorflow.report.toolchains.texts import json_of, mapping
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
from errorflow.vendors.axera.toolchains.entries import FIRST, Entries, Spec, names_in, odd_entries, said_of

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


def _write(decision: Decision, base: Path | None) -> Written:
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
    return Written({FILE: text}, left_out=tuple(lost), notes=tuple(notes))


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
    """What a Conv makes may be float; of no other single tensor can it be told."""
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
    """Of the type that the entry for all names; without one it is 8 bits."""
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
