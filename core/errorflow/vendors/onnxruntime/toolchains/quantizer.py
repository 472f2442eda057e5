"""ONNX Runtime's quantize_static, as a script that can be run."""

import pprint
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.quant.fitting import fitted
from errorflow.quant.operators import MOVING
from errorflow.quant.plan import FLOAT, Floating, Plan, Rule
from errorflow.quant.precision import CHOICES, Precision
from errorflow.quant.presets import preset
from errorflow.quant.selecting import keys_of, unheard
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import (
    Decision,
    LeftOut,
    Reading,
    Toolchain,
    Want,
    Wished,
    WrittenFiles,
    comments,
    no_base,
)
from errorflow.report.toolchains.texts import text_of
from errorflow.report.toolchains.wanting import (
    best_names,
    changers,
    in_graph,
    left_out,
    plan_of,
    untold_steps,
    wants_of,
)
from errorflow.vendors.onnxruntime.presets import ONNX_RUNTIME_TYPES
from errorflow.vendors.onnxruntime.toolchains.call import DTYPES, as_dict, called, not_understood, words_of
from errorflow.vendors.onnxruntime.toolchains.trial import NO_SAMPLES, try_script

FILE = "quantize_onnxruntime.py"
LABEL = "ONNX Runtime, quantize_static"
TYPES = frozenset(ONNX_RUNTIME_TYPES)
_QUANT = {dtype: word for word, dtype in DTYPES.items()}
_BEHIND = ("Relu", "Clip")
_RUN = f"Run it: python {FILE} model.onnx quantized.onnx --data DIR. It asks for onnx, numpy and onnxruntime."
_RANGES = "Ranges stand in it where they are not the lowest and highest value of the samples."
_REMADE = (
    "No ranges stand in it: those that were found are of the model that {} made. The tool finds its own, the lowest "
    "and highest value of the samples."
)


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    no_base(base, LABEL)
    wants = wants_of(decision)
    lost = (*_not_supported(decision, wants), *_not_reached(decision, wants), *untold_steps(decision))
    values = _values(decision, wants)
    said = comments(lost, NO_SAMPLES)
    head = HEAD.replace("@FILE@", FILE).replace("@MODEL@", _safe(Path(decision.model).name))
    head = head.replace("@LEFT_OUT@", "".join(f"\n{_safe(line)}" for line in said) + "\n")
    names = "\n".join(f"{key} = {_literal(value)}" for key, value in values.items())
    plan = decision.plan
    quants = f"ACTIVATION_TYPE = QuantType.{_usual(plan.activations, 'uint8')}\n"
    quants += f"WEIGHT_TYPE = QuantType.{_usual(plan.weights, 'int8')}\n"
    notes = [_RUN, *([_RANGES] if any("rmin" in each for each in values["TENSOR_OVERRIDES"].values()) else [])]
    if decision.remade:
        notes.append(_REMADE.format(changers(decision)))
    trial = None if decision.bench is None else partial(try_script, decision.bench, plan)
    files = {FILE: f"{head}{names}\n{quants}{BODY}"}
    return WrittenFiles(files, left_out=lost, notes=tuple(notes), reaches=NO_SAMPLES, trial=trial)


def _values(decision: Decision, wants: Mapping[int, Want]) -> dict[str, dict[str, dict[str, object]]]:
    graph, plan, keys = decision.graph, decision.plan, keys_of(decision.graph)
    quantized = _quantized(decision, wants)
    kinds = sorted({graph.op_types[node] for node in quantized})
    out = [node for node in range(len(graph)) if graph.op_types[node] in kinds and node not in quantized]
    weights = plan.weights if isinstance(plan.weights, Precision) else Precision("int8", symmetric=True)
    flow = plan.activations if isinstance(plan.activations, Precision) else Precision()
    decided = {
        keys.best(node): [_word(want.activations), _word(want.weights)]
        for node, want in wants.items()
        if graph.op_types[node] in MOVING or _differs(plan, graph.op_types[node] in kinds, want)
    }
    found: dict[str, object] = {
        "OP_TYPES_TO_QUANTIZE": kinds,
        "NODES_TO_EXCLUDE": [keys.best(node) for node in out if not facts_of(graph).constant[node]],
        "DECIDED": decided,
        "DECIDED_TENSORS": {name: _word(wish) for name, wish in plan.tensors},
        "FLOAT_TENSORS": list(_floats(decision)),
        "TENSOR_OVERRIDES": dict(_overrides(decision, flow, weights)),
        "PER_CHANNEL": weights.per_channel,
        "REDUCE_RANGE": weights.reduced,
        "EXTRA_OPTIONS": {
            "ActivationSymmetric": flow.symmetric,
            "WeightSymmetric": weights.symmetric,
            "QuantizeBias": plan.biases,
            "ForceQuantizeNoInputCheck": True,
            "QDQKeepRemovableActivations": True,
        },
    }
    return found  # type: ignore[return-value]  # lists and words among them, which only the writing of them sees


