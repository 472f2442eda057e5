"""AMCT's simplified setting, in protobuf text."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT
from errorflow.quant.precision import Precision
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import NOT_RUN, Decision, Reading, Toolchain, Want, WrittenFiles, comments
from errorflow.report.toolchains.wanting import NO_NAME, in_graph, left_out, plan_of
from errorflow.vendors.ascend.amct.layers import ACTIVATIONS, BASE, WEIGHTS, Layers, layers_of, wants_read
from errorflow.vendors.ascend.amct.simple import Override, SimpleConfig, read_simple_config
from errorflow.vendors.ascend.amct.text import simple_text

FILE = "amct_simple.cfg"
# What the setting for all says.
_COMMON = (Want(ACTIVATIONS, WEIGHTS), Want(ACTIVATIONS))
_SEARCH = {
    "search_range_start": 0.7,
    "search_range_end": 1.3,
    "search_step": 0.01,
    "max_percentile": 0.999999,
    "min_percentile": 0.999999,
}
_TYPES_NOTE = "`skip_layer_types` holds ONNX types; where your AMCT takes those of Ascend IR, write these."
_CALIBRATION, _DATA, _FIXED = "calibration_config", "ifmr_quantize", "arq_quantize"


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    layers, graph = layers_of(decision, by_name=False), decision.graph
    kinds = _whole_types(graph, layers)
    skipped = [layers.names[node] for node, want in layers.wants.items() if want.is_float and layers.names[node]]
    by_type = {layers.names[node] for node in layers.wants if graph.op_types[node] in kinds}
    skip = tuple(name for name in skipped if name not in by_type)
    lost = list(layers.left_out)
    for node, want in layers.wants.items():
        if not layers.names[node] and want not in _COMMON and graph.op_types[node] not in kinds:
            lost.append(left_out(graph, node, NO_NAME, "int8"))
    overrides = tuple(
        Override((name,), {_CALIBRATION: _calibration(want)})
        for name, want in layers.named.items()
        if not want.is_float and want not in _COMMON
    )
    config = _start(base)
    config = replace(config, skip_layers=skip, skip_layer_types=kinds)
    config = replace(config, by_layer=(*_others(config.by_layer, layers), *overrides))
    notes = [*layers.notes, *([_TYPES_NOTE] if kinds else [])]
    if base is not None:
        notes.append(f"{base.name} was the start: what else stands in it is kept.")
    text = simple_text(config, comments(lost, NOT_RUN))
    return WrittenFiles({FILE: text}, left_out=tuple(lost), notes=tuple(notes))


def _whole_types(graph: Graph, layers: Layers) -> tuple[str, ...]:
    """Lists the types of which all layers stay in float, and more than one does."""
    kinds: dict[str, list[bool]] = {}
    for node, want in layers.wants.items():
        kinds.setdefault(graph.op_types[node], []).append(want.is_float)
    return tuple(sorted(kind for kind, found in kinds.items() if len(found) > 1 and all(found)))


def _start(base: Path | None) -> SimpleConfig:
    if base is not None:
        return read_simple_config(base)
    common = {_DATA: dict(_SEARCH), _FIXED: {"channel_wise": True}}
    return SimpleConfig(batch_num=1, activation_offset=True, do_fusion=True, common=common)


def _others(overrides: tuple[Override, ...], layers: Layers) -> list[Override]:
    """Keeps the overrides of layers that nothing was decided on."""
    return [each for each in overrides if not set(each.names) & layers.named.keys()]


def _calibration(want: Want) -> Mapping[str, object]:
    assert isinstance(want.activations, Precision), "it is quantized"
    found: dict[str, object] = {
        _DATA: {**_SEARCH, "num_bits": want.activations.bits, "asymmetric": not want.activations.symmetric}
    }
    if isinstance(want.weights, Precision):
        found[_FIXED] = {"channel_wise": want.weights.per_channel, "num_bits": want.weights.bits}
    return found


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:
    config = read_simple_config(path, progress)
    named = {name: each.setting for each in config.by_layer for name in each.names}
    typed = {name: each.setting for each in config.by_type for name in each.names}
    _, notes = in_graph(graph, (*config.skip_layers, *named))
    facts = facts_of(graph)

    def want_of(node: int) -> Want:
        name, kind, has_weights = graph.node_names[node], facts.types[node], facts.weighted[node]
        if kind in config.skip_layer_types or (name and name in config.skip_layers):
            return Want(FLOAT, FLOAT if has_weights else None)
        settings = [config.common, *(_inside(found.get(key)) for found, key in ((typed, kind), (named, name)))]
        return _want(settings, config.activation_offset is not False, has_weights)

    return Reading(plan_of(graph, BASE, wants_read(graph, want_of)), notes)


def _inside(setting: Mapping[str, object] | None) -> Mapping[str, object]:
    found = {} if setting is None else setting.get(_CALIBRATION)
    return found if isinstance(found, Mapping) else {}


def _want(settings: list[Mapping[str, object]], offset: bool, has_weights: bool) -> Want:
    """The last one counts that says something."""
    data: dict[str, object] = {"num_bits": 8, "asymmetric": offset}
    fixed: dict[str, object] = {"num_bits": 8, "channel_wise": True}
    for setting in settings:
        for found, key in ((data, _DATA), (fixed, _FIXED)):
            own = setting.get(key)
            found |= own if isinstance(own, Mapping) else {}
    codes = replace(ACTIVATIONS, dtype=f"int{_bits(data)}", symmetric=data["asymmetric"] is False)
    if not has_weights:
        return Want(codes)
    return Want(codes, replace(WEIGHTS, dtype=f"int{_bits(fixed)}", per_channel=fixed["channel_wise"] is not False))


def _bits(found: Mapping[str, object]) -> int:
    bits = found["num_bits"]
    return bits if isinstance(bits, int) and bits in (4, 8, 16) else 8


AMCT_SIMPLE = Toolchain(
    "amct-simple",
    "Ascend AMCT, simplified setting",
    "the simplified setting: skip_layers, skip_layer_types, override_layer_configs",
    _write,
    _read,
    lambda name, head: (
        not name.endswith((".json", ".py"))
        and any(word in head for word in ("skip_layer", "common_config", "override_layer", "activation_offset"))
    ),
    takes_base=True,
)
