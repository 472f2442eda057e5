"""HMCT's quant_config, as Horizon's newer chips take it."""

import json
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.report.toolchains.model import Decision, Reading, Toolchain, WrittenFiles, no_base
from errorflow.report.toolchains.texts import json_of
from errorflow.report.toolchains.wanting import in_graph, plan_of
from errorflow.vendors.horizon.toolchains.codes import BASE, codes_of, from_quant_config, moved, wants_from

FILE = "hmct_quant_config.json"
LABEL = "Horizon HMCT, quant_config"
_WORDS = {"float": "float32", "int8": "int8", "int16": "int16"}
_NOTE = "Give it as calibration_parameters.quant_config of the yaml, by its path or as it is."
_HINT = "Take the JSON that calibration_parameters.quant_config names."


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    no_base(base, LABEL)
    graph = decision.graph
    codes = codes_of(decision)
    types = {kind: code for code in ("float", "int16") for kind in codes.whole_types(graph, code)}
    nodes = {
        codes.names[node]: {"qtype": _WORDS[code]}
        for node, code in codes.codes.items()
        if code != "int8" and graph.op_types[node] not in types
    }
    document: dict[str, object] = {"model_config": {"all_node_type": "int8"}}
    if types:
        document["op_config"] = {kind: {"qtype": _WORDS[code]} for kind, code in sorted(types.items())}
    if nodes:
        document["node_config"] = nodes
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return WrittenFiles({FILE: text}, left_out=codes.left_out, notes=(_NOTE,))


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    codes, names = from_quant_config(graph, json_of(path, _HINT))
    nodes, notes = in_graph(graph, names)
    return Reading(plan_of(graph, BASE, wants_from(graph, codes), moved(graph, nodes.values())), notes)


HMCT = Toolchain(
    "horizon-hmct",
    LABEL,
    "the quantization setting in JSON: node_config, op_config, model_config",
    _write,
    _read,
    lambda name, head: (
        name.endswith(".json") and any(f'"{key}"' in head for key in ("node_config", "op_config", "model_config"))
    ),
)