def _quantized(decision: Decision, wants: Mapping[int, Want]) -> frozenset[int]:
    """The nodes that the tool is to quantize; who moves values, where what it makes is codes."""
    graph, assigned = decision.graph, decision.assigned
    facts = facts_of(graph)
    found = {node for node, want in wants.items() if not want.is_float and facts.types[node] in TYPES}
    for node, kind in enumerate(facts.types):
        if kind in MOVING and kind in TYPES and node not in wants and not facts.constant[node]:
            found |= {node} if any(made in assigned.activations for made in facts.made[node]) else set()
    return frozenset(found)


def _not_supported(decision: Decision, wants: Mapping[int, Want]) -> Iterator[LeftOut]:
    graph = decision.graph
    for node, want in wants.items():
        kind = graph.op_types[node]
        if not want.is_float and kind not in TYPES and kind not in MOVING:
            why = f"ONNX Runtime's tool does not quantize {kind}."
            yield left_out(graph, node, why, "float, but for what its neighbours read and make")


def _not_reached(decision: Decision, wants: Mapping[int, Want]) -> Iterator[LeftOut]:
    """The tool goes through the file, and quantizes Relu and Clip only where what they read is quantized by then."""
    graph, facts = decision.graph, facts_of(decision.graph)
    marked: set[int] = set()
    for node in sorted(_quantized(decision, wants)):
        kind = facts.types[node]
        if kind in _BEHIND and marked.isdisjoint(facts.read[node]):
            yield left_out(graph, node, f"ONNX Runtime's tool quantizes {kind} only behind what it quantizes.", FLOAT)
        else:
            marked.update((*facts.read[node], *facts.made[node]))


def _floats(decision: Decision) -> Iterator[str]:
    """Yields what stays in float and the tool would quantize for the sake of a neighbour."""
    graph, coded = decision.graph, decision.assigned.coded
    facts = facts_of(graph)
    near = dict.fromkeys(
        tensor
        for node, kind in enumerate(facts.types)
        if kind in TYPES and facts.flows[node]
        for tensor in (*graph.node_inputs[node].tolist(), *facts.made[node])
    )
    biases = {bias.bias for bias in decision.assigned.biases.values()}
    for tensor in near:
        if tensor >= 0 and tensor not in coded and tensor not in biases:
            yield graph.tensor_names[tensor]


def _overrides(decision: Decision, flow: Precision, weights: Precision) -> Iterator[tuple[str, dict[str, object]]]:
    names, assigned, calibration = decision.graph.tensor_names, decision.assigned, decision.calibration
    ranges = {} if calibration is None else calibration.ranges
    fit = fitted(decision.graph, decision.plan.types, ranges) if decision.plan.fitted else ranges
    is_plain = calibration is None or calibration.method == "minmax"
    for tensor, how in assigned.activations.items():
        found: dict[str, object] = {}
        if how.dtype != flow.dtype:
            found |= {"quant_type": _QUANT[how.dtype], "symmetric": how.symmetric}
        where = fit.get(names[assigned.scale_of.get(tensor, tensor)])
        if where is not None and not (is_plain and where == ranges.get(names[tensor])):
            found |= {"rmin": float(where.low), "rmax": float(where.high)}
        if found:
            yield names[tensor], found
    for tensor, coded in assigned.constants.items():
        how = coded.precision
        if how.dtype != weights.dtype:
            axis = {} if coded.axis is None else {"axis": coded.axis}
            yield names[tensor], {"quant_type": _QUANT[how.dtype], "symmetric": how.symmetric, **axis}


