"""RKNN's hybrid quantization: the layers that compute in float16."""

from collections.abc import Sequence
from pathlib import Path

from errorflow.base import FormatError, Progress
from errorflow.graph.model import Graph
from errorflow.report.toolchains.model import NOT_RUN, Decision, Reading, Toolchain, WrittenFiles, comments
from errorflow.report.toolchains.texts import text_of
from errorflow.report.toolchains.wanting import floats_of, left_out, made_by, plan_from

FILE = "rknn.quantization.cfg"
_HEAD, _FLOATS = "custom_quantize_layers:", ("float16", "float32", "bfloat16")
_NOTES = (
    "Give it to hybrid_quantization_step2; with --base, the file that hybrid_quantization_step1 wrote, it is whole.",
    "Layers go by the tensors that nodes make: of nodes that RKNN merges, such as Conv and Relu, that of the last one.",
)
_PARTED = "The tensor that it makes has a name that cannot stand in this file."


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    graph = decision.graph
    floats = floats_of(decision, "RKNN", "float16")
    lost, names = list(floats.left_out), []
    for node in floats.nodes:
        name = made_by(graph, node)
        if not name or name != name.strip(" '\"") or "#" in name or "\n" in name:
            lost.append(left_out(graph, node, _PARTED, "int8"))
        else:
            names.append(name)
    own = [*(f"# {line}" for line in comments(lost, NOT_RUN)), _HEAD, *(f"    {name}: float16" for name in names)]
    rest = [] if base is None else _without_layers(text_of(base).replace(f"# {NOT_RUN}\n", "").splitlines(), base.name)
    return WrittenFiles({FILE: "\n".join([*own, *rest]) + "\n"}, left_out=tuple(lost), notes=_NOTES)


def _without_layers(lines: Sequence[str], name: str) -> list[str]:
    """Keeps all but the layers that were chosen before."""
    start, end = _layers(lines, name)
    return [*lines[:start], *lines[end:]]


def _layers(lines: Sequence[str], name: str) -> tuple[int, int]:
    """Finds the lines from the head on to behind the last indented one; blank lines and comments may stand between."""
    start = next((at for at, line in enumerate(lines) if line.startswith(_HEAD)), None)
    if start is None:
        raise FormatError(f"{name} has no line {_HEAD!r}.", "Take the file that hybrid_quantization_step1 wrote.")
    end = start + 1
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if line.strip() and not line.startswith((" ", "\t", "#")):
            break
        if line.strip() and not line.startswith("#"):
            end = at + 1
    return start, end


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    lines = text_of(path).splitlines()
    start, end = _layers(lines, path.name)
    nodes, lost = set[int](), 0
    inline = lines[start].removeprefix(_HEAD).partition("#")[0].strip()
    if inline not in ("", "{}"):
        raise FormatError(f"{path.name} has its layers on the line {_HEAD!r}.", "Write each on a line of its own.")
    for line in lines[start + 1 : end]:
        text = line.partition("#")[0].strip()
        name, _, dtype = (part.strip().strip("'\"") for part in text.rpartition(":"))
        number = graph.tensor_index(name)
        if dtype in _FLOATS and number is not None and graph.producers[number] >= 0:
            nodes.add(int(graph.producers[number]))
        else:
            lost += bool(text)
    notes = (f"{lost:,} lines name no tensor that a node of the model makes, or no float.",) if lost else ()
    return Reading(plan_from(graph, nodes), notes)


RKNN = Toolchain(
    "rknn",
    "Rockchip RKNN, hybrid quantization",
    "custom_quantize_layers with the layers in float16",
    _write,
    _read,
    lambda _, head: _HEAD in head,
    takes_base=True,
)
ROWS = (RKNN,)
