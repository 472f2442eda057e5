"""What the files of a call of `errorflow compare` say of the types in which nodes compute."""

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow.case.scenarios.setup import Setup
from errorflow.compare.match.quantized.ops import DEQUANTIZE
from errorflow.explain.difference.link import link
from errorflow.explain.difference.precision import Known, Precisions, command_of
from errorflow.explain.findings.model import Findings
from errorflow.formats import read_model
from errorflow.formats.amct.record import read_record
from errorflow.formats.onnx.claims import can_be_run
from errorflow.graph.model import Model


def precisions_of(setup: Setup, model: Model, findings: Findings, progress: Progress) -> Precisions:
    """`model` is the one whose graph the findings are on."""
    scales = setup.file("scales")
    known = Known(
        name=model.path.name,
        command=command_of(model),
        record=None if scales is None else read_record(scales, progress),
        record_name="" if scales is None else scales.name,
    )
    other = _quantized(setup, model, progress)
    if other is not None:
        # Of the two, the one that was compiled, or else the quantized one, came later.
        ends = (other.graph, model.graph) if setup.file("fusion") is not None else (model.graph, other.graph)
        known = known.with_other(link(*ends, progress=progress), other.path.name)
    return Precisions(model.graph, known, findings)


def _quantized(setup: Setup, model: Model, progress: Progress) -> Model | None:
    """Another model of the call with QuantizeLinear and DequantizeLinear, by which it asks for codes."""
    for need in ("model", "original", "quantized", "candidate"):
        path = setup.file(need)
        if path is None or path == model.path or not can_be_run(path):
            continue
        try:
            found = read_model(path, progress)
        except ErrorflowError:  # what was enough to compare by need not be a graph
            continue
        if DEQUANTIZE in found.graph.op_types.values:
            return found
    return None