def _differs(plan: Plan, is_planned: bool, want: Want) -> bool:
    """Whether it is not what the plan has for all of the types that the tool is told."""
    flow, weights = (plan.activations, plan.weights) if is_planned else (FLOAT, FLOAT)
    return want.switch != Want(flow, None if want.weights is None else weights).switch


def _word(wish: Wished | None) -> str:
    return "" if wish is None else wish.dtype if isinstance(wish, Precision) else wish


def _usual(wish: Wished, otherwise: str) -> str:
    return _QUANT[wish.dtype if isinstance(wish, Precision) else otherwise]


def _literal(value: object) -> str:
    return pprint.pformat(value, width=116, sort_dicts=False, compact=True)


def _safe(text: str) -> str:
    """Within a text of three quotes."""
    return text.replace("\\", "\\\\").replace('"', "'")


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    """Our own script says what was decided; of any other one, what is excluded and what its tensors have."""
    found = called(text_of(path), path.name)
    base = _base(found)
    if "DECIDED" not in found:
        plan = _foreign(found, base, graph)
        named = (*words_of(found, "nodes_to_exclude"), *words_of(found, "nodes_to_quantize"))
        _, lost_names = in_graph(graph, named)
        return Reading(plan, (*not_understood(found), *lost_names, *unheard(replace(plan, rules=()), graph)))
    wants, keys, lost = {}, keys_of(graph).nodes, 0
    facts = facts_of(graph)
    for name, words in as_dict(found["DECIDED"]).items():
        lost += name not in keys
        flow, weights = (*(words if isinstance(words, list) else []), "", "")[:2]
        for node in keys.get(name, []):
            own = _wish(weights, base.weights) if weights else None
            wants[node] = Want(_wish(flow, base.activations), own)
    plan = plan_of(graph, base, wants, [node for node in wants if facts.types[node] in MOVING])
    for name, word in as_dict(found.get("DECIDED_TENSORS")).items():
        plan = plan.with_tensor(name, _wish(word, base.activations))
    return Reading(plan, (f"{lost:,} names are not in the model.",) if lost else ())


def _foreign(found: Mapping[str, object], base: Plan, graph: Graph) -> Plan:
    names = _kept_in_float(found, base, graph)
    plan = base.with_rule(Rule(FLOAT, FLOAT, names=names)) if names else base
    for name, settings in as_dict(as_dict(found.get("extra_options")).get("TensorQuantOverrides")).items():
        first = settings[0] if isinstance(settings, list) and settings else None
        dtype = DTYPES.get(str(as_dict(first).get("quant_type")))
        plan = plan if dtype is None else plan.with_tensor(name, _wish(dtype, base.activations))
    return plan


def _kept_in_float(found: Mapping[str, object], base: Plan, graph: Graph) -> tuple[str, ...]:
    """Lists those that are excluded; where some alone are to be quantized, all others of their types too."""
    excluded, only = words_of(found, "nodes_to_exclude"), frozenset(words_of(found, "nodes_to_quantize"))
    if not only:
        return excluded
    facts = facts_of(graph)
    others = [
        node
        for node, kind in enumerate(facts.types)
        if facts.flows[node] and graph.node_names[node] not in only and (base.types is None or kind in base.types)
    ]
    return tuple(dict.fromkeys((*excluded, *best_names(graph, others))))


def _base(found: Mapping[str, object]) -> Plan:
    plan = preset("onnxruntime").plan
    options = as_dict(found.get("extra_options"))
    flow = DTYPES.get(str(found.get("activation_type")), "int8")
    weights = DTYPES.get(str(found.get("weight_type")), "int8")
    even, whole = options.get("ActivationSymmetric") is True, options.get("WeightSymmetric") is not False
    each, short = found.get("per_channel") is True, found.get("reduce_range") is True
    listed = words_of(found, "op_types_to_quantize")
    return replace(
        plan,
        activations=Precision(flow, even),
        weights=Precision(weights, whole, each, short),
        types=listed if listed or "DECIDED" in found else plan.types,  # of an empty list the tool takes all
        biases=options.get("QuantizeBias") is not False,
        preset="onnxruntime",
    )


