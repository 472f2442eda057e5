"""Acme's list of what stays in float: `float` and a tensor on each line."""

from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.report.toolchains.model import Decision, Reading, Toolchain, WrittenFiles, no_base
from errorflow.report.toolchains.texts import text_of
from errorflow.report.toolchains.wanting import floats_of, made_by, plan_from

_WORD = "float "


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    no_base(base, "Acme")
    floats = floats_of(decision, "Acme", "float")
    names = (made_by(decision.graph, node) for node in floats.nodes)
    return WrittenFiles({"acme.list": "".join(f"{_WORD}{name}\n" for name in names)}, left_out=floats.left_out)


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:
    progress.step(0, 1, path.name)
    names = [line.removeprefix(_WORD) for line in text_of(path).splitlines()]
    made = {made_by(graph, node): node for node in range(len(graph))}
    lost = sum(name not in made for name in names)
    notes = (f"{lost:,} lines name no tensor of the model.",) if lost else ()
    return Reading(plan_from(graph, {made[name] for name in names if name in made}), notes)


ACME = Toolchain(
    "acme", "Acme", "a list of the tensors that stay in float", _write, _read, lambda name, _: name.endswith(".list")
)
ROWS = (ACME,)
