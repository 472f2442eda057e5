"""AMCT's quantization setting in JSON, layer by layer."""

from dataclasses import replace
from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT
from errorflow.quant.precision import Precision
from errorflow.quant.switching import facts_of
from errorflow.report.amct_layers import ACTIVATIONS, BASE, WEIGHTS, layers_of, wants_read
from errorflow.report.toolchains.model import Decision, LeftOut, Reading, Toolchain, Want, Written
from errorflow.report.toolchains.wanting import in_graph, plan_of
from errorflow.vendors.ascend.amct.config import (
    ActivationSetting,
    LayerSetting,
    QuantConfig,
    WeightSetting,
    config_text,
    read_config,
)

FILE = "amct_quant_config.json"
# What create_quant_config writes where nobody asks for anything else.
_DATA = ActivationSetting(8, "ifmr", True, 0.999999, 0.999999, (0.7, 1.3), 0.01)
_WEIGHTS = WeightSetting(8, "arq_quantize", True)
_NEW = "`batch_num` is 1: set it to the number of batches that AMCT calibrates with."


def _write(decision: Decision, base: Path | None) -> Written:
    layers = layers_of(decision)
    lost, notes = list(layers.left_out), list(layers.notes)
    if base is None:
        made = {name: _setting(want, _new(want)) for name, want in layers.named.items()}
        if not made:
            raise UsageError("The model has no layer with a name that AMCT quantizes.", "Name its nodes first.")
        config = QuantConfig(1, 1, True, True, (), made)
        notes.append(_NEW)
    else:
        given = read_config(base)
        known = {name: want for name, want in layers.named.items() if name in given.layers}
        changed = {name: _setting(want, given.layers[name]) for name, want in known.items()}
        config = replace(given, layers={**given.layers, **changed})
        told = {each.name for each in lost}
        for name, want in layers.named.items():
            if name not in known and not want.is_float and name not in told:
                node = layers.names.index(name)
                lost.append(LeftOut(decision.graph.title(node), f"{base.name} has no such layer.", FLOAT, node))
        notes.append(f"{base.name} was the start: what else stands in it is kept.")
    return Written({FILE: config_text(config)}, left_out=tuple(lost), notes=tuple(notes))


def _new(want: Want) -> LayerSetting:
    return LayerSetting(True, None, _DATA, None if want.weights is None else _WEIGHTS)


def _setting(want: Want, before: LayerSetting) -> LayerSetting:
    """The layer as it was, but for what was decided."""
    data, weights = want.activations, want.weights
    if not isinstance(data, Precision):
        return replace(before, quant_enable=False)
    flow = _DATA if before.activation_quant_params is None else before.activation_quant_params
    flow = replace(flow, num_bits=data.bits, asymmetric=not data.symmetric)
    fixed = before.weight_quant_params
    if isinstance(weights, Precision):
        fixed = replace(_WEIGHTS if fixed is None else fixed, num_bits=weights.bits, channel_wise=weights.per_channel)
    return replace(before, quant_enable=True, activation_quant_params=flow, weight_quant_params=fixed)


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    config = read_config(path)
    nodes, notes = in_graph(graph, config.layers)
    offset = config.activation_offset is not False
    facts = facts_of(graph)
    settings = {node: config.layers[name] for name, node in nodes.items()}
    wants = wants_read(graph, lambda node: _want(settings.get(node), offset, facts.weighted[node]))
    return Reading(plan_of(graph, BASE, wants), notes)


def _want(setting: LayerSetting | None, offset: bool, has_weights: bool) -> Want:
    """A layer that the setting does not name is not quantized."""
    if setting is None or not setting.quant_enable:
        return Want(FLOAT, FLOAT if has_weights else None)
    flow, fixed = setting.activation_quant_params, setting.weight_quant_params
    bits = 8 if flow is None or flow.num_bits is None else flow.num_bits
    uneven = offset if flow is None or flow.asymmetric is None else flow.asymmetric
    data = replace(ACTIVATIONS, dtype=f"int{bits if bits in (4, 8, 16) else 8}", symmetric=not uneven)
    if not has_weights:
        return Want(data)
    wide = 8 if fixed is None or fixed.num_bits not in (4, 8, 16) else fixed.num_bits
    each = fixed is None or fixed.channel_wise is not False
    return Want(data, replace(WEIGHTS, dtype=f"int{wide}", per_channel=each))


AMCT = Toolchain(
    "amct",
    "Ascend AMCT, setting by layer",
    "the quantization setting in JSON: quant_enable, bits, offset, scale per channel",
    _write,
    _read,
    lambda name, head: name.endswith(".json") and '"quant_enable"' in head,
    takes_base=True,
)
