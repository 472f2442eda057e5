"""What the files of a call of `errorflow compare` say of the types in which nodes compute."""

from pathlib import Path

from errorflow.blame.by_running import can_be_run
from errorflow.difference.link import link
from errorflow.difference.precision import Known, Precisions, command_of
from errorflow.errors import ErrorflowError
from errorflow.findings.model import Findings
from errorflow.formats import read_model
from errorflow.formats.amct.record import ScaleRecord, read_record
from errorflow.graph.model import Model
from errorflow.match.plan import Asked
from errorflow.match.quantized.ops import DEQUANTIZE
from errorflow.progress import Progress


def precisions_of(asked: Asked, model: Model, findings: Findings, progress: Progress) -> Precisions:
    """`model` is the one whose graph the findings are on."""
    known = Known(
        name=model.path.name,
        command=command_of(model),
        record=_record(asked, progress),
        record_name=Path(asked.scales).name,
    )
    other = _quantized(asked, model, progress)
    if other is not None:
        # Of the two, the one that was compiled, or else the quantized one, came later.
        ends = (other.graph, model.graph) if asked.fusion else (model.graph, other.graph)
        known = known.with_other(link(*ends, progress=progress), other.path.name)
    return Precisions(model.graph, known, findings)


def _record(asked: Asked, progress: Progress) -> ScaleRecord | None:
    return read_record(Path(asked.scales), progress) if asked.scales else None


def _quantized(asked: Asked, model: Model, progress: Progress) -> Model | None:
    """Another model of the call with QuantizeLinear and DequantizeLinear, by which it asks for codes."""
    for path in (asked.model, asked.candidate):
        if path is None or Path(path) == model.path or not can_be_run(Path(path)):
            continue
        try:
            found = read_model(path, progress)
        except ErrorflowError:  # what was enough to compare by need not be a graph
            continue
        if DEQUANTIZE in found.graph.op_types.values:
            return found
    return None
