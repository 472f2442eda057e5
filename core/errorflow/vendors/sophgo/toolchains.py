"""tpu-mlir's qtable: the layers that compute in float."""

from collections import Counter
from pathlib import Path

from errorflow.base import FormatError, Progress
from errorflow.graph.model import Graph
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import NOT_RUN, Decision, Reading, Toolchain, WrittenFiles, comments, no_base
from errorflow.report.toolchains.texts import text_of
from errorflow.report.toolchains.wanting import floats_of, left_out, made_by, plan_from

FILE = "tpu_mlir.qtable"
LABEL = "Sophgo tpu-mlir, qtable"
_HEAD = "# op_name   quantize_mode"
_CODES = "INT8"
_FLOATS = frozenset(("F32", "F16", "BF16"))
_MARK = "quantize_mode"
# So many types that are not known are told.
_TOLD = 6
_MODES = frozenset(("INT4", "INT8", "W8F16", "W8BF16", "W4F16", "W4BF16", "F8E4M3", "F8E5M2", "BF16", "F16", "F32"))
_HINT = "Take the file that --quantize_table of model_deploy is given."
_NOTES = (
    "Give it to model_deploy with --quantize_table.",
    "Names are those of the top mlir: the tensor that a node makes, _, and its type. Compare them with your .mlir.",
)
_PARTED = "The tensor that it makes has a blank or a # in its name, which parts words here."


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    no_base(base, LABEL)
    graph = decision.graph
    floats = floats_of(decision, "tpu-mlir", "F16")
    near = {each.node for each in floats.left_out}
    lost, lines = list(floats.left_out), []
    for node in floats.nodes:
        name = made_by(graph, node)
        if not name or "#" in name or len(name.split()) != 1:
            lost.append(left_out(graph, node, _PARTED, _CODES))
        else:
            lines.append(f"{name}_{graph.op_types[node]} {'F16' if node in near else 'F32'}")
    text = "\n".join([_HEAD, *(f"# {line}" for line in comments(lost, NOT_RUN)), *lines]) + "\n"
    return WrittenFiles({FILE: text}, left_out=tuple(lost), notes=_NOTES)


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    facts = facts_of(graph)
    known = {
        f"{graph.tensor_names[made]}_{facts.types[node]}": node for node, row in enumerate(facts.made) for made in row
    }
    plain = {graph.tensor_names[made]: node for node, row in enumerate(facts.made) for made in row}
    nodes, rows, lost, others = set[int](), 0, 0, Counter[str]()
    text = text_of(path)
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if len(words) != 2:
            continue
        mode = words[1].upper()
        rows += mode in _MODES
        node = known.get(words[0], plain.get(words[0]))
        lost += node is None
        if node is not None and mode in _FLOATS:
            nodes.add(node)
        elif node is not None and mode != _CODES:
            others[words[1]] += 1
    if not rows and _MARK not in text:
        raise FormatError(f"{path.name} is no qtable: no line of it has a name and a type.", _HINT)
    notes = [f"{lost:,} lines name nothing that the model has."] if lost else []
    notes += [
        f"{mode[:20]} is not simulated here: {count:,} layers have INT8 in its place."
        for mode, count in others.most_common(_TOLD)
    ]
    return Reading(plan_from(graph, nodes), tuple(notes))


TPU_MLIR = Toolchain(
    "tpu-mlir",
    LABEL,
    "the layers that compute in float, for model_deploy",
    _write,
    _read,
    lambda name, head: name.endswith(".qtable") or _MARK in head,
)
ROWS = (TPU_MLIR,)