def _wish(word: object, base: Precision | Floating) -> Wished:
    if word not in CHOICES:
        return FLOAT
    return replace(base, dtype=str(word)) if isinstance(base, Precision) else Precision(str(word))


ONNX_RUNTIME = Toolchain(
    "onnxruntime",
    LABEL,
    "a Python script with the call, its excluded nodes and the types of single tensors",
    _write,
    _read,
    lambda name, head: name.endswith(".py") and "quantize_static" in head,
)


# The script that quantizes a model with ONNX Runtime's own tool. It is written out, and needs nothing of Errorflow.

HEAD = '''\
"""Quantizes @MODEL@ with ONNX Runtime's own tool, as it was decided in Errorflow.

    python @FILE@ model.onnx quantized.onnx --data DIR

DIR holds what calibrates: a folder per input with an .npy per sample; .npz files with an array per input; or, where
the model has one input, .npy files. A file may hold many samples, stacked, and may be given in place of DIR. It needs
onnx, numpy and onnxruntime.
@LEFT_OUT@"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

'''

BODY = '''

class Samples(CalibrationDataReader):
    """One after the other."""

    def __init__(self, folder, inputs):
        self.feeds = iter(list(samples(Path(folder), inputs)))

    def get_next(self):
        return next(self.feeds, None)


MOVING = ("Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Slice", "MaxPool")


def samples(place, inputs):
    archives = [place] if place.suffix == ".npz" else sorted(place.glob("*.npz"))
    if archives:
        for path in archives:
            with np.load(path) as arrays:
                yield from together({name: arrays[name] for name in inputs}, inputs)
        return
    if place.suffix == ".npy":
        rows = [[place]] if len(inputs) == 1 else []
    else:
        own = len(inputs) == 1 and not (place / next(iter(inputs))).is_dir()
        rows = [sorted((place if own else place / name).glob("*.npy")) for name in inputs]
    if not rows or not all(rows):
        raise SystemExit(f"{place} has no samples for {', '.join(inputs)}.")
    for files in zip(*rows):
        yield from together({name: np.load(file) for name, file in zip(inputs, files)}, inputs)


def together(arrays, inputs):
    """The samples that lie in arrays of one file each, which may be stacked."""
    parts = [fitted(arrays[name], shape) for name, shape in inputs.items()]
    for row in zip(*parts):
        yield dict(zip(inputs, row))


def fitted(array, shape):
    """A single sample may come without its first axis; many may be stacked along it where its size is known."""
    array = array[None] if array.ndim == len(shape) - 1 else array
    each = shape[0] if shape else 0
    if array.ndim != len(shape) or each < 1 or len(array) <= each or len(array) % each:
        return [array]
    return [array[start : start + each] for start in range(0, len(array), each)]


def inputs_of(model):
    """Shapes by name, 0 for a size that is open; what has a value of its own is no input."""
    held = {tensor.name for tensor in model.graph.initializer}
    shapes = {each.name: each.type.tensor_type.shape.dim for each in model.graph.input if each.name not in held}
    return {name: [size.dim_value for size in sizes] for name, sizes in shapes.items()}


def with_names(model):
    """Nodes that have no name, or share it, go by the first tensor that they make."""
    counts = Counter(node.name for node in model.graph.node)
    for node in model.graph.node:
        if not node.name or counts[node.name] > 1:
            node.name = next(name for name in node.output if name)
    return model


def put_back(model, original, names):
    """Takes QuantizeLinear and DequantizeLinear away from these tensors.

    The tool quantizes a tensor as soon as one of its nodes is quantized; what one node needs in float stays in float
    for all.
    """
    graph, names = model.graph, set(names)
    values = {tensor.name: tensor for tensor in original.graph.initializer}
    made = {output: node for node in graph.node for output in node.output}
    outputs = {output.name for output in graph.output}
    renamed, gone = {}, []
    for node in graph.node:
        if node.op_type != "DequantizeLinear":
            continue
        quantizer = made.get(node.input[0])
        source = quantizer.input[0] if quantizer is not None else node.input[0].removesuffix("_quantized")
        if quantizer is not None and quantizer.op_type != "QuantizeLinear":
            continue
        name = source.removesuffix("_QuantizeLinear_Input")
        if name not in names and source not in names:
            continue
        if quantizer is None and source not in values:
            continue
        if quantizer is None and source not in {tensor.name for tensor in graph.initializer}:
            graph.initializer.append(values[source])
        gone += [node] if quantizer is None else [node, quantizer]
        if node.output[0] in outputs:
            made[source].output[list(made[source].output).index(source)] = node.output[0]
            renamed[source] = node.output[0]
        elif node.output[0] != source:  # what makes a bias has the name of the bias
            renamed[node.output[0]] = source
    kept = [node for node in graph.node if not any(node is other for other in gone)]
    for node in kept:
        for place, name in enumerate(node.input):
            while name in renamed:
                name = renamed[name]
            node.input[place] = name
    del graph.node[:]
    graph.node.extend(kept)
    read = {name for node in graph.node for name in node.input} | outputs
    unread = [tensor for tensor in graph.initializer if tensor.name not in read]
    for tensor in unread:
        graph.initializer.remove(tensor)
    return guarded(model)


def guarded(model):
    """Keeps weights in float as they are beside codes.

    ONNX Runtime's optimizer makes codes of them where it sees that what they multiply comes out of codes. It does not
    look through a Sum of one summand, which changes no bit.
    """
    graph, nodes = model.graph, []
    made = {output: node for node in graph.node for output in node.output}
    for node in graph.node:
        if node.op_type in ("Conv", "ConvTranspose", "Gemm") and decoded(made, node.input[0]):
            if not decoded(made, node.input[1]):
                name = f"beside_float_{node.output[0]}"
                nodes.append(onnx.helper.make_node("Sum", [node.input[0]], [name], f"Sum_{name}"))
                node.input[0] = name
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def decoded(made, name):
    """Whether it comes out of codes, also where it was moved since."""
    while name in made and made[name].op_type in MOVING:
        name = made[name].input[0]
    return name in made and made[name].op_type == "DequantizeLinear"


def overrides(model):
    """What tensors have that is not what all have; a tensor that the model does not have would be an error."""
    names = {name for node in model.graph.node for name in (*node.input, *node.output)}
    names |= {tensor.name for tensor in model.graph.initializer}
    found = {}
    for name, settings in TENSOR_OVERRIDES.items():
        if name in names:
            found[name] = [{key: setting(key, value) for key, value in settings.items()}]
    return found


def setting(key, value):
    if key == "quant_type":
        return getattr(QuantType, value)
    return np.array(value, np.float32) if key in ("rmin", "rmax") else value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("quantized")
    parser.add_argument("--data", required=True, metavar="DIR")
    options = parser.parse_args()
    original = onnx.load(options.model)
    model = with_names(onnx.load(options.model))
    large = sum(len(tensor.raw_data) for tensor in model.graph.initializer) > 1_900_000_000
    quantize_static(
        model,
        options.quantized,
        Samples(options.data, inputs_of(model)),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=OP_TYPES_TO_QUANTIZE,
        nodes_to_exclude=NODES_TO_EXCLUDE,
        per_channel=PER_CHANNEL,
        reduce_range=REDUCE_RANGE,
        activation_type=ACTIVATION_TYPE,
        weight_type=WEIGHT_TYPE,
        calibrate_method=CalibrationMethod.MinMax,
        use_external_data_format=large,
        extra_options={**EXTRA_OPTIONS, "TensorQuantOverrides": overrides(model)},
    )
    quantized = put_back(onnx.load(options.quantized), original, FLOAT_TENSORS)
    onnx.save(quantized, options.quantized, save_as_external_data=large)


if __name__ == "__main__":
    main()
'''
