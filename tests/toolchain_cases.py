"""Models and decisions on them that are handed over to toolchains and read back."""

from functools import cache
from pathlib import Path

from errorflow.base.progress import SILENT
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.presets import PRESETS, preset
from errorflow.quant.selecting import keys_of
from errorflow.quant.switching import facts_of, switched
from errorflow.report.toolchains.model import Decision, Toolchain
from errorflow.report.toolchains.wanting import wants_of
from rerun_nets import Case, case

NETS = ("residual", "plain", "crossing", "attention")
Switch = tuple[int | str, int | str | None]


@cache
def case_of(net: str, folder: Path) -> Case:
    """Its file, which holds the weights, is in a folder that outlives the test."""
    return case(net, folder)


@cache
def graph_of(net: str, folder: Path) -> Graph:
    return read_model(case_of(net, folder).path).graph


def plans(graph: Graph) -> dict[str, Plan]:
    """What users do: presets, single nodes, whole types, all behind a node, weights alone."""
    base = preset("onnxruntime-x86").plan
    products = [node for node in range(len(graph)) if facts_of(graph).weights[node] is not None]
    first, last = products[0], products[-1]
    found = {row.key: row.plan for row in PRESETS}
    for key in ("onnxruntime-x86", "amct", "pulsar2-u8", "horizon-int8"):
        base = preset(key).plan
        found |= {
            f"{key}, first in float": switched(graph, base, [first], FLOAT),
            f"{key}, first and last in 16 bits": switched(graph, base, [first, last], 16),
            f"{key}, data of the last in 16 bits": switched(graph, base, [last], 16, "activations"),
            f"{key}, weights of the first in float": switched(graph, base, [first], FLOAT, "weights"),
            f"{key}, products in float": base.with_rule(Rule(FLOAT, FLOAT, types=("Conv", "MatMul", "Gemm"))),
            f"{key}, a few in 4 bits": switched(graph, base, products[:3], 4),
            f"{key}, all behind": base.with_rule(
                Rule(FLOAT, FLOAT, names=(keys_of(graph).best(first),), starts=_made(graph, first))
            ),
        }
    return found


def _made(graph: Graph, node: int) -> tuple[str, ...]:
    return tuple(graph.tensor_names[tensor] for tensor in facts_of(graph).made[node])


def switches(decision: Decision) -> dict[int, Switch]:
    """By node float or bits of its data and of its weights."""
    return {node: want.switch for node, want in wants_of(decision).items()}


def read_back(toolchain: Toolchain, decision: Decision, folder: Path, base: Path | None = None) -> Decision:
    """What its file says, as the same model's decision."""
    written = toolchain.write(decision, base)
    name, text = next(iter(written.files.items()))
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return Decision.of(decision.graph, toolchain.read(path, decision.graph, SILENT).plan, decision.calibration)
