"""AMCT's record of scales: what this calibration found, in AMCT's conventions."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from errorflow.base import Progress, UsageError
from errorflow.formats.amct.record import LayerRecord, ScaleRecord, read_record
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from errorflow.quant.fitting import fitted
from errorflow.quant.operators import PRODUCTS
from errorflow.quant.plan import FLOAT
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, Range
from errorflow.quant.scales import qparams_of, weight_ranges
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import Decision, Reading, Toolchain, Want, WrittenFiles, no_base
from errorflow.report.toolchains.wanting import changers, in_graph, left_out, plan_of
from errorflow.vendors.ascend.amct.layers import ACTIVATIONS, BASE, WEIGHTS, layers_of, wants_read
from errorflow.vendors.ascend.amct.text import record_text

FILE = "scale_offset_record.txt"
LABEL = "Ascend AMCT, record of scales"
_NO_RANGE = "The range of what it reads is not known."
_FUSED = "Layers before a BatchNormalization have skip_fusion: their scales are those of weights that are not fused."
_REMADE = (
    "Take that out of the plan, or export the QDQ model. For the scales of your own model give the ranges that "
    "`errorflow calibrate` finds, with --calibration and without --data."
)


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    no_base(base, LABEL)
    calibration = decision.calibration
    if calibration is None:
        raise UsageError("A record of scales needs ranges.", "Give --calibration FILE or --data DIR.")
    if decision.remade:
        raise UsageError(
            f"The scales are those of the model that {changers(decision)} made, and AMCT is given yours.", _REMADE
        )
    layers, graph = layers_of(decision), decision.graph
    ranges = calibration.ranges
    if decision.plan.fitted:
        ranges = fitted(graph, decision.plan.types, ranges)
    lost, records = list(layers.left_out), {}
    told = {each.node for each in lost}
    for node, want in layers.wants.items():
        if want.is_float or not layers.names[node]:
            continue
        record = _record(replace(decision, calibration=replace(calibration, ranges=ranges)), node, want)
        if record is not None:
            records[record.name] = record
            continue
        lost = [each for each in lost if each.node != node] if node in told else lost
        lost.append(left_out(graph, node, _NO_RANGE, FLOAT))
    if not records:
        raise UsageError("No layer with a name is quantized as AMCT does it.", "Choose another file, or another plan.")
    notes = (*layers.notes, *([_FUSED] if any(record.skip_fusion for record in records.values()) else []))
    return WrittenFiles({FILE: record_text(ScaleRecord(records))}, left_out=tuple(lost), notes=notes)


def _record(decision: Decision, node: int, want: Want) -> LayerRecord | None:
    """Makes the record; None: what it reads has no range."""
    graph, facts = decision.graph, facts_of(decision.graph)
    read = facts.read[node]
    data = _data(decision, read[0], want) if read else None
    if data is None:
        return None
    weights = None
    tensor = facts.weights[node]
    if tensor is not None and isinstance(want.weights, Precision):
        row = PRODUCTS[facts.types[node]]
        values = graph.weights.read(graph.tensor_names[tensor])
        axis = row.axis_of(graph.node(node)) % values.ndim if want.weights.per_channel and values.ndim > 1 else None
        weights = qparams_of(*weight_ranges(values, axis), want.weights, axis)
    fused = any(
        facts.types[reader] == "BatchNormalization" for made in facts.made[node] for reader in graph.consumers[made]
    )
    return LayerRecord(graph.node_names[node], activation=data, weights=weights, skip_fusion=fused)


def _data(decision: Decision, tensor: int, want: Want) -> QParams | None:
    """Signed, as AMCT has all codes: those of unsigned ones are moved by half their number."""
    calibration = decision.calibration
    assert isinstance(want.activations, Precision) and isinstance(calibration, Calibration), "it is quantized"
    name = decision.graph.tensor_names[tensor]
    exact = calibration.given.get(name)
    if exact is not None and exact.bits == want.activations.bits and exact.axis is None:
        half = 0 if exact.signed else 1 << (exact.bits - 1)
        return replace(exact, zero_points=tuple(zero - half for zero in exact.zero_points), signed=True)
    source = decision.assigned.scale_of.get(tensor, tensor)
    found: Range | None = calibration.ranges.get(decision.graph.tensor_names[source], calibration.ranges.get(name))
    if found is None or not np.isfinite((found.low, found.high)).all():
        return None
    return qparams_of(found.low, found.high, want.activations)


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:
    record = read_record(path, progress)
    layers = {layer.name: layer for layer in record.layers.values() if layer.input_index is None}
    _, notes = in_graph(graph, layers)
    uneven = any(layer.activation is not None and any(layer.activation.zero_points) for layer in layers.values())
    facts = facts_of(graph)
    wants = wants_read(graph, lambda node: _want(layers.get(graph.node_names[node]), facts.weighted[node], uneven))
    return Reading(plan_of(graph, BASE, wants), notes)


def _want(layer: LayerRecord | None, has_weights: bool, uneven: bool) -> Want:
    data, weights = (None, None) if layer is None else (layer.activation, layer.weights)
    flow = FLOAT if data is None else replace(ACTIVATIONS, dtype=f"int{data.bits}", symmetric=not uneven)
    if not has_weights:
        return Want(flow)
    if weights is None:
        return Want(flow, FLOAT)
    return Want(flow, replace(WEIGHTS, dtype=f"int{weights.bits}", per_channel=weights.axis is not None))


AMCT_RECORD = Toolchain(
    "amct-record",
    LABEL,
    "scale and offset of each layer's data and weights, from this calibration",
    _write,
    _read,
    lambda name, head: not name.endswith((".json", ".py")) and "record {" in head and "scale_d" in head,
    needs_ranges=True,
)
