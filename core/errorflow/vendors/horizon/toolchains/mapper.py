"""Horizon's conversion yaml: where nodes run, and what they read and make."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import NOT_RUN, Decision, Reading, Toolchain, WrittenFiles, comments, no_base
from errorflow.report.toolchains.texts import mapping, text_of
from errorflow.report.toolchains.wanting import in_graph, plan_of
from errorflow.vendors.horizon.toolchains.codes import BASE, Code, codes_of, from_quant_config, moved, wants_from

FILE, OLDER = "horizon_node_info.yaml", "horizon_run_on_cpu.yaml"
LABEL = "Horizon, yaml"
_NOTE = (
    f"Put the lines of {FILE} into the yaml of `hb_mapper makertbin` or `hb_compile`; "
    f"{OLDER} is for those that do not know node_info."
)


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    from errorflow.report.toolchains.yaml_text import yaml_of

    no_base(base, LABEL)
    graph = decision.graph
    codes = codes_of(decision)
    types = codes.whole_types(graph, "int16")
    wide = [node for node, code in codes.codes.items() if code == "int16" and graph.op_types[node] not in types]
    cpu = [codes.names[node] for node, code in codes.codes.items() if code == "float"]
    said = comments(codes.left_out, NOT_RUN)
    silent = [name for name in cpu if ";" in name]
    untold = [
        *(f"int16 cannot be told of {codes.names[node]} alone." for node in wide),
        *(f"{name} has a ; in its name, which parts names." for name in silent),
    ]
    info = {name: {"ON": "CPU"} for name in cpu}
    info |= {codes.names[node]: {"ON": "BPU", "InputType": "int16", "OutputType": "int16"} for node in wide}
    listed = ";".join(name for name in cpu if ";" not in name)
    newer = _comments(said) + yaml_of({"model_parameters": {"node_info": info}}, in_rows=True) + _optimization(types)
    older = _comments([*said, *untold]) + yaml_of({"model_parameters": {"run_on_cpu": listed}}) + _optimization(types)
    notes = [_NOTE]
    if untold:
        notes.append(f"{OLDER} says less: {len(untold):,} nodes stand in it as comments.")
    return WrittenFiles({FILE: newer, OLDER: older}, left_out=codes.left_out, notes=tuple(notes))


def _comments(lines: Sequence[str]) -> str:
    """A line each, whatever stands in names of nodes."""
    plain = ("".join(letter if letter.isprintable() else " " for letter in line) for line in lines)
    return "".join(f"# {' '.join(line.split())}\n" for line in plain)


def _optimization(types: Sequence[str]) -> str:
    from errorflow.report.toolchains.yaml_text import yaml_of

    words = ",".join(f"set_{kind}_{side}_int16" for kind in types for side in ("input", "output"))
    return yaml_of({"calibration_parameters": {"optimization": words}}) if words else ""


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    from errorflow.report.toolchains.yaml_text import read_yaml

    document = read_yaml(text_of(path), path.name)
    model, calibration = (mapping(document.get(f"{part}_parameters")) for part in ("model", "calibration"))
    found, names = from_quant_config(graph, _quant_config(calibration.get("quant_config")))
    types = _types(calibration.get("optimization"))
    for node, kind in enumerate(facts_of(graph).types):
        if "set_all_nodes_int16" in types or kind in types:
            found[node] = "int16"
    # What is said of a node counts more than what is said of its type, and that it runs on the CPU most.
    said: dict[str, Code] = {**_info(model.get("node_info")), **dict.fromkeys(_names(model.get("run_on_cpu")), "float")}
    nodes, notes = in_graph(graph, (*names, *said))
    found |= {nodes[name]: code for name, code in said.items() if name in nodes}
    return Reading(plan_of(graph, BASE, wants_from(graph, found), moved(graph, nodes.values())), notes)


def _info(value: object) -> dict[str, Code]:
    """Either an object by name, or `name:int16;name:int16`."""
    if isinstance(value, str):
        pairs = (part.rpartition(":") for part in value.split(";"))
        return {name.strip(): "int16" for name, _, word in pairs if word.strip() == "int16"}
    found: dict[str, Code] = {}
    for name, each in mapping(value).items():
        info = mapping(each)
        words = [str(word) for key, word in info.items() if key.startswith(("InputType", "OutputType"))]
        found[name] = "float" if info.get("ON") == "CPU" else "int16" if "int16" in words else "int8"
    return found


def _types(value: object) -> set[str]:
    words = [word.strip() for word in value.split(",")] if isinstance(value, str) else []
    kinds = {word.removeprefix("set_").removesuffix("_int16") for word in words if word.endswith("_int16")}
    inputs = {kind.removesuffix("_input") for kind in kinds if kind.endswith("_input")}
    return inputs | ({"set_all_nodes_int16"} & set(words))


def _names(value: object) -> list[str]:
    return [name.strip() for name in value.split(";") if name.strip()] if isinstance(value, str) else []


def _quant_config(value: object) -> Mapping[str, object]:
    """The setting itself; a string is the path of a file, which is not opened unless it is JSON itself."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return mapping(json.loads(value))
        except (ValueError, RecursionError):
            return {}
    return mapping(value)


HORIZON = Toolchain(
    "horizon",
    LABEL,
    "model_parameters with node_info, and with run_on_cpu for older toolchains",
    _write,
    _read,
    lambda name, head: (
        name.endswith((".yaml", ".yml"))
        and any(word in head for word in ("model_parameters", "calibration_parameters", "node_info", "run_on_cpu"))
    ),
)
